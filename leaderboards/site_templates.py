"""The templates of the results page and what they are given to write numbers and addresses with."""

from urllib.parse import urlsplit

import jinja2
import numpy as np


def _web_link(address: str | None) -> str | None:
    """``address`` if it leads to the web and nowhere else."""
    return address if address is not None and urlsplit(address).scheme in ("http", "https") else None


def _host(address: str) -> str:
    return urlsplit(address).netloc


def _score(value: float) -> str:
    return f"{value:.3f}"


def _number(value: float) -> str:
    """``value`` as a whole number if it is one, else with one decimal or, below 10, three; an em dash for none."""
    if np.isnan(value):
        return "—"
    decimals = 0 if float(value).is_integer() else 1 if abs(value) >= 10 else 3
    return f"{value:,.{decimals}f}"


#: Everything they are given is escaped; a name that they are not given is an error.
TEMPLATES = jinja2.Environment(
    loader=jinja2.PackageLoader("procgen_bench.leaderboards", "templates"),
    autoescape=True,
    undefined=jinja2.StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
TEMPLATES.filters |= {"web_link": _web_link, "host": _host, "score": _score, "number": _number}

"""The templates of the results page and what they are given to write numbers and addresses with."""

import hashlib
import re
from pathlib import Path
from urllib.parse import urlsplit

import jinja2
import numpy as np

from procgen_bench.core.version import __version__

#: Characters of a method's name that its page's folder has.
_LONGEST_FOLDER = 64


def _web_link(address: str | None) -> str | None:
    """``address`` if it leads to the web and nowhere else."""
    return address if address is not None and urlsplit(address).scheme in ("http", "https") else None


def _host(address: str) -> str:
    return urlsplit(address).netloc


def _score(value: float) -> str:
    return f"{value:.3f}"


def _gap(difference: float) -> str:
    """With its sign, as printers set it."""
    return f"{difference:+.3f}".replace("-", "\N{MINUS SIGN}")


def _number(value: float) -> str:
    """``value`` as a whole number if it is one, else with one decimal or, below 10, three; an em dash for none."""
    if np.isnan(value):
        return "—"
    decimals = 0 if float(value).is_integer() else 1 if abs(value) >= 10 else 3
    return f"{value:,.{decimals}f}"


def method_folder(method: str) -> str:
    """Where a site has a method's page: names that differ in case alone have one, all others one of their own."""
    name = method.casefold()
    plain = re.sub(r"[^a-z0-9]+", "-", name).strip("-")
    if plain == name and len(plain) <= _LONGEST_FOLDER:
        return f"methods/{plain}"
    # No plain name holds a dot.
    return f"methods/{plain[:_LONGEST_FOLDER] or 'method'}.{hashlib.sha256(name.encode()).hexdigest()[:16]}"


#: Where the templates, and the other files of the pages, are.
LOADER = jinja2.PackageLoader("procgen_bench.leaderboards.site", "templates")
#: Everything they are given is escaped; a name that they are not given is an error.
TEMPLATES = jinja2.Environment(
    loader=LOADER,
    autoescape=True,
    undefined=jinja2.StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
TEMPLATES.filters |= {
    "web_link": _web_link,
    "host": _host,
    "score": _score,
    "number": _number,
    "gap": _gap,
    "method_folder": method_folder,
}


def write_page(path: Path, template: str, site: Path, **content) -> None:
    """Write a page of the site in the folder ``site``, whose links begin at the site's root."""
    root = "../" * len(path.parent.relative_to(site).parts)
    path.write_text(TEMPLATES.get_template(template).render(root=root, version=__version__, **content), "utf-8")

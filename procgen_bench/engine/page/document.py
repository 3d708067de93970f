"""A self-contained HTML document whose security policy admits its own script alone."""

import base64
import hashlib
import importlib.resources
from functools import lru_cache

from markupsafe import Markup

_POLICY = Markup('<meta http-equiv="Content-Security-Policy" content="{policy}">\n')
_DOCUMENT = Markup("""\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
{policy}<meta name="viewport" content="width={viewport}">
<meta name="color-scheme" content="{scheme}">
<link rel="icon" href="data:,">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
{body}
<script>{script}</script>
</body>
</html>
""")


def html_document(
    title: str,
    viewport: int | str,
    style: Markup,
    script: Markup,
    body: Markup,
    sources: str = "",
    guarded: bool = True,
    scheme: str = "light",
) -> str:
    """A document of this body.

    Args:
        title: Its title.
        viewport: The width that it is made for, in pixels, or ``"device-width"``.
        style: Its style sheet.
        script: Its script; no other one runs.
        body: What it shows.
        sources: What its security policy allows besides, each directive with a semicolon and a blank behind it.
        guarded: Whether it states its security policy itself; not where its page has one already.
        scheme: Its colour schemes: ``"light"`` or ``"light dark"``.
    """
    policy = (
        f"default-src 'none'; script-src {_digest(script)}; style-src 'unsafe-inline'; img-src data:; {sources}"
        "base-uri 'none'; form-action 'none'"
    )
    stated = _POLICY.format(policy=policy) if guarded else ""
    return str(
        _DOCUMENT.format(
            policy=stated, viewport=viewport, scheme=scheme, title=title, style=style, body=body, script=script
        )
    )


def person_document(
    package: str,
    name: str,
    title: str,
    body: Markup,
    sources: str = "",
    scheme: str = "light",
    parts: tuple[str, ...] = (),
    shared: tuple[str, ...] = (),
) -> str:
    """A document that a person uses, whose script posts reports to the program that serves it.

    Args:
        package: The package that holds its style sheet and its script ...
        name: ... as ``NAME.css`` and ``NAME.js``; what all such documents share comes before them.
        title, body, scheme: As in :func:`html_document`.
        sources: As in :func:`html_document`; to post reports is allowed already.
        parts: Further scripts of the package, ``PART.js``, which come before its own.
        shared: Files of this folder that some documents share: they come before those of the package.
    """
    here, own = importlib.resources.files(__package__), importlib.resources.files(package)
    dark = ("dark.css",) if "dark" in scheme else ()
    common = [here / file for file in ("page.css", *dark, "report.js", *shared)]
    files = [*common, *(own / f"{stem}.js" for stem in parts), own / f"{name}.css", own / f"{name}.js"]
    style, script = (
        "".join(file.read_text("utf-8") for file in files if file.name.endswith(e)) for e in (".css", ".js")
    )
    sources = f"connect-src 'self'; {sources}"
    return html_document(title, "device-width", Markup(style), Markup(script), body, sources, scheme=scheme)


@lru_cache(maxsize=4)
def _digest(script: str) -> str:
    """What a security policy calls a script by."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"

"""What the page's documents have in common: a self-contained HTML document whose policy admits its own script alone."""

import base64
import hashlib
from functools import lru_cache

from markupsafe import Markup

_POLICY = Markup('<meta http-equiv="Content-Security-Policy" content="{policy}">\n')
_DOCUMENT = Markup("""\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
{policy}<meta name="viewport" content="width={viewport}">
<meta name="color-scheme" content="light">
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
    """
    policy = (
        f"default-src 'none'; script-src {_digest(script)}; style-src 'unsafe-inline'; img-src data:; {sources}"
        "base-uri 'none'; form-action 'none'"
    )
    stated = _POLICY.format(policy=policy) if guarded else ""
    return str(_DOCUMENT.format(policy=stated, viewport=viewport, title=title, style=style, body=body, script=script))


@lru_cache(maxsize=4)
def _digest(script: str) -> str:
    """What a security policy calls a script by."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"

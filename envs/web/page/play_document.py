"""What a person plays in: one HTML document with the instruction, how it goes, and a frame for the site."""

from functools import cache

from markupsafe import Markup

from procgen_bench.engine.page import person_document
from procgen_bench.tasks.sites.templates import PAGE_WIDTH

_BODY = Markup("""\
<div class="panel">
<header>
<h1>Fill in the site</h1>
<p id="what"></p>
</header>
<section class="instruction" aria-label="Instruction">
<dl id="instruction"></dl>
<p class="hint">Put each value where it belongs, then send the site off.</p>
</section>
<section id="score" aria-label="How it goes">
<div><span>Reward so far</span><output id="return"></output></div>
<div><span>Last step</span><output id="reward"></output></div>
<div><span>Steps</span><output id="steps"></output></div>
</section>
<p id="remark" role="status"></p>
<section id="end" aria-live="assertive" hidden>
<h2 id="outcome"></h2>
<p id="account"></p>
</section>
<nav aria-label="Play">
<button type="button" data-command="r">Start again</button>
<button type="button" data-command="n">New task</button>
<button type="button" data-command="q">Finish</button>
</nav>
</div>
<iframe id="site" title="The site" width="{width}" sandbox="allow-scripts allow-same-origin allow-forms"></iframe>""")
_SCROLL_BAR = 16


@cache
def play_document() -> str:
    """The document. Its script posts what a person does to ``report``, and shows what comes back (see ``play.js``)."""
    body = _BODY.format(width=PAGE_WIDTH + _SCROLL_BAR)
    return person_document(__package__, "play", "GMiniWoB", body, "frame-src 'self'; ")

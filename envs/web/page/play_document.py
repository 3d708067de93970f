"""What a person plays in: one HTML document with the instruction, how it goes, and a frame for the site."""

from collections.abc import Mapping

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
{commands}
</nav>
</div>
<iframe id="site" title="The site" width="{width}" sandbox="allow-scripts allow-same-origin allow-forms"></iframe>""")
_COMMAND = Markup('<button type="button" data-command="{key}">{label}</button>')
_SCROLL_BAR = 16


def play_document(commands: Mapping[str, str]) -> str:
    """The document. Its script posts what a person does to ``report``, and shows what comes back (see ``play.js``).

    Args:
        commands: By key what the buttons say that stand for the game's keys.
    """
    buttons = Markup("\n").join(_COMMAND.format(key=key, label=label) for key, label in commands.items())
    body = _BODY.format(width=PAGE_WIDTH + _SCROLL_BAR, commands=buttons)
    return person_document(__package__, "play", "GMiniWoB", body, "frame-src 'self'; ", shared=("play.css",))

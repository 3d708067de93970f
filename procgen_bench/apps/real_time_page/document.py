"""What a person plays in, in real time: one HTML document with the picture, what there is to say, and the keys."""

from collections.abc import Iterable

from markupsafe import Markup

from procgen_bench.apps.game import NEW_TASK, QUIT, RESTART
from procgen_bench.apps.in_browser import COMMAND_LABELS
from procgen_bench.apps.in_real_time import NEXT_VIEW, RealTimeGame
from procgen_bench.engine.page import person_document

_BODY = Markup("""\
<div class="panel">
<header>
<h1>Play in real time</h1>
<p id="what"></p>
</header>
<section id="description" aria-label="Goals and state"></section>
<section id="score" aria-label="How it goes">
<div><span>Reward so far</span><output id="return" aria-live="off"></output></div>
<div><span>Last step</span><output id="reward" aria-live="off"></output></div>
<div><span>Steps</span><output id="steps" aria-live="off"></output></div>
</section>
<p id="remark" role="status">Waiting for the first picture…</p>
<button type="button" id="take" hidden>Play here</button>
<section id="end" aria-live="assertive" hidden>
<h2 id="outcome"></h2>
<p id="account"></p>
</section>
<nav aria-label="Play">
{commands}
</nav>
<dl id="keys" aria-label="Keys">
{keys}
</dl>
<p class="hint" id="leave">Shift and tab together go from the picture to the buttons.</p>
</div>
<main>
<div id="game" tabindex="0" role="application" aria-label="The game" aria-describedby="remark keys leave">
<img id="picture" alt="">
</div>
<div id="touch" role="group" aria-label="Keys of the game">
{touch}
</div>
</main>""")
_KEY = Markup("<div><dt>{key}</dt><dd>{does}</dd></div>")
_COMMAND = Markup('<button type="button" data-command="{key}">{label}</button>')
_TOUCH = Markup('<button type="button" tabindex="-1" data-key="{key}" aria-label="{key}">{sign}</button>')
_ARROWS = {"left": "\u2190", "up": "\u2191", "right": "\u2192", "down": "\u2193"}


def real_time_document(live: RealTimeGame) -> str:
    """The document. Its script posts the keys that change to ``report``, and asks for what is shown (see
    ``real_time.js``)."""
    labels = {key: COMMAND_LABELS[key] for key in (RESTART, NEW_TASK)}
    if len(live.controls.views) > 1:
        labels[NEXT_VIEW] = "Next view"
    labels[QUIT[0]] = COMMAND_LABELS[QUIT[0]]
    body = _BODY.format(
        touch=_joined(_TOUCH.format(key=key, sign=_ARROWS.get(key, key)) for key in live.controls.touch_keys),
        commands=_joined(_COMMAND.format(key=key, label=label) for key, label in labels.items()),
        keys=_joined(_KEY.format(key=key, does=does) for key, does in _described(live.keys())),
    )
    title, shared = f"procgen-bench: {live.game.spec.id}", ("play.css", "held_keys.js")
    return person_document(__package__, "real_time", title, body, scheme="light dark", shared=shared)


def _joined(parts: Iterable[Markup]) -> Markup:
    return Markup("\n").join(parts)


def _described(lines: tuple[str, ...]) -> list[tuple[str, str]]:
    """Keys, and what they do; a line has three blanks between one and the next."""
    pairs = (part.partition(": ") for line in lines for part in line.split("   "))
    return [(key, does) for key, _, does in pairs]

"""What a person draws on: one HTML document with the level, what it is drawn with, and what can be done."""

from markupsafe import Markup

from procgen_bench.apps.editor.boards import Board
from procgen_bench.apps.editor.playing import Play, RealTimePlay
from procgen_bench.engine.page import person_document

_BODY = Markup("""\
<main>
<header>
<h1>Level editor</h1>
<p>{environment_id}</p>
</header>
{stage}
<p id="place"></p>
<p id="note"></p>
</main>
<div class="panel">
<div role="toolbar" aria-label="Level">
<button type="button" id="undo" title="Ctrl+Z">Undo</button>
<button type="button" id="redo" title="Ctrl+Y">Redo</button>
<button type="button" id="clear">Clear</button>
<button type="button" id="prove">Prove</button>
<button type="button" id="play">Play</button>
<button type="button" id="save" title="{file}">Save</button>
<button type="button" id="load">Load</button>
<button type="button" id="finish">Finish</button>
</div>
<input type="file" id="file" accept=".json" aria-label="File to load" hidden>
<p id="message" role="status"></p>
<p class="hint" id="keys" data-fps="{fps}" hidden>{keys}</p>
<div id="tools">
<p class="hint">{hint}</p>
{panel}
<div id="settings"></div>
</div>
</div>
<div id="theatre" hidden>
<button type="button" id="leave">Back to drawing</button>
<iframe id="player" title="The level, played"></iframe>
</div>""")


def editor_document(board: Board, play: Play, environment_id: str, file: str) -> str:
    """The document. Its script posts what a person does to ``report``, and shows what comes back (see ``editor.js``).

    Args:
        board: What the level is drawn on.
        play: How it is played.
        environment_id: What it is a level of.
        file: Where the level is saved.
    """
    body = _BODY.format(
        environment_id=environment_id,
        stage=board.stage(),
        panel=board.panel(),
        hint=board.editor.hint,
        file=f"to {file}",
        keys=play.hint,
        fps=play.fps if isinstance(play, RealTimePlay) else "",
    )
    parts = board.script, play.script
    sources, scheme, shared = "frame-src 'self'; ", "light dark", ("held_keys.js",)
    return person_document(__package__, "editor", "Level editor", body, sources, scheme, parts, shared)

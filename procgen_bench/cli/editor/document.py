"""What a person draws on: one HTML document with the environment's picture, brushes, and what can be done."""

from typing import TYPE_CHECKING

from markupsafe import Markup

from procgen_bench.engine.page import person_document

if TYPE_CHECKING:
    from procgen_bench.engine.level_editor import LevelEditor

_BODY = Markup("""\
<main>
<header>
<h1>Level editor</h1>
<p>{environment_id}</p>
</header>
<div id="board" style="--width: {width}; --height: {height}">
<img id="picture" alt="The level">
<div id="places" role="grid" aria-label="Level" data-columns="{columns}" data-rows="{rows}"></div>
</div>
<p id="place"></p>
</main>
<div class="panel">
<fieldset id="brushes">
<legend>Draw</legend>
{brushes}
</fieldset>
<p class="hint">{hint} Draw with the mouse, or with the arrow keys and the space bar; digits choose what.</p>
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
<p class="hint" id="keys" hidden>Play with {keys} or the arrow keys; r begins again, Escape goes back to drawing.</p>
</div>""")
_BRUSH = Markup("""\
<label><input type="radio" name="brush" value="{index}"{checked}> {name} <kbd>{key}</kbd></label>""")


def editor_document(editor: "LevelEditor", environment_id: str, keys: str, file: str) -> str:
    """The document. Its script posts what a person does to ``report``, and shows what comes back (see ``editor.js``).

    Args:
        editor: What levels are made of.
        environment_id: What they are levels of.
        keys: The environment's own keys, for people who play.
        file: Where the level is saved.
    """
    brushes = [
        _BRUSH.format(index=index, name=name, key=index + 1, checked=Markup("" if index else " checked"))
        for index, name in enumerate(editor.brushes)
    ]
    body = _BODY.format(
        environment_id=environment_id,
        width=editor.width,
        height=editor.height,
        columns=" ".join(map(str, editor.columns)),
        rows=" ".join(map(str, editor.rows)),
        brushes=Markup("\n").join(brushes),
        hint=editor.hint,
        file=f"to {file}",
        keys=keys,
    )
    return person_document(__package__, "editor", "Level editor", body, scheme="light dark")

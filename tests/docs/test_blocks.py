"""What the documentation has people type: code runs, commands are ones that there are, links lead somewhere."""

import ast
import builtins
import re
import shlex
import warnings

import pytest
import typer

from procgen_bench.baselines.method_table import METHODS
from procgen_bench.cli import app
from procgen_bench.core.benchmarks import BENCHMARKS, EXERCISES
from procgen_bench.core.registrations import ENVIRONMENT_IDS
from tests.architecture.checkout import CHECKOUT
from tests.docs.blocks import PAGES, Block, blocks_of, commands_in_words

COMMANDS = sorted({command for page in PAGES for block in blocks_of(page) for command in block.commands})
IN_WORDS = sorted({command for page in PAGES for command in commands_in_words(page)})
#: Numbers of two digits or in words from eleven on.
COUNT = r"\d\d+|eleven|twelve|\w+teen|(twenty|thirty|forty)(-\w+)?"
TRACKS = {name.partition("/")[0] for name in BENCHMARKS}
LINK = re.compile(r"\]\(([^)\s]+)\)|src=\"([^\"]+)\"")
#: Pages of the site alone, by the folders that its build writes.
GENERATED = {
    "environments": ENVIRONMENT_IDS,
    "methods": METHODS,
    "": ("rows", "contributing", "security", "own_method"),
}
NAMES = {page: str(page.relative_to(CHECKOUT)) for page in PAGES}
WITH_CODE = [page for page in PAGES if any(block.language == "python" for block in blocks_of(page))]


def run_code(block: Block, names: dict) -> None:
    line = block.page.read_text().partition(block.text)[0].count("\n")
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        exec(compile("\n" * line + block.text, str(block.page), "exec"), names)


@pytest.mark.parametrize("page", WITH_CODE, ids=NAMES.get)
def test_code_runs(page, tmp_path, monkeypatch):
    """A page's blocks in order, with one set of names, as a reader would paste them."""
    monkeypatch.chdir(tmp_path)
    names: dict = {}
    for block in blocks_of(page):
        if block.language == "python" and block.is_run and not block.is_slow:
            run_code(block, names)


@pytest.mark.parametrize("command", [*COMMANDS, *IN_WORDS])
def test_commands_are_ones_that_there_are(command):
    """Every subcommand, option and benchmark of every command exists."""
    words = shlex.split(command)[1:]
    if any(word.startswith("own-") for word in words):
        return  # of the example's package, whose tests run them
    found = typer.main.get_command(app)
    context = found.make_context("procgen-bench", [], resilient_parsing=True)
    while words and hasattr(found, "commands"):
        name, *words = words
        found = found.get_command(context, name)
        assert found is not None, f"no command {name!r}"
    found.make_parser(context).parse_args(list(words))
    for word in words:
        assert word.partition("/")[0] not in TRACKS or "/" not in word or word in {*BENCHMARKS, *EXERCISES}, word


@pytest.mark.parametrize("page", PAGES, ids=NAMES.get)
def test_links_lead_somewhere(page):
    """Files that pages link are there, and tests that blocks name."""
    generated = {
        CHECKOUT / "docs/generated" / folder / f"{name}.md" for folder, names in GENERATED.items() for name in names
    }
    for link in (first or second for first, second in LINK.findall(page.read_text())):
        path = link.partition("#")[0]
        if path and not path.startswith(("http://", "https://")):
            target = (page.parent / path).resolve()
            assert target in generated or target.exists(), link
    for block in blocks_of(page):
        if block.note.startswith("tested by "):
            assert (CHECKOUT / block.note.removeprefix("tested by ")).exists(), block.note


def imported_names(block: Block) -> set[str]:
    """What a block imports of this package, by full names."""
    found = set()
    for node in ast.walk(ast.parse(block.text)):
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {f"{node.module}.{one.name}" for one in node.names}
        elif isinstance(node, ast.Import):
            found |= {one.name for one in node.names}
    return {name for name in found if name.startswith("procgen_bench.")}


@pytest.mark.parametrize("page", WITH_CODE, ids=NAMES.get)
def test_pages_import_only_promised_names(page):
    """What is shown to readers is in docs/api.md, the stable interface."""
    promised = set(re.findall(r":: (procgen_bench\.[\w.]+)", (CHECKOUT / "docs/api.md").read_text()))
    shown = set().union(*(imported_names(block) for block in blocks_of(page) if block.language == "python"))
    assert shown <= promised


@pytest.mark.parametrize("page", WITH_CODE, ids=NAMES.get)
def test_the_first_snippet_imports_what_it_uses(page):
    """Snippets stand alone, or go on with the names of the page's earlier ones; no name comes from nowhere."""
    known = set(dir(builtins)) | {"__name__"}
    for block in (block for block in blocks_of(page) if block.language == "python"):
        tree = ast.parse(block.text)
        bound = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        bound |= {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)}
        bound |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
        bound |= {
            (one.asname or one.name).partition(".")[0]
            for node in ast.walk(tree)
            if isinstance(node, ast.Import | ast.ImportFrom)
            for one in node.names
        }
        used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
        assert used <= known | bound, block.text
        known |= bound


def test_no_page_counts_what_grows():
    """Numbers of teachers, methods and the like stand in no sentence: the catalogue's pages list them."""
    for page in [*PAGES, CHECKOUT / "CHANGELOG.md"]:
        assert not re.search(rf"({COUNT})[ -](teachers|methods)\b", page.read_text()), page


def test_readme_is_short():
    assert len((CHECKOUT / "README.md").read_bytes()) <= 8_500


@pytest.mark.parametrize("name", ["index", "teachers", "code", "alphanpi-x"])
def test_results_are_said_in_short_points(name):
    """A bullet has at most forty words; what takes more is a table or a paragraph."""
    text = re.sub(r"```.*?```|<!--.*?-->", "", (CHECKOUT / f"docs/results/{name}.md").read_text(), flags=re.DOTALL)
    bullets = re.findall(r"^- (.*(?:\n  .*)*)", text, flags=re.MULTILINE)
    assert [bullet for bullet in bullets if len(bullet.split()) > 40] == []

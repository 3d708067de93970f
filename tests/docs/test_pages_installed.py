"""Every page as a stranger follows it: the wheel, the extras that the page names, an empty folder, another user."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from tests.architecture.checkout import CHECKOUT
from tests.architecture.installing import run
from tests.docs.blocks import PAGES, Block, blocks_of, extras_of
from tests.installed import MISSING

NAMES = {page: str(page.relative_to(CHECKOUT)) for page in PAGES}
FOLLOWED = [
    page
    for page in PAGES
    if any(block.is_run and (block.language == "python" or block.is_slow) for block in blocks_of(page))
    and not set(extras_of(page)) & set(MISSING)
]
#: Where pages have readers start who need a clone.
IN_EXAMPLES = "in a clone's folder `examples`"
#: Commands that wait for a person.
_INTERACTIVE = ("play", "edit")
_NOBODY = 65534

#: Runs a page's steps in order, with one set of names: code, commands, and files to write.
FOLLOW = """
import json, subprocess, sys, warnings
sys.path.insert(0, "")
warnings.simplefilter("default")
names = {"__name__": "__main__"}
for kind, text, name in json.load(open(sys.argv[1])):
    if kind == "file":
        open(name, "w").write(text)
    elif kind == "code":
        exec(compile(text, name, "exec"), names)
    else:
        subprocess.run(text, shell=True, check=True)
"""


def steps_of(page: Path) -> list[tuple[str, str, str]]:
    """What a reader does, in order: (kind, text, name)."""
    steps = []
    for number, block in enumerate(block for block in blocks_of(page) if block.is_run):
        if block.file:
            steps.append(("file", block.text, block.file))
        elif block.language == "python":
            steps.append(("code", block.text, f"{NAMES[page]}, block {number}"))
        elif block.is_slow:
            steps += [("command", command, "") for command in commands_of(block)]
    return steps


def commands_of(block: Block) -> list[str]:
    """A block's commands that end by themselves; runs are trained for the steps that its comment says."""
    found = [command for command in block.commands if command.split()[1] not in _INTERACTIVE]
    if not block.steps:
        return found
    return [f"{command} --steps {block.steps}" if command.split()[1] == "train" else command for command in found]


@pytest.fixture(scope="module")
def ground():
    """A folder that every user can enter."""
    folder = Path(tempfile.mkdtemp(prefix="pages-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def interpreter(ground):
    """This Python where every user can start it: a user's own lies in a closed folder, and is linked file by file."""
    program = Path(sys.base_prefix) / "bin" / f"python{sys.version_info.major}.{sys.version_info.minor}"
    if os.geteuid() != 0 or all(parent.stat().st_mode & 0o001 for parent in Path(program.resolve()).parents):
        return program
    shutil.copytree(sys.base_prefix, ground / "python", symlinks=True, copy_function=os.link)
    return ground / "python" / "bin" / program.name


@pytest.fixture(scope="module")
def environments(ground, interpreter, wheel):
    """Extras -> the environment in which the wheel is installed with them, made when it is first asked for."""
    made: dict[tuple[str, ...], Path] = {}

    def with_extras(extras: tuple[str, ...]) -> Path:
        if extras not in made:
            folder = made[extras] = ground / "-".join(("environment", *extras))
            run(interpreter, "-m", "venv", "--without-pip", folder, cwd=ground)
            constraints = CHECKOUT / "constraints.txt"
            (torch,) = re.findall(r"^torch==(.*)$", constraints.read_text(), re.MULTILINE)
            pip = (sys.executable, "-m", "pip", "--python", folder / "bin" / "python", "install", "--quiet")
            needed = [f"{wheel}[{','.join(extras)}]" if extras else wheel]
            if "baselines" in extras:  # as the Makefile does
                needed.append(f"torch=={torch}+cpu")
            run(*pip, "--no-compile", "--constraint", constraints, *needed, cwd=ground)
        return made[extras]

    return with_extras


@pytest.mark.slow
@pytest.mark.parametrize("page", FOLLOWED, ids=NAMES.get)
def test_page_works_with_what_it_says_that_it_needs(page, environments, ground):
    environment = environments(extras_of(page))
    reader = ground / NAMES[page].replace("/", "-").removesuffix(".md")
    folder, home = reader / "here", reader / "home"
    home.mkdir(parents=True)
    if IN_EXAMPLES in page.read_text():
        shutil.copytree(CHECKOUT / "examples", folder)
    else:
        folder.mkdir()
    if "my-fragments" in page.read_text():
        (folder / "my-fragments").mkdir()
        for name in ("alert.html", "aria_checkbox.html"):
            shutil.copy(CHECKOUT / "tests/envs/web/fragments" / name, folder / "my-fragments")
    (reader / "steps.json").write_text(json.dumps(steps_of(page)))
    (reader / "follow.py").write_text(FOLLOW)
    begun = time.perf_counter()
    done = as_another_user(
        [environment / "bin" / "python", reader / "follow.py", reader / "steps.json"], folder, home, environment
    )
    print(f"{NAMES[page]}: {time.perf_counter() - begun:.0f} s with the extras {', '.join(extras_of(page)) or 'none'}")
    assert done.returncode == 0, f"{done.stdout[-3000:]}\n{done.stderr[-3000:]}"


def as_another_user(command: list, folder: Path, home: Path, environment: Path) -> subprocess.CompletedProcess:
    """Run a command in a folder that its user may write to, with this home and little else; root lends nobody."""
    user = {"user": _NOBODY, "group": _NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}
    for path in (folder, home, *folder.rglob("*")) if user else ():
        os.chown(path, _NOBODY, _NOBODY)
    variables = {"HOME": str(home), "PATH": f"{environment / 'bin'}:{os.environ['PATH']}", "LANG": "C.UTF-8"}
    kept = {name: os.environ[name] for name in ("PROCGEN_BENCH_CHROMIUM", "MUJOCO_GL") if name in os.environ}
    return subprocess.run(
        [str(part) for part in command], cwd=folder, env=variables | kept, capture_output=True, text=True, **user
    )

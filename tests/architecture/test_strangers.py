"""What strangers need to help: continuous integration, hooks, images, and a guide that is read to its end."""

import re

import yaml

from tests.architecture.checkout import CHECKOUT, LINKED_PACKAGES, SETUP


def workflow(name: str) -> dict:
    return yaml.safe_load((CHECKOUT / ".github/workflows" / name).read_text())


def test_tests_run_on_every_python_that_the_package_names():
    job = workflow("ci.yml")["jobs"]["test"]
    named = re.findall(r"Python :: (3\.\d+)", SETUP["metadata"]["classifiers"])
    assert job["strategy"]["matrix"]["python"] == named
    last = int(named[-1].partition(".")[2])
    assert SETUP["options"]["python_requires"] == f">={named[0]},<3.{last + 1}", "tested at both ends"
    commands = [step.get("run") for step in job["steps"]]
    assert {"make test", "make lint", "make docs"} <= set(commands)


def test_continuous_integration_needs_no_owner():
    text = (CHECKOUT / ".github/workflows/ci.yml").read_text()
    assert "secrets." not in text and workflow("ci.yml")["permissions"] == {"contents": "read"}


def test_actions_are_named_by_commit():
    for path in (CHECKOUT / ".github/workflows").iterdir():
        used = re.findall(r"uses: (\S+)", path.read_text())
        assert used and all(re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", action) for action in used), path


def test_hooks_look_at_links():
    repositories = yaml.safe_load((CHECKOUT / ".pre-commit-config.yaml").read_text())["repos"]
    hooks = {hook["id"] for repository in repositories for hook in repository["hooks"]}
    assert {"check-symlinks", "destroyed-symlinks", "ruff-check", "ruff-format"} <= hooks
    assert all((CHECKOUT / "procgen_bench" / name).is_symlink() for name in LINKED_PACKAGES)


def test_the_guide_for_contributors_is_short():
    assert len((CHECKOUT / "CONTRIBUTING.md").read_bytes()) <= 5_000


def test_a_change_of_code_installs_no_torch_again():
    text = (CHECKOUT / "Dockerfile").read_text()
    steps = [text.index(step) for step in ("COPY constraints.txt", "grep '^torch=='", "COPY . ", "--constraint")]
    assert steps == sorted(steps)


def test_both_images_hold_the_same():
    docker, apptainer = ((CHECKOUT / name).read_text() for name in ("Dockerfile", "apptainer.def"))
    for pattern in (r"EXTRAS=(.*)", r"--no-install-recommends (.*?)(?: \\)?$", r"^F(?:ROM|rom:) (.*)$"):
        found = [re.findall(pattern, text, re.MULTILINE) for text in (docker, apptainer)]
        assert found[0] == found[1] != [], pattern
    for name in ("procgen_bench", *LINKED_PACKAGES, "setup.cfg", "pyproject.toml", "README.md", "LICENSE"):
        assert f"    {name} /src/{name}\n" in apptainer and (CHECKOUT / name).exists()

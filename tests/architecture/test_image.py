"""The Dockerfile installs what there is: extras of the package, and the Debian packages of the Makefile."""

import re

from tests.architecture.checkout import CHECKOUT, SETUP

DOCKERFILE = (CHECKOUT / "Dockerfile").read_text()


def test_extras_are_those_of_the_package():
    (extras,) = re.findall(r"^ARG EXTRAS=(.*)$", DOCKERFILE, re.MULTILINE)
    assert set(extras.split(",")) < set(SETUP["options.extras_require"])


def test_what_is_drawn_with_is_what_the_tests_draw_with():
    (egl,) = re.findall(r"^EGL := (.*)$", (CHECKOUT / "Makefile").read_text(), re.MULTILINE)
    (installed,) = re.findall(r"--no-install-recommends (.*) \\$", DOCKERFILE, re.MULTILINE)
    assert set(egl.split()) | {"chromium-headless-shell"} == set(installed.split())


def test_who_runs_it_is_not_root():
    assert re.findall(r"^USER (.*)$", DOCKERFILE, re.MULTILINE)[-1] not in ("root", "0")

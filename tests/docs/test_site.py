"""The documentation's site: built without a warning, and read in a browser without network."""

import subprocess
import sys

import pytest

from tests.architecture.checkout import CHECKOUT
from tests.chromium import started_chromium

PAGES = (
    "index",
    "start",
    "environments",
    "generated/environments/GridWorld-v0",
    "methods",
    "curricula",
    "generated/methods/ppo",
    "results/sibling-rivalry",
    "generated/rows",
)
SIZES = {"desktop": (1280, 900), "phone": (390, 844)}

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Built from nothing; a link that leads nowhere is a warning, and a warning an error."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "--quiet", "--fail-on-warning", "--keep-going", "--fresh-env"]
    done = subprocess.run([*command, CHECKOUT / "docs", folder], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
def test_pages_need_no_network_and_fit(site, size, scheme):
    width, height = SIZES[size]
    with started_chromium() as browser:
        view = {"width": width, "height": height}
        page = browser.new_context(viewport=view, color_scheme=scheme, offline=True).new_page()
        requests, errors = [], []
        page.on("request", lambda request: requests.append(request.url))
        page.on("requestfailed", lambda request: errors.append(request.url))
        page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
        for name in PAGES:
            page.goto((site / f"{name}.html").as_uri())
            assert page.evaluate("document.documentElement.scrollWidth") <= width, name
            assert page.evaluate("[...document.images].every(image => image.naturalWidth > 0)"), name
        assert errors == [] and {url.partition(":")[0] for url in requests} <= {"file", "data"}


def test_code_is_copied_by_a_button(site):
    with started_chromium() as browser:
        context = browser.new_context(offline=True)
        page = context.new_page()
        page.goto((site / "start.html").as_uri())
        block = page.locator("div.highlight").first
        block.hover()
        block.locator("button.copy").click()
        assert block.locator("button.copy").inner_text() == "Copied"
        page.evaluate("document.body.append(Object.assign(document.createElement('textarea'), {id: 'pasted'}))")
        page.locator("#pasted").focus()
        page.keyboard.press("Control+V")
        assert page.locator("#pasted").input_value() == block.locator("pre").inner_text().rstrip()

"""README for a package index: no link and no picture needs the repository's files."""

import re

import pytest

from tests.architecture.checkout import CHECKOUT


@pytest.fixture
def absolute(monkeypatch):
    monkeypatch.syspath_prepend(CHECKOUT / "docs")
    from package_readme import absolute

    return absolute


def test_all_links_and_pictures_are_absolute(absolute):
    text = (CHECKOUT / "README.md").read_text("utf-8")
    found = absolute(text, "https://host/owner/name/")
    links = re.findall(r"\]\(([^)\s]+)\)|src=\"([^\"]+)\"", found)
    assert len(links) > 20 and all((link or picture).startswith("https://") for link, picture in links)
    assert "](https://host/owner/name/blob/main/docs/start.md)" in found
    assert 'src="https://host/owner/name/raw/main/docs/pictures/strip/grid_world.webp"' in found
    assert len(re.findall("https://host/", found)) == len(links) - len(re.findall(r"\]\(https?://", text))


def test_an_address_that_is_none_is_refused(absolute):
    with pytest.raises(SystemExit, match="the address is 'name', expected one like"):
        absolute("", "name")

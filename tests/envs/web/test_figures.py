"""The commands behind docs/web_sites.md tell what stands there."""

import pytest

from tests.envs.web.figures import print_sizes, print_success


@pytest.mark.slow
def test_pages_are_as_large_as_told(capsys):
    print_sizes()
    assert capsys.readouterr().out.split("\n")[-2] == ("shopping: 165 elements [95, 34, 36]; 28 of 48 end the episode")


@pytest.mark.slow
def test_success_is_as_told(capsys):
    print_success("site-matcher")
    output = capsys.readouterr().out
    assert "site-matcher varied: 0.000\n    login-1 0.000\n" in output and "site-matcher invented: 0.040\n" in output

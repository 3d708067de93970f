"""The five papers are cited alike where people look: the README, CITATION.cff and the BibTeX file."""

import re

import yaml

from tests.architecture.checkout import CHECKOUT

FIELD = re.compile(r"^\s*(\w+)\s*=\s*\{(.*)\},?$", re.MULTILINE)
ENTRIES = [
    dict(FIELD.findall(entry)) for entry in re.split(r"^@", (CHECKOUT / "docs/papers.bib").read_text(), flags=re.M)[1:]
]


def last_names(author: dict[str, str]) -> str:
    return author.get("name") or " ".join(filter(None, [author.get("name-particle"), author["family-names"]]))


def test_bibtex_has_the_five_papers():
    assert len({entry["url"] for entry in ENTRIES}) == len(ENTRIES) == 5
    for entry in ENTRIES:
        assert re.fullmatch(r"https://arxiv\.org/abs/\d{4}\.\d{5}", entry["url"]), entry["url"]


def test_citation_file_has_the_same():
    references = yaml.safe_load((CHECKOUT / "CITATION.cff").read_text())["references"]
    for entry, reference in zip(ENTRIES, references, strict=True):
        assert (reference["title"], reference["url"]) == (entry["title"], entry["url"])
        assert reference["year"] == int(entry["year"])
        authors = [author.strip("{}").partition(",")[0] for author in entry["author"].split(" and ")]
        assert list(map(last_names, reference["authors"])) == authors
        assert reference["identifiers"][0]["value"] == "arXiv:" + entry["url"].rpartition("/")[2]


def test_readme_links_them():
    readme = (CHECKOUT / "README.md").read_text()
    assert "## Papers\n" in readme and "(docs/papers.bib)" in readme
    for entry in ENTRIES:
        assert f"[{entry['title']}]({entry['url']})" in readme
    assert "(README.md#papers)" in (CHECKOUT / "CONTRIBUTING.md").read_text()

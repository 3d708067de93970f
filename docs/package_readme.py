"""README as a package index shows it: its links and pictures lead to the repository.

An index shows README without the files that it links. Where a release is built,
``python docs/package_readme.py https://HOST/OWNER/NAME`` rewrites README.md.
"""

import re
import sys
from pathlib import Path

README = Path(__file__).parents[1] / "README.md"
#: Pages of a repository's files, and the files themselves, below its address; both forms are GitHub's and Gitea's.
PAGES, FILES = "blob/main", "raw/main"
_LINK = re.compile(r"(?P<before>\]\()(?P<path>[^)\s]+)(?P<after>\))")
_PICTURE = re.compile(r"(?P<before><img src=\")(?P<path>[^\"]+)(?P<after>\")")


def absolute(text: str, address: str) -> str:
    """README's text with absolute links; those that are absolute, and those within README, stay.

    Args:
        text: README.
        address: Of the repository, ``https://HOST/OWNER/NAME``.

    Raises:
        SystemExit: The address is none.
    """
    if not re.fullmatch(r"https?://[^/\s]+/\S+", address):
        raise SystemExit(f"the address is {address!r}, expected one like https://HOST/OWNER/NAME")

    def led(place: str):
        def to(match: re.Match[str]) -> str:
            if match["path"].startswith(("http://", "https://", "#")):
                return match[0]
            return f"{match['before']}{address.rstrip('/')}/{place}/{match['path']}{match['after']}"

        return to

    return _PICTURE.sub(led(FILES), _LINK.sub(led(PAGES), text))


if __name__ == "__main__":
    README.write_text(absolute(README.read_text("utf-8"), *sys.argv[1:2]), "utf-8")

"""Pages of a site on disk, opened in a browser that is watched."""

from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import BrowserContext, Page

SMALL_TABLE, SMALL_ENTRY = "grid-world/target-a/index.html", "grid-world/target-a/null/index.html"


@dataclass
class Visit:
    """A page that was opened, and everything about it that must not happen."""

    page: Page
    complaints: list[str] = field(default_factory=list)


def visit(context: BrowserContext, path: Path) -> Visit:
    """Open a page; complaints are errors, warnings, dialogs, failed requests and requests that leave the site."""
    seen = Visit(context.new_page())
    seen.page.on("console", lambda message: seen.complaints.append(f"{message.type}: {message.text}"))
    seen.page.on("pageerror", lambda error: seen.complaints.append(f"error: {error}"))
    seen.page.on("requestfailed", lambda request: seen.complaints.append(f"failed: {request.url}"))

    def dismiss(dialog):
        seen.complaints.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def note(request):
        if not request.url.startswith("file://"):
            seen.complaints.append(f"request: {request.url}")

    seen.page.on("dialog", dismiss)
    seen.page.on("request", note)
    seen.page.goto(path.as_uri(), wait_until="load")
    return seen

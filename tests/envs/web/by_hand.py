"""A site in an ordinary browser, used by mouse and keyboard."""

import json

from playwright.sync_api import Browser

ADDRESS = "http://by-hand.invalid/"


class ByHand:
    """A page that shows one document, and notes whatever else it requests.

    Attributes:
        page: Playwright's page.
        requests: Addresses that were requested beside the document.
    """

    def __init__(self, browser: Browser):
        self.page = browser.new_page(viewport={"width": 900, "height": 2000})
        self.requests: list[str] = []
        self.page.route("**/*", self._serve)

    def show(self, document: str) -> None:
        self._document = document
        self.page.goto(ADDRESS)
        self.requests.clear()

    def report(self) -> list:
        """Number of the agent's actions, number of the page, whether the site was submitted, elements."""
        return json.loads(self.page.evaluate("site.observe()"))

    def middle(self, index: int) -> tuple[float, float]:
        """Of element ``index`` of the current page, in the window."""
        box = self.page.evaluate("document.querySelector('main:not([hidden])').getBoundingClientRect().toJSON()")
        left, top, width, height = self.report()[3][index][7]
        return box["left"] + left + width / 2, box["top"] + top + height / 2

    def click(self, index: int) -> None:
        self.page.mouse.click(*self.middle(index))

    def _serve(self, route) -> None:
        self.requests.append(route.request.url)
        if route.request.url == ADDRESS:
            route.fulfill(body=self._document, content_type="text/html; charset=utf-8")
        else:
            route.fulfill(body="")

"""A person at a site: types and clicks in a browser of their own, and reads what is said beside the site."""

import queue
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import gymnasium
from playwright.sync_api import Locator, Page, Request, Response, expect

from procgen_bench.apps.game import Game
from procgen_bench.apps.in_browser import play_in_browser
from procgen_bench.tasks.sites import PRIMITIVES

expect.set_options(timeout=20_000)  # milliseconds; on a busy machine, pages take their time

#: What opens with the page beside it, at which nothing is scrolled.
WINDOW = {"width": 1100, "height": 900}


class PlayedGame:
    """A game that is played in another thread, until its player finishes.

    Attributes:
        actions: What the environment was given.
        address: Where it is played.
        failure: The error that it ended by.

    Args:
        game: The game.
        play_game: Serves it.
    """

    def __init__(self, game: Game, play_game: Callable = play_in_browser):
        self.game, self.actions, self.failure = game, [], None
        act, addresses = game.act, queue.Queue()

        def noted(action) -> None:
            self.actions.append(action)
            act(action)

        def play() -> None:
            try:
                play_game(game, 0, addresses.put)
            except Exception as error:
                self.failure = error

        game.act = noted
        self._thread = threading.Thread(target=play, daemon=True)
        self._thread.start()
        self.address = addresses.get(timeout=30)

    def wait(self) -> None:
        """Wait for the end."""
        self._thread.join(timeout=30)
        assert not self._thread.is_alive()


class Person:
    """A person with a window at an address, who sees every complaint of the browser.

    Attributes:
        complaints: Errors and dialogs.
        num_begun: How often the page began to show an episode.
    """

    def __init__(self, page: Page, address: str):
        self.page, self.complaints, self.num_begun = page, [], 0
        page.on("request", self._note)
        page.on("console", lambda message: message.type == "error" and self.complaints.append(message.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("dialog", lambda dialog: self.complaints.append(dialog.message))
        page.goto(address)
        self.site = page.frame_locator("#site")
        expect(self.site.locator("main:visible")).to_have_count(1)

    def _note(self, request: Request) -> None:
        if request.url.endswith("/report"):
            self.num_begun += request.post_data_json["kind"] == "begin"

    def control(self, name: str) -> Locator:
        """The shown control of a primitive, by what the page calls it."""
        page, label = self.site.locator("main:visible"), PRIMITIVES[name].label
        return page.get_by_label(label, exact=True).or_(page.get_by_placeholder(label, exact=True))

    def fold(self) -> None:
        """Fold or unfold the menu."""
        self.site.get_by_role("button", name="Menu").click()

    def type(self, name: str, text: str) -> None:
        """Type in place of what is there; stay there."""
        self.control(name).click()
        self.page.keyboard.press("Control+A")
        self.page.keyboard.insert_text(text)

    def click(self, words: str) -> None:
        """Click at what has these words on it."""
        self.site.locator("main:visible").get_by_text(words, exact=True).click()

    @contextmanager
    def shown(self, steps: int) -> Iterator[None]:
        """Do something, and wait until the page that it led to, after so many steps, has been compared."""

        def compared(response: Response) -> bool:
            report = response.request.post_data_json if response.url.endswith("/report") else {}
            return report.get("kind") == "shown" and report["steps"] == steps

        with self.page.expect_response(compared):
            yield

    def press(self, button: str) -> None:
        """Press a button beside the site."""
        self.page.get_by_role("button", name=button, exact=True).click()

    def sees(self, **texts: str) -> None:
        """See texts beside the site, by their ids."""
        for name, text in texts.items():
            expect(self.page.locator(f"#{name}")).to_have_text(text)


def agents_return(actions: list, tasks=None, seed: int = 0, task=None) -> float:
    """What an agent earns by actions, where boxes and options act as a person's clicks do."""
    env = gymnasium.make("GMiniWoB-v0", tasks=tasks, widgets="literal")
    env.reset(seed=seed, options=None if task is None else {"task": task})
    return sum(env.step(action)[1] for action in actions)


def finish(person: Person, played: PlayedGame) -> None:
    """Finish the game; nothing has been complained of."""
    person.press("Finish")
    person.sees(outcome="Play has ended")
    played.wait()
    assert (played.failure, person.complaints) == (None, [])

"""What the rendering of all families shares: the window, and the warning for environments that do not render."""

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Any

import gymnasium
import numpy as np

from procgen_bench.core.errors import ProcgenBenchError

#: Frames are enlarged by the greatest whole factor that keeps them within this many pixels.
_COMFORTABLE_SIDE = 640
_CAPTION_FONT_SIZE, _CAPTION_LINE_HEIGHT, _CAPTION_MARGIN = 24, 24, 10
_CAPTION_COLOUR, _CAPTION_BACKGROUND = (236, 236, 240), (38, 40, 46)
_KEY_POLL_MILLISECONDS = 100
_MOUSE_BUTTONS = {1: "left mouse", 2: "middle mouse", 3: "right mouse"}


class NoDisplayError(ProcgenBenchError):
    """No window can be opened on this machine.

    Args:
        reason: Why.
        in_text: Whether what was to be shown can be played and rendered in text, too.
        in_browser: Whether it can be played in a browser, too.
    """

    def __init__(self, reason: str, in_text: bool, in_browser: bool):
        playing, rendering = ("play in the terminal with --text, or ", " or 'ansi'") if in_text else ("", "")
        playing += "play in your browser with --browser, or " if in_browser else ""
        super().__init__(
            f"no window can be opened ({reason}); {playing}make the environment with render_mode='rgb_array'{rendering}"
        )


class WrongPygameError(ProcgenBenchError):
    """Another package than pygame-ce is imported as ``pygame``: both lie in one folder, and who came last is there."""

    def __init__(self, found: ModuleType):
        version = getattr(getattr(found, "version", None), "ver", "of no version")
        super().__init__(
            f"pygame {version} lies over pygame-ce, whose windows and pictures are needed: "
            "pip uninstall --yes pygame pygame-ce && pip install pygame-ce"
        )


class Pace:
    """Lets a loop go round so many times in a second at most.

    Args:
        fps: So many.
    """

    def __init__(self, fps: float):
        self._fps, self._clock = fps, import_pygame().time.Clock()

    def wait(self) -> None:
        """Wait until the next round is due."""
        self._clock.tick(self._fps)


class Window:
    """A window that shows frames, enlarged and crisp, above lines of text.

    It opens with the first frame. Environments have a window each; none closes another's.

    Args:
        title: Text of the title bar.
        fps: Most frames shown in a second, ``show`` waits to keep it; ``None``: no wait.
        in_text: Whether what it shows can be had in text where no window opens.
        in_browser: Whether it can be played in a browser there.
    """

    def __init__(self, title: str, fps: float | None = None, in_text: bool = True, in_browser: bool = False):
        self._pygame = import_pygame()
        self._title = title
        self._pace = None if fps is None else Pace(fps)
        self._elsewhere = in_text, in_browser
        self._window: Any = None
        self._caption_font: Any = None

    def show(self, frame: np.ndarray, caption: Sequence[str] = ()) -> None:
        """Show ``frame`` (uint8 (height, width, 3)) with the lines of ``caption`` below it, wrapped to its width.

        Raises:
            NoDisplayError: The machine has no display.
        """
        pygame = self._pygame
        enlarged = _enlarged(frame)
        height, width = enlarged.shape[:2]
        room = width - 2 * _CAPTION_MARGIN
        caption = [part for line in caption for part in wrapped(line, lambda text: self._font().size(text)[0] <= room)]
        caption_height = len(caption) * _CAPTION_LINE_HEIGHT + 2 * _CAPTION_MARGIN if caption else 0
        surface = self._surface((width, height + caption_height))
        surface.fill(_CAPTION_BACKGROUND)
        surface.blit(pygame.surfarray.make_surface(enlarged.swapaxes(0, 1)), (0, 0))
        for line, text in enumerate(caption):
            place = (_CAPTION_MARGIN, height + _CAPTION_MARGIN + line * _CAPTION_LINE_HEIGHT)
            surface.blit(self._font().render(text, True, _CAPTION_COLOUR), place)
        self._window.flip()
        pygame.event.pump()
        if self._pace is not None:
            self._pace.wait()

    def wait(self, seconds: float) -> None:
        """Keep the window as it is for so many seconds."""
        self._pygame.time.wait(round(1000 * seconds))

    def wait_for_key(self) -> str:
        """The name of the next key pressed ("a", "left", "escape"); closing the window reads as "escape"."""
        pygame = self._pygame
        while True:
            # Waiting in short spells lets Ctrl-C in the terminal through.
            event = pygame.event.wait(_KEY_POLL_MILLISECONDS)
            if event.type in (pygame.QUIT, pygame.WINDOWCLOSE):
                return "escape"
            if event.type == pygame.KEYDOWN:
                return pygame.key.name(event.key)

    def key_changes(self) -> Iterator[tuple[str, bool]]:
        """The keys and mouse buttons that have gone down (``True``) or up since the last call, in their order; without
        waiting. Closing the window reads as "escape" going down."""
        pygame = self._pygame
        for event in pygame.event.get():
            if event.type in (pygame.QUIT, pygame.WINDOWCLOSE):
                yield "escape", True
            elif event.type in (pygame.KEYDOWN, pygame.KEYUP):
                yield pygame.key.name(event.key), event.type == pygame.KEYDOWN
            elif event.type in (pygame.MOUSEBUTTONDOWN, pygame.MOUSEBUTTONUP) and event.button in _MOUSE_BUTTONS:
                yield _MOUSE_BUTTONS[event.button], event.type == pygame.MOUSEBUTTONDOWN

    def close(self) -> None:
        """Close the window; again without effect."""
        if self._window is not None:
            self._window.destroy()
            self._window = None

    def _surface(self, size: tuple[int, int]):
        if self._window is None:
            self._window = self._opened(size)
        elif self._window.size != size:
            self._window.size = size
        return self._window.get_surface()

    def _opened(self, size: tuple[int, int]):
        driver_chosen = "SDL_VIDEODRIVER" in os.environ
        if not driver_chosen and sys.platform == "linux" and not os.environ.keys() & {"DISPLAY", "WAYLAND_DISPLAY"}:
            raise NoDisplayError("neither DISPLAY nor WAYLAND_DISPLAY is set", *self._elsewhere)
        try:
            self._pygame.display.init()
            window = self._pygame.Window(self._title, size)
        except self._pygame.error as error:
            raise NoDisplayError(str(error), *self._elsewhere) from None
        if not driver_chosen and self._pygame.display.get_driver() == "offscreen":  # SDL's silent last resort
            window.destroy()
            raise NoDisplayError("the display does not answer", *self._elsewhere)
        return window

    def _font(self):
        if self._caption_font is None:
            self._pygame.font.init()
            self._caption_font = self._pygame.font.Font(None, _CAPTION_FONT_SIZE)
        return self._caption_font


def wrapped(text: str, fits: Callable[[str], bool]) -> list[str]:
    """Lines that together are ``text``, broken at spaces so that each ``fits``; a word that does not has its own."""
    first, *words = text.split(" ")
    lines = [first]
    for word in words:
        if fits(f"{lines[-1]} {word}"):
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


def warn_of_no_render_mode(env: gymnasium.Env | gymnasium.vector.VectorEnv) -> None:
    """Warn, as Gymnasium's environments do, that ``render`` was called without a render mode."""
    made = f'gymnasium.make("{env.spec.id}", render_mode="rgb_array")' if env.spec else 'render_mode="rgb_array"'
    gymnasium.logger.warn(f"render was called without a render mode; give one when making the environment: {made}")


def _enlarged(frame: np.ndarray) -> np.ndarray:
    factor = max(1, _COMFORTABLE_SIDE // max(frame.shape[:2]))
    return frame.repeat(factor, axis=0).repeat(factor, axis=1)


def import_pygame() -> ModuleType:
    """pygame, without the greeting it prints; imported late because most runs open no window.

    Raises:
        WrongPygameError: It is not pygame-ce.
    """
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    import pygame

    if not getattr(pygame, "IS_CE", False):
        raise WrongPygameError(pygame)
    return pygame

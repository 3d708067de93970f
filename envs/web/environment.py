"""GMiniWoB-v0's environment."""

from collections.abc import Collection
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium import spaces

from procgen_bench.core.checks import check_choice
from procgen_bench.core.errors import InvalidActionError, InvalidOptionError, ResetNeededError
from procgen_bench.engine.action_rule import ActionRule
from procgen_bench.engine.native_env import NativeEnv
from procgen_bench.engine.task_env import check_running
from procgen_bench.envs.web import chromium
from procgen_bench.envs.web.controls import SiteControls
from procgen_bench.envs.web.dom_simulation import DomSimulation
from procgen_bench.envs.web.observations import MAX_FIELDS, by_mask, dom_text, observation_space
from procgen_bench.envs.web.page_handle import PageHandle
from procgen_bench.envs.web.rendering import draw_frame, draw_page
from procgen_bench.envs.web.rewards import PUBLISHED_REWARDS, SiteRewards
from procgen_bench.envs.web.site_arrays import OWN_TEXT
from procgen_bench.envs.web.site_rows import draw_task
from procgen_bench.envs.web.text_observations import PICTURE_HEIGHT, call_space, view_of
from procgen_bench.envs.web.word_rows import WordRows, refused_call
from procgen_bench.tasks.sites import PrimitiveLibrary, SiteTask, SiteTaskSpace
from procgen_bench.tasks.sites.library import PUBLISHED_LIBRARY
from procgen_bench.tasks.sites.pages import MAX_ELEMENTS

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from procgen_bench.envs.web.browser_simulation import BrowserSimulation

_ONE_ROW = np.ones(1, np.bool_)
BACKENDS, OBSERVATIONS, ACTIONS = ("dom", "browser"), ("arrays", "masked", "text", "pixels"), ("fields", "calls")
EVENTS, WIDGETS, MASKS = ("input", "script"), ("published", "literal"), ("usable", "present")


class GMiniWoBEnv(NativeEnv[SiteTask]):
    """Generated web sites to fill in from an instruction (gMiniWoB).

    ## Description
    The agent gets fields with values, for example ``firstname: Ada``, and sees the elements of a web page: their tags,
    texts, values and positions. It enters each value in the right place, moves from page to page, and submits the site.
    Sites are built from 40 primitives, such as text inputs, options, menus, carousels and carts: 24 of them are
    active and ask for a field, the others only distract or lead to another page. The source is "Environment Generation
    for Zero-Shot Compositional Reinforcement Learning" (Gur et al., 2021), sections 3 and 6 and appendices A.1 and A.11
    (which counts 26 active primitives, and lists 24). Markup, styles and texts are our own.

    There are two backends, in lockstep. With ``"browser"`` Chromium shows the page and receives the actions as real
    mouse and keyboard events; no request leaves it. ``"dom"``, the default, keeps the same elements in arrays.

    A task is a design, the primitives of 1 to 10 pages, and a profile, the values
    (:class:`procgen_bench.tasks.sites.SiteTaskSpace`). Suites: ``test`` (login, address, payment, flight and shopping
    at 4 levels each, and MiniWoB's enter-password, enter-text and enter-text-dynamic, with 20 profiles each),
    ``random`` (500 designs), ``varied`` (the five sites with held-out words, in any order; ``ordered`` has the same
    sites in the published order, ``pictures`` a visible label at every input), and ``invented``
    (150 designs of held-out invented primitives).

    ## Action Space
    ``MultiDiscrete([250, 25])``: an element of the current page and a field of the instruction.

    | element           | effect                                                                           |
    |-------------------|----------------------------------------------------------------------------------|
    | text input        | the field's value replaces its text                                              |
    | drop-down list    | the option equal to the field's value is selected; if it was selected already,   |
    |                   | the list only counts as visited; without such an option nothing happens          |
    | number input      | the field's value replaces its number; a value that is no number empties it      |
    | check box         | if the field's value is ``"true"`` (``"false"`` for a box that is checked at     |
    |                   | first), the box is toggled; otherwise it only counts as visited                  |
    | radio button      | the button of its group that is the field's value is selected; without such a    |
    |                   | button nothing happens                                                           |
    | button            | unfolds or folds the menu, opens the next page, or, on the last page, submits    |
    |                   | the site; the submit button does nothing on other pages                          |
    | link, arrow, cart | a distraction: it ends the episode                                               |

    For elements that take no value, the field does not matter. Check boxes and radio buttons follow the published page,
    which also marks all buttons of a group as visited: here all become ``filled``, and of a group's buttons only the
    first one that is shown is in ``element_mask``. With ``widgets="literal"`` a check box is toggled whatever the
    field's value, a radio button is selected only if it is itself the value, and each is a target of its own. Calls are
    always literal. If the element or the field does not exist, or if the element is hidden or has no function, nothing
    happens, and the step has its penalty.

    ## Observation Space
    A ``Dict`` of int16. Words are numbers of a fixed vocabulary (:mod:`procgen_bench.tasks.sites.vocabulary`), 0 for
    none; entries beyond the page's elements and the instruction's fields are 0.

    | key              | shape     | range    | meaning                                                              |
    |------------------|-----------|----------|----------------------------------------------------------------------|
    | `tags`           | (250,)    | 0..23    | HTML tag, 0 for no element; elements are in document order           |
    | `classes`        | (250, 4)  | 0..959   | classes; the last one is its state (visited or hidden)               |
    | `texts`          | (250, 10) | 0..959   | words of its own text                                                |
    | `attributes`     | (250, 10) | 0..959   | words of its type, value, placeholder, title, alternative text and   |
    |                  |           |          | name for screen readers                                              |
    | `element_values` | (250, 10) | 0..959   | words typed in or selected; "checked"                                |
    | `depths`         | (250,)    | 0..249   | number of elements around it                                         |
    | `parents`        | (250,)    | -1..249  | index of its parent element, -1 for the root                         |
    | `boxes`          | (250, 4)  | 0..32767 | left, top, width, height in pixels of the page; 0 if it is not shown |
    | `active`         | (250,)    | 0, 1     | 1 for the element that has the focus                                 |
    | `filled`         | (250,)    | 0, 1     | 1 for elements that received a value since the page was opened       |
    | `new`            | (250,)    | 0, 1     | 1 for elements that are shown, and were not before the last step     |
    | `field_labels`   | (25, 10)  | 0..959   | each field's key in the instruction, or the words of its sentence    |
    | `field_values`   | (25, 10)  | 0..959   | words of each field's value                                          |
    | `time_step`      | (1,)      | 0..25    | steps taken                                                          |

    With ``observation="masked"`` also ``element_mask`` and ``field_mask``, int8, as in the information.

    ## Starting State
    The first page, with empty inputs, folded menus, and the first option of each list selected. Without a given task,
    one is drawn from ``tasks`` or, if that is ``None``, from the task space: a uniform number of pages, 40 primitives
    (or none) on uniform pages, and uniform values. Primitives that 25 steps no longer allow are not drawn, so nothing
    has to be cut. A primitive appears at most once on a page.

    ## Rewards
    The published configuration; with text and pixels it has no progress reward. With F active primitives on the site,
    the agent gets ``progress_reward``/F whenever one becomes right, and loses as much when it becomes wrong again
    (values on earlier pages stay as they are). A primitive that is right at first, such as a box that must stay
    unchecked, counts from the beginning and gives no reward. A decoy, which no field asks for, must be left unchanged;
    changing it costs as much. At the end the agent gets ``success_reward`` if every field is right, and loses
    ``failure_penalty`` at any other end: a wrong site submitted, a distraction, the 25th step. Every step that does not
    end the episode costs ``step_penalty``, and ``idle_penalty`` more if it changed nothing on the page but the focus.

    The progress reward is for learning. It reveals which field is right, so an agent that sees it within an episode
    could try values until one is rewarded, without reading. Policies in benchmarks see observations and no rewards;
    their score is success.

    ## Variations
    A task's ``variation`` (:class:`procgen_bench.tasks.sites.Variation`) gives its pages other words, another look, and
    decoys; the suite ``varied`` has the five sites with held-out words. Without a variation, pages are as published.

    ## Episode End
    Terminates when the site is submitted, and at a distraction. Truncates after 25 steps and, with a browser, when the
    page has crashed or does not answer.

    ## Information
    ``success`` and ``is_success`` (bool): whether the site was submitted with every field right, decoys unchanged.
    ``element_mask`` (int8 (250,)) and ``field_mask`` (int8 (25,)): 1 for valid elements and fields (see ``mask``);
    ``action_space.sample(mask=(element_mask, field_mask))``. ``reason`` (str): why a browser's episode was truncated;
    absent otherwise.

    ## Arguments
    - ``tasks``: the tasks from which resets without a task draw: a suite's name (``"test"``), a task, a task's name
      (``"test/login-4-0"``), raw parameters, or a list of those; ``None`` (default): the task space.
    - ``flat``: whether the observation is one float32 vector (11501,); see
      :class:`~procgen_bench.engine.task_env.TaskEnv`.
    - ``render_mode``: ``"rgb_array"`` (uint8 (560, 768, 3): the instruction and the page, as a plan or, with a
      browser, its picture), ``"ansi"`` (text: the instruction and the elements), ``"human"`` (a window), or ``None``.
    - ``backend``: ``"dom"`` (default) or ``"browser"``, which needs the extra ``web`` and Chromium: Debian's package
      ``chromium``, the program in the variable ``PROCGEN_BENCH_CHROMIUM``, or Playwright's own.
    - ``step_penalty`` (0.05), ``idle_penalty`` (0.5), ``progress_reward``, ``success_reward`` and ``failure_penalty``
      (1 each): see Rewards; at least 0. ``progress_reward`` defaults to 0 with text and pixels.
    - ``observation``: ``"arrays"`` (default), or ``"masked"``, which adds the masks; learners that draw their actions
      use the latter.
      ``"text"``: a ``Dict`` of strings, ``instruction`` (sentences), ``html`` (the page; ids are indices of elements),
      ``axtree`` (Chromium's accessibility tree of it) and ``last_action_error``; equal in both backends.
      Each has at most 131,072 characters, of any script; a longer one is cut and ends in an ellipsis.
      ``"pixels"``: ``screenshot`` (uint8 (picture_height, 480, 3), the bare page), ``instruction`` and
      ``last_action_error``; only with the backend ``"browser"``. Pixels are for single environments. Rows of text
      (``make_vec``) have tuples of N strings, and take a list of N calls.
    - ``actions``: ``"fields"``, (element, field), or ``"calls"``, the default of text and pixels:
      BrowserGym's actions as text, ``click('12')``, ``fill('12', 'Ada')``, ``select_option('12', 'CA')``, and also
      ``check``, ``uncheck``, ``clear``, ``press``, ``hover``, ``scroll``, ``mouse_click``, ``keyboard_type``, ``goto``,
      ``send_msg_to_user`` and ``noop``
      (:func:`procgen_bench.envs.web.calls.describe_calls`), one per step. Any text can be filled in; it is right if it
      is the field's value. An invalid or impossible call does nothing; ``last_action_error``, also in the
      information, says why, or that a call that was made changed nothing.
    - ``widgets``: ``"published"`` (default), or ``"literal"``: see Action Space.
    - ``mask``: the elements whose ``element_mask`` is 1: ``"usable"`` (default), those with a function,
      or ``"present"``, all that are drawn, as in the published source; in both, see Action Space, of a group of radio
      buttons the first.
    - ``library``: the primitives of sites that are drawn without ``tasks``: ``"published"`` (default), ``"invented"``
      (these and 42 invented primitives), a file of primitives (``"mine.json"``), or a
      :class:`procgen_bench.tasks.sites.PrimitiveLibrary`. Tasks carry their primitives, so any task can be played with
      any library.
    - ``variations``: the parts in which such sites vary (``("labels", "theme")``), or ``"all"``; none by
      default. Words are the published ones or other training words, never held-out ones.
    - ``picture_height`` (960): rows of a screenshot; a longer page is shown around the focus.
    - ``marks`` (false): whether elements that can be used have a frame with their id on the screenshot (set of marks).
    - ``events``: how a browser receives actions. ``"input"`` (default): as real mouse and keyboard events
      (``isTrusted``), with clicks on the visible element, after scrolling if necessary, and keys; text is inserted at
      once, as from a clipboard. ``"script"``: as events of the page's script, which are faster. The resulting page is
      the same.
    - ``deadline``: seconds after which a browser page that does not answer is given up; default 5.

    ``reset(options={"task": ...})`` takes a task, raw parameters or a task's name; ``{"state": ...}`` continues from a
    state of :meth:`save_state`, of this or another environment with this backend, ``widgets`` and ``mask``, exactly. A
    browser repeats the episode's actions in a fresh page; if the page then differs from the saved one, the row counts
    as lost, and its next step truncates the episode with that ``reason``.

    ``procgen-bench play GMiniWoB-v0 --task flight/4`` opens the site in your browser; clicks, and
    texts that are a field's value, are those actions, any other text is an action with a field that does not exist.

    ``env.unwrapped.dom_text()`` is the current page as text, ``env.unwrapped.task.instruction`` the instruction.
    With a browser, ``env.unwrapped.page`` is the page as a Playwright object (of its synchronous interface), and
    ``env.unwrapped.page_address`` its address for any other Playwright (``chromium.connect_over_cdp``). Changes made
    there are part of the next observation, and of no saved state; steps and rewards are those of :meth:`step`.

    ## Version History
    - v0: first version.
    """

    metadata = {"render_modes": ["human", "rgb_array", "ansi"], "render_fps": 2}
    task_space = SiteTaskSpace()
    draws_solvable = True
    observation_space: spaces.Dict = observation_space()
    action_space: spaces.MultiDiscrete = spaces.MultiDiscrete([MAX_ELEMENTS, MAX_FIELDS])
    browser_controls = SiteControls()

    film_side = 640

    simulation: "DomSimulation | BrowserSimulation"

    def __init__(
        self,
        tasks=None,
        render_mode: str | None = None,
        backend: str = "dom",
        step_penalty: float = PUBLISHED_REWARDS.step_penalty,
        idle_penalty: float = PUBLISHED_REWARDS.idle_penalty,
        progress_reward: float | None = None,
        success_reward: float = PUBLISHED_REWARDS.success_reward,
        failure_penalty: float = PUBLISHED_REWARDS.failure_penalty,
        deadline: float = chromium.DEFAULT_DEADLINE,
        observation: str = "arrays",
        actions: str | None = None,
        picture_height: int = PICTURE_HEIGHT,
        events: str = "input",
        library: PrimitiveLibrary | Path | str = PUBLISHED_LIBRARY,
        variations: Collection[str] | str = (),
        widgets: str = "published",
        mask: str = "usable",
        flat: bool = False,
        marks: bool = False,
    ):
        check_choice("backend", backend, BACKENDS)
        check_choice("observation", observation, OBSERVATIONS)
        check_choice("actions", actions, (None, *ACTIONS))
        check_choice("events", events, EVENTS)
        check_choice("widgets", widgets, WIDGETS)
        check_choice("mask", mask, MASKS)
        self._masked = observation == "masked"
        self._view = view_of(observation, backend, picture_height, marks)
        self.takes_calls = self._view is not None if actions is None else actions == "calls"
        self.observation_space = observation_space(self._masked) if self._view is None else self._view.space
        if self.takes_calls:
            self.action_space = call_space()  # type: ignore[assignment]
        self.backend, self.deadline, self.events, self.widgets, self.mask = backend, deadline, events, widgets, mask
        self._handle = PageHandle()
        # Otherwise the class's space, whose suites are read once, serves.
        if library != PUBLISHED_LIBRARY or variations:
            self.task_space = SiteTaskSpace(library, variations)
        if progress_reward is None:
            progress_reward = PUBLISHED_REWARDS.progress_reward if self._view is None else 0.0
        self.site_rewards = SiteRewards(step_penalty, idle_penalty, progress_reward, success_reward, failure_penalty)
        super().__init__(tasks, render_mode, flat)
        self._words = self.word_rows(self.simulation)
        if self.takes_calls:
            self._actions = np.zeros((1, 2), np.int64)

    @cached_property
    def action_rule(self) -> ActionRule:
        """What the simulation takes as an action; calls are made into such."""
        if not self.takes_calls:
            return super().action_rule
        return ActionRule(spaces.MultiDiscrete([MAX_ELEMENTS, MAX_FIELDS + 1], start=[0, OWN_TEXT]))

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None):
        """Begin an episode, or go on with a saved one; see :class:`~procgen_bench.engine.task_env.TaskEnv`."""
        observation, info = super().reset(seed=seed, options=options)
        if self._words is None:
            return observation, info
        self._words.begin(_ONE_ROW)
        return self._seen(observation), self._info()

    def step(self, action):
        """Advance the episode by one action. ``info`` says of a call why it cannot be made, or that nothing changed.

        Raises:
            ResetNeededError: Before the first reset, or after the end of the episode.
            InvalidActionError: The action is outside the action space.
        """
        if self._words is None:
            return super().step(action)
        if self.takes_calls:
            self.check_open()
            check_running(self._running)
            if not isinstance(action, str):
                raise InvalidActionError(f"action is {refused_call(action)}")
            action = self._words.use([action], _ONE_ROW)[0]
        observation, reward, terminated, truncated, info = super().step(action)
        if self.takes_calls:
            self._words.conclude()
            info["last_action_error"] = self._words.errors[0]
        return self._seen(observation), reward, terminated, truncated, info

    def _seen(self, observation: Any) -> Any:
        return self._words.observe_each([0])[0] if self._words is not None and self._words.observes else observation

    def word_rows(self, simulation: "DomSimulation | BrowserSimulation") -> WordRows | None:
        """A simulation's rows as agents of words use them, if they do under this environment's options."""
        if self._view is None and not self.takes_calls:
            return None
        return WordRows(simulation, self._view, self.takes_calls)

    @classmethod
    def film_options(cls) -> dict[str, Any]:
        """The browser's pictures, where there is one."""
        return {"backend": "browser"} if chromium.is_installed() else {}

    @classmethod
    def learning_options(cls) -> dict[str, Any]:
        """Observations with their masks."""
        return {"observation": "masked"}

    @classmethod
    def play_options(cls) -> dict[str, Any]:
        """A person clicks on the very box or option."""
        return {"widgets": "literal"}

    @property
    def state_kind(self) -> str:
        """The same backend, rule and mask."""
        return f"{super().state_kind} with backend {self.backend!r}, widgets {self.widgets!r}, mask {self.mask!r}"

    def make_simulation(self, num_rows: int, max_episode_steps: int | None) -> "DomSimulation | BrowserSimulation":
        """A simulation of ``num_rows`` sites in the environment's backend."""
        drawn = self.task_space.library, self.task_space.variations
        rules = self.widgets == "literal", self.mask == "present"
        if self.backend == "dom":
            return DomSimulation(num_rows, max_episode_steps, self.site_rewards, self._masked, *drawn, *rules)
        from procgen_bench.envs.web.browser_simulation import BrowserSimulation  # needs the extra "web"

        draw = partial(draw_task, library=drawn[0], variations=drawn[1])
        options = (self.deadline, draw, self._masked, self.events, *rules)
        return BrowserSimulation(num_rows, max_episode_steps, self.site_rewards, *options)

    @property
    def page(self) -> "Page":
        """Playwright's page on the current page of the browser, the same for as long as the page is not lost.

        Raises:
            InvalidOptionError: The backend is the dom, which has no page.
            ResetNeededError: There is no page yet, or it is lost.
            MissingExtraError: Playwright is not installed.
            PageError: A loop runs in this thread, so that Playwright's synchronous interface cannot.
        """
        return self._handle.at(self.page_address)

    @property
    def page_address(self) -> str:
        """Where other clients of Chromium's inspector find the page, and no other: a secret websocket of this machine.

        It changes when a page is lost, as when the browser dies.

        Raises:
            InvalidOptionError: The backend is the dom, which has no page.
            ResetNeededError: There is no page yet, or it is lost.
        """
        if isinstance(self.simulation, DomSimulation):
            raise InvalidOptionError("backend is 'dom', which has no page to steer; make it with backend='browser'")
        return self.simulation.page_address(0)

    def close(self) -> None:
        """Close the page and the window; again without effect."""
        self._handle.close()
        super().close()

    def dom_text(self) -> str:
        """The current page as text, a line per element.

        Raises:
            ResetNeededError: There is no page yet.
        """
        if not self._seeded:
            raise ResetNeededError("dom_text was called before reset; call reset first")
        return dom_text(self.simulation.records(0))

    def render_frame(self, simulation: Any, row: int) -> np.ndarray:
        """The instruction and a row's page: uint8 (560, 768, 3)."""
        records = simulation.records(row)
        page = simulation.screenshot(row) if self.backend == "browser" else draw_page(records)
        return draw_frame(page, records, simulation.task(row).instruction)

    def render_text(self, simulation: Any, row: int) -> str:
        """The instruction and the elements of a row's page."""
        instruction = [f"{label}: {value}" for label, value in simulation.task(row).instruction]
        return "\n".join([*instruction, "", dom_text(simulation.records(row))])

    def _info(self) -> dict[str, Any]:
        info = super()._info() | {name: masks[0].copy() for name, masks in masks_of(self.simulation).items()}
        if self._words is not None and self.takes_calls:
            info["last_action_error"] = self._words.errors[0]
        reason = self.simulation.reasons[0]
        return info if reason is None else info | {"reason": reason}


def masks_of(simulation: "DomSimulation | BrowserSimulation") -> dict[str, np.ndarray]:
    """What an action can be made of, by name: int8 (rows, 250) and (rows, 25)."""
    return by_mask(simulation.element_masks, simulation.field_masks)

"""How language models play GMiniWoB: the page as its accessibility tree, and BrowserGym's calls."""

from collections.abc import Mapping
from typing import Any

from procgen_bench.engine.text_form import Words
from procgen_bench.envs.web.calls import describe_calls


class SiteTextForm:
    """Sites for language models. The environment reads calls by itself: one that cannot be made is a step that does
    nothing, with its penalty, and the next words say why."""

    options: Mapping[str, Any] = {"observation": "text"}

    def rules(self) -> str:
        """What there is to do, and the calls."""
        return (
            "You use a web site as instructed, by one call a message. Numbers in brackets are the ids (bid) of what "
            "the page has. Think first if you like; the last line of your message is the call, and nothing else:\n\n"
            f"{describe_calls()}"
        )

    def words(self, env: Any, observation: Mapping[str, str]) -> Words:
        """The instruction, the accessibility tree, and why the last call did nothing."""
        return Words(observation["instruction"], observation["axtree"], observation["last_action_error"])

    def action(self, call: str) -> str:
        """The call itself."""
        return call

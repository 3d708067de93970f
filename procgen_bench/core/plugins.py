"""Tables that other packages add to, by an entry point in their own metadata."""

from collections import UserDict
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import TypeVar

from procgen_bench.core.errors import ProcgenBenchError
from procgen_bench.core.own_code import exits_are_errors

Value = TypeVar("Value")


class PluginError(ProcgenBenchError):
    """What another package adds cannot be used."""


class PluginTable(UserDict[str, Value]):
    """A table by name: our own values, and those that installed packages declare in an entry point group.

    A package's value is loaded when it is asked for; a name of ours cannot be taken.

    Args:
        name: The group's name behind ``procgen_bench.``, e.g. ``"methods"``.
        kind: What every value must be an instance of.
        own: Our own values by name.
    """

    def __init__(self, name: str, kind: type[Value], own: Mapping[str, Value]):
        self._group, self._kind = ".".join((__package__.partition(".")[0], name)), kind
        super().__init__(own)

    def __getitem__(self, name: str) -> Value:
        return self.data[name] if name in self.data else self._load(self._plugins()[name])

    def __contains__(self, name: object) -> bool:
        return name in self.data or name in self._plugins()

    def __iter__(self) -> Iterator[str]:
        yield from self.data
        yield from (name for name in self._plugins() if name not in self.data)

    def __len__(self) -> int:
        return len(set(self.data) | set(self._plugins()))

    def _plugins(self) -> dict[str, EntryPoint]:
        return _plugins(self._group)

    def _load(self, plugin: EntryPoint) -> Value:
        package = "?" if plugin.dist is None else plugin.dist.name
        declared = f"{plugin.name!r} ({plugin.value}), which the package {package} declares in {self._group},"
        try:
            with exits_are_errors:
                value = plugin.load()
        except Exception as error:  # whatever their module raises
            reason = f"{type(error).__name__}: {error}"
            raise PluginError(f"{declared} cannot be loaded ({reason}); fix or uninstall it") from error
        if not isinstance(value, self._kind):
            raise PluginError(f"{declared} is a {type(value).__name__}, expected a {self._kind.__name__}")
        return value


@cache
def _plugins(group: str) -> dict[str, EntryPoint]:
    return {plugin.name: plugin for plugin in sorted(entry_points(group=group), key=lambda plugin: plugin.name)}

"""KnownArguments: constructors that refuse an unknown keyword by name, and say which there are."""

import inspect
from typing import Any

from procgen_bench.core.errors import UnknownNameError

#: What constructors call the keywords that they hand on to the single environment.
_HANDED_ON = "family_options"


class KnownArguments:
    """A class whose constructor raises :class:`UnknownNameError` for a keyword that it does not take."""

    def __new__(cls, *_: Any, **options: Any) -> Any:
        """An instance that is yet to be initialised.

        Raises:
            UnknownNameError: An argument has a name that the constructor does not know.
        """
        known = known_arguments(cls)
        for name in options:
            if name not in known:
                raise UnknownNameError(f"argument of {cls.__name__}", name, known, shown=len(known))
        return super().__new__(cls)


def known_arguments(kind: Any) -> list[str]:
    """Names of the arguments that a class's constructor takes, those that it hands on among them.

    A constructor that takes any keyword hands it on to the class that it extends, and ``**family_options`` to its
    ``single_env_type``.
    """
    names: dict[str, None] = {}
    for base in kind.__mro__:
        if "__init__" not in vars(base):
            continue
        _, *parameters = inspect.signature(vars(base)["__init__"]).parameters.values()
        kinds = {parameter.name: parameter.kind for parameter in parameters}
        further = next((name for name, one in kinds.items() if one is inspect.Parameter.VAR_KEYWORD), None)
        names |= dict.fromkeys(
            name
            for name, one in kinds.items()
            if one in (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
        )
        if further == _HANDED_ON:
            names |= dict.fromkeys(known_arguments(kind.single_env_type))
        if further in (None, _HANDED_ON):
            break
    return list(names)

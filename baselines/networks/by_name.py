"""ModulesByName: modules whose names are an environment's."""

from torch import nn


class ModulesByName(nn.ModuleDict):
    """A ``ModuleDict`` that takes names of its own methods, too: a page's elements have ``values``."""

    def add_module(self, name: str, module: nn.Module | None) -> None:
        """Add a module; it is found by its name alone, never as an attribute."""
        self._modules[name] = module  # type: ignore[assignment]

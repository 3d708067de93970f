"""ModulesByName: modules whose names are an environment's."""

from torch import nn


class ModulesByName(nn.ModuleDict):
    """A ``ModuleDict`` that also takes the names of its own methods, as parameters of tasks may have."""

    def add_module(self, name: str, module: nn.Module | None) -> None:
        """Add a module; it is found by its name alone, never as an attribute."""
        self._modules[name] = module  # type: ignore[assignment]

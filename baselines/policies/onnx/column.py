"""Column: one tensor of a policy as an ONNX file. Only the standard library is imported here, as in its form."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Column:
    """One tensor of a row.

    Attributes:
        name: Its name.
        dtype: NumPy's name of its numbers' type.
        shape: Its shape without the rows.
    """

    name: str
    dtype: str
    shape: tuple[int, ...]

    def __str__(self) -> str:
        return f"{self.dtype} ({', '.join(['N', *map(str, self.shape)])})"

"""Generate the sites' data files from fixed seeds: ``python -m procgen_bench.tasks.sites.generate [FOLDER]``."""

from itertools import product
from pathlib import Path

import numpy as np
from tqdm import tqdm

from procgen_bench.suite_file import run_generator, write_suite_files
from procgen_bench.tasks.sites.design import HORIZON, MAX_PAGES, SiteDesign
from procgen_bench.tasks.sites.primitives import CATALOGUE, CATALOGUE_FIELDS, FIELDS
from procgen_bench.tasks.sites.profiles import value_lists
from procgen_bench.tasks.sites.published_sites import published_designs

TEST_SEED, NUM_PROFILES = 20_601, 20
RANDOM_SEED, DESIGNS_PER_GRADE = 20_602, 10
#: Numbers of primitives placed, buttons that the renderer adds left out.
PLACED = (4, 8, 16, 24, 32)
#: The grades of random designs: (pages, primitives placed).
GRADES = tuple(product(range(1, MAX_PAGES + 1), PLACED))

_NAMES = tuple(CATALOGUE)
_NONE = -1

Placed = tuple[tuple[int, int], ...]


def held_out_profiles() -> np.ndarray:
    """Places in the value lists of all fields: int8 (20, 25); where a list is long enough no place comes twice."""
    rng = np.random.default_rng(TEST_SEED)
    lengths = [len(value_lists()[field]) for field in FIELDS]
    columns = [np.concatenate([rng.permutation(n) for _ in range(-(-NUM_PROFILES // n))]) for n in lengths]
    return np.stack([column[:NUM_PROFILES] for column in columns], axis=1).astype(np.int8)


def random_arrays() -> dict[str, np.ndarray]:
    """500 distinct designs, ten of every grade, with a profile each; none is one that methods are tested on."""
    rng = np.random.default_rng(RANDOM_SEED)
    drawn: dict[SiteDesign, Placed] = {}
    taken = set(published_designs())
    for num_pages, count in tqdm(GRADES, desc="random"):
        wanted = len(drawn) + DESIGNS_PER_GRADE
        while len(drawn) < wanted:
            placed, design = _drawn_design(num_pages, count, rng)
            if design not in taken:
                drawn.setdefault(design, placed)
    lengths = [len(value_lists()[field]) for field in CATALOGUE_FIELDS]
    pairs = np.full((len(drawn), max(PLACED), 2), _NONE, np.int8)
    for row, placed in zip(pairs, drawn.values()):
        row[: len(placed)] = placed
    return {
        "num_pages": np.array([len(design.pages) for design in drawn], np.int8),
        "primitives": pairs[..., 0],
        "pages": pairs[..., 1],
        "profiles": rng.integers(lengths, size=(len(drawn), len(lengths)), dtype=np.int8),
    }


def _drawn_design(num_pages: int, count: int, rng: np.random.Generator) -> tuple[Placed, SiteDesign]:
    """A design in which ``count`` primitives are placed, each anywhere; drawn again until all of them are taken up."""
    while True:
        places = rng.permutation(len(_NAMES) * num_pages)[:count]
        placed = tuple((int(place) % len(_NAMES), int(place) // len(_NAMES)) for place in places)
        num_active = sum(CATALOGUE[_NAMES[number]].active for number, _ in placed)
        if 0 < num_active <= HORIZON - num_pages:
            return placed, SiteDesign.of_pairs([(_NAMES[number], page) for number, page in placed], num_pages)


def generate(folder: Path) -> dict[str, str]:
    """Write both files into ``folder``; returns their checksums."""
    return write_suite_files(folder, {"test": {"profiles": held_out_profiles()}, "random": random_arrays()})


if __name__ == "__main__":
    run_generator(generate, Path(__file__).parent / "data")

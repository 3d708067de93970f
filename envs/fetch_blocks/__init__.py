"""FetchBlocks-v0 and FetchProgram-v0: coloured blocks on the table of the Fetch arm (AlphaNPI-X, section D.1).

Importing this package imports neither MuJoCo nor gymnasium-robotics; the environments do.
"""

from procgen_bench.core.extras import import_extra

_MODULES = {
    "FetchBlocksEnv": "procgen_bench.envs.fetch_blocks.environment",
    "FetchBlocksVectorEnv": "procgen_bench.envs.fetch_blocks.environment",
    "FetchProgramEnv": "procgen_bench.envs.fetch_blocks.program_environment",
    "FetchProgramVectorEnv": "procgen_bench.envs.fetch_blocks.program_environment",
    "solve_blocks": "procgen_bench.envs.fetch_blocks.scripted.solving",
    "solve_program": "procgen_bench.envs.fetch_blocks.scripted.solving",
}


def __getattr__(name: str):
    if name in _MODULES:
        return getattr(import_extra(_MODULES[name], "fetch"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = list(_MODULES)

"""Chains of programs, each from the state that the one before has left, in rows and in single environments."""

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from procgen_bench.core.errors import InvalidOptionError, InvalidTaskError
from procgen_bench.core.success import success_info
from procgen_bench.envs.fetch_blocks.scripted.expert import Expert
from procgen_bench.tasks.programs import PROGRAMS, paper_library

ID = "FetchProgram-v0"
#: What each row plays, one program after the other.
CHAINS = (
    ("Move_To_Zone_0_ORANGE", "Stack_1_0", "Move_To_Zone_2_BLUE", "Stack_3_2", "Stack_1_3"),
    ("Stack_0_1", "Stack_2_0", "Stack_3_2", "Move_To_Zone_3_BLUE", "Move_To_Zone_2_ORANGE"),
)
TASK = "groups/stack_all_blocks/2"


def make_rows(num_envs, **options):
    return gymnasium.make_vec(
        ID, num_envs=num_envs, vectorization_mode="vector_entry_point", autoreset_mode=AutoresetMode.DISABLED, **options
    )


def played_alone(chain) -> list[list[tuple]]:
    """By program: what a single environment's reset and steps return under the expert."""
    env, calls, options = gymnasium.make(ID), [], {"task": TASK}
    for name in chain:
        returned = [env.reset(options={**options, "program": name})]
        expert = Expert(PROGRAMS[name], returned[0][0]["goal"])
        while len(returned) == 1 or not (returned[-1][2] or returned[-1][3]):
            returned.append(env.step(expert.act(returned[-1][0]["observation"])))
        assert len(returned) == 51
        calls.append(returned)
        options = {"state": env.unwrapped.save_state()}
    return calls


def test_a_chain_of_five_programs_is_the_same_in_rows_and_alone():
    expected = [played_alone(chain) for chain in CHAINS]
    rows, options = make_rows(len(CHAINS)), {"task": TASK}
    for call in range(5):
        names = [chain[call] for chain in CHAINS]
        observations, infos = rows.reset(options={**options, "program": names})
        experts = [Expert(PROGRAMS[name], goal) for name, goal in zip(names, observations["goal"])]
        for step in range(51):
            if step:
                actions = [expert.act(state) for expert, state in zip(experts, observations["observation"])]
                observations, rewards, terminations, truncations, infos = rows.step(np.array(actions))
            for row, alone in enumerate(expected):
                observation, *outcome, info = alone[call][step]
                assert all(np.array_equal(observations[key][row], part) for key, part in observation.items())
                assert {name: infos[name][row] for name in ("success", "settled", "stands", "is_success")} == info
                assert not outcome or [rewards[row], terminations[row], truncations[row]] == outcome
        options = {"state": rows.unwrapped.save_states()}
        assert infos["stands"].all(), f"the expert was to do {names}"
    with pytest.raises(InvalidTaskError, match=r"pre-condition of Stack_3_0 is 'not met \(block 1 is on block 3\)'"):
        rows.reset(options={**options, "program": ["Stack_3_0", None]})
    assert [task.program for task in rows.unwrapped.tasks] == names
    rows.close()


def test_a_state_of_another_number_of_blocks_is_refused():
    env = gymnasium.make(ID, library=paper_library(3), program="Stack_0_2")
    observation, _ = env.reset(seed=0)
    assert observation["observation"].shape == (55,) and observation["program"].shape == (18,)
    rows, state = make_rows(2), env.unwrapped.save_state()
    expected = r"belongs to FetchProgramEnv with 3 blocks; this environment needs one of FetchProgramEnv with 4 blocks"
    with pytest.raises(InvalidOptionError, match=expected):
        rows.reset(options={"state": [state, None]})
    with pytest.raises(InvalidOptionError, match=expected):
        gymnasium.make(ID).reset(options={"state": state, "program": "Stack_0_1"})
    rows.close()


@pytest.mark.parametrize("num_blocks", [2, 6])
def test_libraries_of_other_numbers_of_blocks_are_played(num_blocks):
    library = paper_library(num_blocks)
    env = gymnasium.make(ID, library=library, program="Stack_1_0")
    observation, _ = env.reset(seed=1)
    expert, info = Expert(library["Stack_1_0"], observation["goal"]), {}
    for _ in range(50):
        observation, *_, info = env.step(expert.act(observation["observation"]))
    assert info == success_info(True, settled=True, stands=True)

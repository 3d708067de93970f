"""Environments with one fault each, over GridWorld: what the conformance checks must catch."""

import os
from dataclasses import replace
from functools import partial

import gymnasium
import numpy as np
from gymnasium.envs.registration import EnvSpec
from gymnasium.vector import VectorWrapper

from procgen_bench.envs.grid_world.environment import GridWorldEnv, GridWorldVectorEnv

ID = "GridWorld-v0"
make_healthy = partial(gymnasium.make, ID)
make_healthy_vector = partial(gymnasium.make_vec, ID, vectorization_mode="vector_entry_point")


class Faulty(gymnasium.Wrapper):
    """Counts steps and episodes for the faults below."""

    def __init__(self, **options):
        super().__init__(make_healthy(**options))
        self.steps, self.episodes = 0, 0

    def reset(self, *, seed=None, options=None):
        self.steps, self.episodes = 0, self.episodes + 1
        return self.env.reset(seed=seed, options=options)

    def step(self, action):
        self.steps += 1
        return self.env.step(action)


class RandomAfterTwoSteps(Faulty):
    def step(self, action):
        chance = np.random.default_rng().random() < 0.5
        return super().step(self.env.action_space.n - 1 - action if self.steps >= 2 and chance else action)


class Jitter(Faulty):
    def step(self, action):
        observation, *rest = super().step(action)
        observation["objects"][0] += np.float32(1e-6) * np.random.default_rng().standard_normal(dtype=np.float32)
        return observation, *rest


class DependsOnHashSeed(Faulty):
    def step(self, action):
        observation, reward, *rest = super().step(action)
        return observation, reward + 1e-9 * (hash("a set's order") % 1_000_003), *rest


class DependsOnThreads(Faulty):
    def step(self, action):
        observation, reward, *rest = super().step(action)
        return observation, reward + 1e-9 * int(os.environ.get("NUMBA_NUM_THREADS", 0)), *rest


class DependsOnPreviousEpisode(Faulty):
    last_reward = 0.0

    def step(self, action):
        observation, reward, *rest = super().step(action)
        first, self.last_reward = (self.last_reward if self.steps == 1 else 0.0), reward
        return observation, reward + 1e-3 * first, *rest


class IgnoresSeed(Faulty):
    def reset(self, *, seed=None, options=None):
        return super().reset(options=options)


class AlwaysOneSeed(Faulty):
    def reset(self, *, seed=None, options=None):
        return super().reset(seed=None if seed is None else 1, options={"task": "targets/A"})

    def step(self, action):
        return super().step(0)


class IgnoresTask(Faulty):
    def reset(self, *, seed=None, options=None):
        return super().reset(seed=seed)


class SaysAllCanBeSolved(GridWorldEnv):
    draws_solvable = True


class LeavesSpaceLate(Faulty):
    def step(self, action):
        observation, *rest = super().step(action)
        if self.steps >= 45:
            observation["position"][0] = 9
        return observation, *rest


class WrongDtypeLate(Faulty):
    def step(self, action):
        observation, *rest = super().step(action)
        if self.steps >= 45:
            observation["position"] = observation["position"].astype(np.float16)
        return observation, *rest


class EndsEarly(Faulty):
    def step(self, action):
        observation, reward, terminated, truncated, info = super().step(action)
        return observation, reward, terminated, truncated or self.steps >= 49, info


class ForgetsWhenCopied(Faulty):
    offset = 0.0

    def step(self, action):
        observation, reward, *rest = super().step(action)
        return observation, reward + self.offset, *rest

    def __setstate__(self, state):
        self.__dict__.update(state, offset=1e-6)


class SharedSpaces(Faulty):
    shared = gymnasium.spaces.Discrete(4)

    def __init__(self, **options):
        super().__init__(**options)
        self.action_space = self.shared


class SpecOfAnother(Faulty):
    @property
    def spec(self) -> EnvSpec:
        return gymnasium.make(ID, tasks="targets").spec


class RenderingActs(Faulty):
    def render(self):
        self.env.unwrapped.simulation.elapsed[0] += 1
        self.env.unwrapped.simulation.rewards[0] = 0.0
        self.env.unwrapped.simulation.positions[0] = 1
        return self.env.render()


class FrozenFrames(Faulty):
    first_frame = None

    def render(self):
        frame = self.env.render()
        self.first_frame = frame if self.first_frame is None else self.first_frame
        return self.first_frame


class ClosesOnce(Faulty):
    def close(self):
        if self.steps < 0:
            raise ValueError("closed already")
        self.steps = -1
        return self.env.close()


class StepsAfterClose(Faulty):
    def close(self):
        pass


class TakesAnySeed(Faulty):
    def reset(self, *, seed=None, options=None):
        return super().reset(seed=abs(int(seed)), options=options)


class FaultyVector(VectorWrapper):
    """Counts steps for the faults below."""

    def __init__(self, **options):
        super().__init__(make_healthy_vector(**options))
        self.steps = 0

    def step(self, actions):
        self.steps += 1
        return super().step(actions)


class RewardOfOneRowDrifts(FaultyVector):
    def step(self, actions):
        observations, rewards, *rest = super().step(actions)
        if self.steps > 60:
            rewards[3] += 1e-12
        return observations, rewards, *rest


class RowsShareATask(FaultyVector):
    def reset(self, *, seed=None, options=None):
        tasks = (options or {}).get("task")
        return super().reset(
            seed=seed, options=(options or {}) | {"task": tasks[0] if isinstance(tasks, list) else tasks}
        )


class LimitOneLater(FaultyVector):
    def __init__(self, **options):
        super().__init__(**options, max_episode_steps=51)


class OtherInfoLate(FaultyVector):
    def step(self, actions):
        *rest, infos = super().step(actions)
        if self.steps > 60:
            infos["success"][2] = not infos["success"][2]
        return *rest, infos


class FinalObservationOfNextEpisode(FaultyVector):
    def step(self, actions):
        observations, *rest, infos = super().step(actions)
        for k in np.flatnonzero(infos.get("_final_obs", [])):
            infos["final_obs"][k] = {name: array[k].copy() for name, array in observations.items()}
        return observations, *rest, infos


class VectorDependsOnHistory(FaultyVector):
    def __init__(self, **options):
        super().__init__(**options)
        self.episodes = 0

    def reset(self, *, seed=None, options=None):
        self.episodes += 1
        return super().reset(seed=seed, options=options)

    def step(self, actions):
        observations, rewards, *rest = super().step(actions)
        return observations, rewards + 1e-9 * self.episodes, *rest


class OwnGeneratorGoesOn(FaultyVector):
    np_random = np.random.default_rng(0)
    np_random_seed = 7


class BatchOfDoubles(FaultyVector):
    def step(self, actions):
        observations, *rest = super().step(actions)
        if self.steps > 100:
            observations["view"] = observations["view"].astype(np.float64)
        return observations, *rest


class StateForgetsChance(GridWorldEnv):
    def reset(self, *, seed=None, options=None):
        begun = super().reset(seed=seed, options=options)
        if (options or {}).get("state") is not None:
            self.simulation.streams[0] = 7
        return begun


class StateMoves(GridWorldEnv):
    def save_state(self):
        state = super().save_state()
        object.__setattr__(state, "values", {**state.values, "places": self.simulation.places[0]})
        return state


class StateForgetsSteps(GridWorldEnv):
    def save_state(self):
        state = super().save_state()
        return replace(state, values={**state.values, "elapsed": np.int64(0)})


class StateForgetsSuccess(GridWorldEnv):
    def save_state(self):
        state = super().save_state()
        return replace(state, values={**state.values, "successes": ~state.values["successes"]})


class StateForgetsEnd(GridWorldEnv):
    def reset(self, *, seed=None, options=None):
        begun = super().reset(seed=seed, options=options)
        self._running = True
        return begun


class StateOutweighsSeed(GridWorldEnv):
    def reset(self, *, seed=None, options=None):
        return super().reset(seed=None if (options or {}).get("state") is not None else seed, options=options)


class RefusedStateIsLoaded(GridWorldEnv):
    def requested_state(self, options):
        self.simulation.streams[0] += np.uint64(1)
        return super().requested_state(options)


class RestoredRowsCountAnew(GridWorldVectorEnv):
    def _go_on(self, states, parts):
        super()._go_on(states, parts)
        self.simulation.elapsed[list(states)] = 0


class RestoredRowsTouchOthers(GridWorldVectorEnv):
    def _go_on(self, states, parts):
        super()._go_on(states, parts)
        if len(states) == 1:
            self.simulation.streams[:] += np.uint64(1)


class RestoredRowsForgetEnds(GridWorldVectorEnv):
    def _go_on(self, states, parts):
        super()._go_on(states, parts)
        for state in states.values():
            object.__setattr__(state, "ended", False)

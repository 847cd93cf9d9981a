"""What all environments share: episodes of many worlds, seeds, resets and pictures."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from typing import Any, ClassVar

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from .worlds import Worlds


class WorldsEnv(VectorEnv):
    """Sub-environments that are worlds of one scene.

    autoreset_mode: SAME_STEP starts the next episode in the step that ends one, and leaves its end in
    info["final_obs"] and info["final_info"]; DISABLED waits for reset(options={"reset_mask": ...}).

    An environment derives from this and says what its spaces are and how to _begin, _act and _observe.
    """

    metadata: dict[str, Any] = {
        "render_modes": ["rgb_array", "human"],
        "render_fps": 10,
        "autoreset_mode": AutoresetMode.SAME_STEP,
    }
    picture = (640, 480)  # pixels

    def __init__(
        self,
        num_envs: int,
        worlds: Worlds,
        *,
        observation_space: gym.Space[Any],
        action_space: spaces.Box,
        control: float,
        episode: float,
        render_mode: str | None,
        autoreset_mode: AutoresetMode | str,
    ) -> None:
        """Sets the environments up. num_envs: how many; worlds: as many worlds of a scene. observation_space,
        action_space: of one environment. control, episode: length of a step of the environment and of an episode [s].
        render_mode: "rgb_array", "human" or None. autoreset_mode: SAME_STEP or DISABLED. Raises ValueError for others.
        """
        for name, seconds in (("control", control), ("episode", episode)):
            if not 0.0 < seconds < np.inf:
                raise ValueError(f"{name}: a finite time above 0 [s], not {seconds}")
        self.metadata = {
            **self.metadata,
            "autoreset_mode": _mode_of(autoreset_mode),
            "render_fps": max(1, round(1.0 / control)),
        }
        if render_mode is not None and render_mode not in self.metadata["render_modes"]:
            raise ValueError(f"render_mode: one of {self.metadata['render_modes']}, or None")
        self.num_envs = num_envs
        self.worlds = worlds
        self.render_mode = render_mode
        self.single_observation_space = observation_space
        self.single_action_space = action_space
        self.observation_space = batch_space(observation_space, num_envs)
        self.action_space = batch_space(action_space, num_envs)
        self._lowest, self._highest = action_space.low, action_space.high
        self.steps_per_action = max(1, round(control / worlds.scene.dt))
        self.control = self.steps_per_action * worlds.scene.dt  # s
        self.episode_steps = max(1, round(episode / self.control))
        self._elapsed = np.zeros(num_envs, dtype=np.int64)  # steps of the episode
        self._over = np.ones(num_envs, dtype=bool)  # no episode: to be reset
        self._randoms: dict[int, np.random.Generator] = {}  # by world
        self._saved: tuple[list[np.ndarray], np.random.Generator] | None = None
        self._window: Any = None

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}(num_envs={self.num_envs}, grains={self.worlds.grain_count}, device={self.worlds.device!r}, "
            f"control={self.control:g} s, episode={self.episode_steps * self.control:g} s)"
        )

    # What an environment is. All worlds at once: arrays have an axis of num_envs first.

    def _begin(self, worlds: np.ndarray, randoms: list[np.random.Generator]) -> None:
        """After a reset of these worlds."""
        raise NotImplementedError

    def _act(self, actions: np.ndarray) -> None:
        """Commands for the steps that an action lasts for."""
        raise NotImplementedError

    def _observe(self) -> tuple[dict[str, np.ndarray], np.ndarray, np.ndarray, dict[str, np.ndarray]]:
        """Observations, rewards, terminations and info of the state as it stands."""
        raise NotImplementedError

    def _kept(self) -> list[np.ndarray]:
        """What it goes on from, of each world, beside the world itself."""
        raise NotImplementedError

    # For planning.

    def fork(self, world: int, to: Sequence[int]) -> None:
        """Copies an environment, the number `world`, into those whose numbers are in `to`: the same actions then lead to
        the same bits. Raises ValueError or ResetNeeded where it has no episode."""
        self._check_episode(world)
        to = [int(other) for other in to]
        self.worlds.fork(world, to)
        for values in self._all_kept():
            values[to] = values[world]
        for other in to:
            self._randoms[other] = deepcopy(self._randoms[world])

    def save(self, world: int) -> None:
        """Keeps the state of an environment, the number `world`, for restore(), in place of the one that was kept before.
        Raises ValueError or ResetNeeded where it has no episode."""
        self._check_episode(world)
        self.worlds.save(world)
        self._saved = [values[world].copy() for values in self._all_kept()], deepcopy(self._randoms[world])

    def restore(self, to: Sequence[int]) -> None:
        """Copies the state that save() keeps into the environments whose numbers are in `to`, as often as one likes. Raises
        ValueError where none was saved."""
        if self._saved is None:
            raise ValueError("no environment was saved: save() one first")
        to = [int(world) for world in to]
        self.worlds.restore(to)
        saved, random = self._saved
        for values, value in zip(self._all_kept(), saved):
            values[to] = value
        for world in to:
            self._randoms[world] = deepcopy(random)

    # Gymnasium's API.

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """Begins episodes, and returns observations and info: arrays with an axis of num_envs first, whose shapes and
        units the class tells, as float32 [num_envs, ..].

        seed: that of environment 0, and the others have the numbers that follow; or a list of one for each. options:
        {"reset_mask": bool [num_envs]} resets those that are True alone. Raises ValueError for other sizes.
        """
        mask = self._mask_of((options or {}).get("reset_mask"))
        if seed is None or isinstance(seed, (int, np.integer)):
            seeds = [None if seed is None else int(seed) + w for w in range(self.num_envs)]
        else:
            seeds = list(seed)
            if len(seeds) != self.num_envs:
                raise ValueError(f"seed: one number, or one for each of the {self.num_envs} environments")
        for world in np.flatnonzero(mask).tolist():
            if seeds[world] is not None or world not in self._randoms:
                self._randoms[world] = seeding.np_random(seeds[world])[0]
        self._start(mask)
        observations, _, _, info = self._observe()
        self._show()
        return observations, _masked(info, mask)

    def step(
        self, actions: np.ndarray
    ) -> tuple[dict[str, np.ndarray], np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Takes a step of all environments, and returns observations, rewards (float64 [num_envs]), terminations and
        truncations (bool [num_envs] each), and info, as the class tells them with their units.

        actions: float [num_envs, ..], clipped to -1 .. 1. Raises ValueError for another shape or numbers that are not
        finite, and ResetNeeded where an environment has no episode.
        """
        if self._over.any():
            raise gym.error.ResetNeeded(
                f"environments {np.flatnonzero(self._over).tolist()} have no episode: reset() them, "
                'with options={"reset_mask": ...} those alone'
            )
        actions = np.asarray(actions, dtype=np.float64)
        if actions.shape != self.action_space.shape:
            raise ValueError(f"actions: an array of shape {self.action_space.shape}, not {actions.shape}")
        if not np.isfinite(actions).all():
            raise ValueError("actions: finite numbers")
        self._act(np.clip(actions, self._lowest, self._highest))
        self.worlds.advance(self.steps_per_action)
        self._elapsed += 1
        observations, rewards, terminations, info = self._observe()
        truncations = self._elapsed >= self.episode_steps
        self._over = terminations | truncations
        ends: dict[str, Any] = {}
        if self._over.any() and self.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP:
            over = self._over.copy()
            final = np.full(self.num_envs, None, dtype=object)
            for world in np.flatnonzero(over):
                final[world] = {key: value[world].copy() for key, value in observations.items()}
            ends = _masked({"final_obs": final, "final_info": _masked(info, over)}, over)
            self._start(over)
            begun, _, _, begun_info = self._observe()
            observations, info = _where(over, begun, observations), _where(over, begun_info, info)
        info = _masked(info, np.ones(self.num_envs, dtype=bool)) | ends
        self._show()
        return observations, rewards, terminations, truncations, info

    def render(self) -> tuple[np.ndarray, ...] | None:
        """Returns a picture of each environment with render_mode="rgb_array", uint8 [480, 640, 3], and None otherwise. With
        "human", reset() and step() show environment 0 by themselves."""
        if self.render_mode != "rgb_array":
            return None
        return tuple(self.worlds.render(world, *self.picture) for world in range(self.num_envs))

    def close_extras(self, **kwargs: Any) -> None:
        """Closes the window of render_mode="human"; close() calls this. kwargs are those of close(), and do not matter."""
        if self._window is not None:
            import pygame

            pygame.display.quit()
            self._window = None

    # Within.

    def _all_kept(self) -> list[np.ndarray]:
        return [self._elapsed, self._over, *self._kept()]

    def _check_episode(self, world: int) -> None:
        if not 0 <= world < self.num_envs:
            raise ValueError(f"there is no environment {world}: there are {self.num_envs}")
        if self._over[world]:
            raise gym.error.ResetNeeded(f"environment {world} has no episode: reset() it")

    def _mask_of(self, mask: np.ndarray | None) -> np.ndarray:
        if mask is None:
            return np.ones(self.num_envs, dtype=bool)
        if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_ or mask.shape != (self.num_envs,) or not mask.any():
            raise ValueError(f"reset_mask: an array of {self.num_envs} bool, at least one of them True")
        if not mask.all() and len(self._randoms) < self.num_envs:
            raise gym.error.ResetNeeded("the first reset() is of all environments")
        return mask

    def _start(self, mask: np.ndarray) -> None:
        worlds = np.flatnonzero(mask)
        randoms = [self._randoms[world] for world in worlds.tolist()]
        self.worlds.reset(worlds.tolist(), [int(random.integers(2**31)) for random in randoms])
        self._begin(worlds, randoms)
        self._elapsed[mask] = 0
        self._over[mask] = False

    def _show(self) -> None:
        if self.render_mode != "human":
            return
        try:
            import pygame
        except ModuleNotFoundError as missing:
            raise gym.error.DependencyNotInstalled("render_mode human needs pygame: pip install pygame") from missing
        if self._window is None:
            pygame.display.init()
            self._window = pygame.display.set_mode(self.picture)
            pygame.display.set_caption(self.worlds.scene.title)
        picture = self.worlds.render(0, *self.picture)
        self._window.blit(pygame.surfarray.make_surface(picture.swapaxes(0, 1)), (0, 0))
        pygame.event.pump()
        pygame.display.flip()


def _mode_of(mode: AutoresetMode | str) -> AutoresetMode:
    """By its name ("DISABLED"), its value ("Disabled"), or itself."""
    known = {text: m for m in AutoresetMode for text in (m.name, m.value)}
    found = known.get(mode) if isinstance(mode, str) else mode
    if found is AutoresetMode.NEXT_STEP:
        raise ValueError("autoreset_mode: SAME_STEP or DISABLED; all worlds step together, so none can wait for a step")
    if not isinstance(found, AutoresetMode):
        raise ValueError(f"autoreset_mode: SAME_STEP or DISABLED, not {mode!r}")
    return found


def _where(mask: np.ndarray, values: dict[str, np.ndarray], others: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Of the environments in the mask the one, of the rest the other."""
    return {
        key: np.where(mask.reshape(-1, *[1] * (value.ndim - 1)), value, others[key]) for key, value in values.items()
    }


def _masked(info: dict[str, Any], mask: np.ndarray) -> dict[str, Any]:
    """With a mask beside each entry, of the environments that it is of."""
    return info | {f"_{key}": mask.copy() for key in info}


class WorldEnv(gym.Env[dict[str, np.ndarray], np.ndarray]):
    """An environment that is the only world of a vector environment. A derived class names which: `vector`."""

    metadata: dict[str, Any] = {"render_modes": ["rgb_array", "human"], "render_fps": 10}
    vector: ClassVar[type[WorldsEnv]]

    def __init__(self, **settings: Any) -> None:
        """Sets the environment up. settings: those of the vector environment but num_envs and autoreset_mode."""
        self.worlds_env = self.vector(1, autoreset_mode=AutoresetMode.DISABLED, **settings)
        self.metadata = {**self.metadata, "render_fps": self.worlds_env.metadata["render_fps"]}
        self.render_mode = self.worlds_env.render_mode
        self.observation_space = self.worlds_env.single_observation_space
        self.action_space = self.worlds_env.single_action_space

    def __repr__(self) -> str:
        return repr(self.worlds_env).replace("Vector(num_envs=1, ", "(")

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """Begins an episode, and returns observation and info, whose shapes and units the class tells, as float32 [..].
        seed: of its random numbers; None goes on with those of the episode before. options do not matter."""
        super().reset(seed=seed)
        self.worlds_env._randoms[0] = self.np_random
        observations, info = self.worlds_env.reset()
        return _first(observations), _first(info)

    def step(self, action: np.ndarray) -> tuple[dict[str, np.ndarray], float, bool, bool, dict[str, Any]]:
        """Takes a step, and returns observation (float32 [..] each), reward, terminated, truncated and info, as the class
        tells them with their units. action: float [..], clipped to -1 .. 1. Raises as the vector environment does."""
        action = np.asarray(action)
        if action.shape != self.action_space.shape:
            raise ValueError(f"action: an array of shape {self.action_space.shape}, not {action.shape}")
        observations, rewards, terminations, truncations, info = self.worlds_env.step(action[None])
        return _first(observations), float(rewards[0]), bool(terminations[0]), bool(truncations[0]), _first(info)

    def render(self) -> np.ndarray | None:
        """Returns a picture with render_mode="rgb_array", uint8 [480, 640, 3], and None otherwise."""
        pictures = self.worlds_env.render()
        return None if pictures is None else pictures[0]

    def close(self) -> None:
        """Closes the window of render_mode="human"."""
        self.worlds_env.close()


def _first(values: dict[str, np.ndarray]) -> dict[str, Any]:
    return {key: value[0] for key, value in values.items() if not key.startswith("_")}

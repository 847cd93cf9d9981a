"""A tracked vehicle pushes gravel into a goal box (Millard et al. 2023, section III-A)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode

from .tracks import slip
from .vector import WorldEnv, WorldsEnv
from .worlds import Worlds, scene_text

SPEED, YAW_RATE = 0.5, 1.0  # m/s, rad/s of the tracks at full action
ACCELERATION = 2.0  # m/s2, of a track
MASS = 120.0  # kg
GAUGE, TRACK = 0.3, 0.44  # m: between the tracks, along one
GRIP, SHEAR = 0.7, 0.01  # of the tracks on the ground
REACH = 0.42  # m, how near to a wall its origin may come
EGO, SKY = (36, 36), (36, 72)  # height and width of the cameras' images [pixels]
EGO_FAR, SKY_FAR = 4.0, 1.0  # m
GOAL = np.array([[1.0, -0.6], [2.0, 0.6]])  # m, corners in x and y


class BulldozingVector(WorldsEnv):
    """Observation: "pose" x, y [m] and yaw [rad]; "ego" depth ahead, beyond the blade [m], float32 [36, 36], 4 where
    there is nothing; "sky" depth from 1 m above the ground [m], float32 [36, 72], the top row at the greatest y, the
    vehicle within.

    Action: forward speed and yaw rate of the tracks, as shares of 0.5 m/s and 1 rad/s.

    Reward: 100 / n for each of the n grains in the goal box, -d / n for each other, at a distance of d [m].

    Info: "goal", share of grains in the box; "slip" of the left and the right track, 0 .. 1; "force" [N] and "torque"
    [N m] of the grains on vehicle and blade, in the world, torque about the vehicle's origin.

    Tracks slip: each holds what the grains push back with, as far as its weight and its grip allow, by slipping as
    much as the ground then yields, and the vehicle goes as its tracks do.
    """

    def __init__(
        self,
        num_envs: int = 1,
        *,
        grains: int = 10_000,
        episode: float = 60.0,
        control: float = 0.1,
        device: str = "auto",
        threads: int = 0,
        render_mode: str | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
    ) -> None:
        """grains: number of them, 100 to a million; their radius makes the heap the same for any number.

        num_envs: number of environments. episode: its length [s]. control: length of an action [s]. device, threads: as
        of Simulation. render_mode: "rgb_array", "human" or None. autoreset_mode: SAME_STEP or DISABLED. Raises ValueError
        for any other value.
        """
        if not 100 <= grains <= 1_000_000:
            raise ValueError("grains: 100 .. 1000000")
        radius = 0.02 * (2000.0 / grains) ** (1.0 / 3.0)
        overrides = [f"grains.0.count={grains}", f"grains.0.radius=[{0.9 * radius:.6g}, {1.1 * radius:.6g}]"]
        worlds = Worlds(scene_text("bulldozing.toml"), "bulldozing.toml", overrides, num_envs, device, threads)
        low, high = worlds.scene.domain
        pose = np.array([high[0], high[1], np.pi], dtype=np.float32)
        super().__init__(
            num_envs,
            worlds,
            observation_space=spaces.Dict(
                {
                    "pose": spaces.Box(-pose, pose, dtype=np.float32),
                    "ego": spaces.Box(0.0, EGO_FAR, EGO, dtype=np.float32),
                    "sky": spaces.Box(0.0, SKY_FAR, SKY, dtype=np.float32),
                }
            ),
            action_space=spaces.Box(-1.0, 1.0, (2,), dtype=np.float32),
            control=control,
            episode=episode,
            render_mode=render_mode,
            autoreset_mode=autoreset_mode,
        )
        self._room = np.array([low[:2] + REACH, high[:2] - REACH])
        self._vehicle = [worlds.body("bulldozer", w) for w in range(num_envs)]
        self._pose = np.zeros((num_envs, 3))  # x, y, yaw
        self._force = np.zeros((num_envs, 3), dtype=np.float32)
        self._torque = np.zeros((num_envs, 3), dtype=np.float32)
        self._tracks = np.zeros((num_envs, 2))  # m/s, left and right
        self._slip = np.zeros((num_envs, 2))

    def _kept(self) -> list[np.ndarray]:
        return [self._pose, self._force, self._torque, self._tracks, self._slip]

    def _begin(self, worlds: np.ndarray, randoms: list[np.random.Generator]) -> None:
        for world, random in zip(worlds, randoms):
            x, y, yaw = random.uniform([-1.55, -0.4, -0.4], [-1.35, 0.4, 0.4])
            self.worlds.place_body(self._vehicle[world], (x, y, 0.0), (0.0, 0.0, np.sin(yaw / 2), np.cos(yaw / 2)))
        self._tracks[worlds] = self._slip[worlds] = 0.0

    def _act(self, actions: np.ndarray) -> None:
        forward, turn = actions[:, 0] * SPEED, actions[:, 1] * YAW_RATE
        wanted = forward[:, None] + turn[:, None] * (-0.5 * GAUGE, 0.5 * GAUGE)
        change = ACCELERATION * self.control
        self._tracks += np.clip(wanted - self._tracks, -change, change)
        # What holds each track back: half the force along it, and the moment about z by the gauge.
        heading = np.stack([np.cos(self._pose[:, 2]), np.sin(self._pose[:, 2])], axis=1)
        along = (self._force[:, :2] * heading).sum(axis=1)
        push = 0.5 * along[:, None] + self._torque[:, 2:] / GAUGE * (-1.0, 1.0)
        needed = slip(-np.sign(self._tracks) * push, 0.5 * MASS * 9.81, GRIP, TRACK, SHEAR)
        self._slip += 0.5 * (needed - self._slip)  # at once it would swing: the push falls while a track stands
        ground = self._tracks * (1.0 - self._slip)
        speed, rate = ground.mean(axis=1), (ground[:, 1] - ground[:, 0]) / GAUGE

        middle = self._pose[:, 2] + 0.5 * rate * self.control
        step = speed[:, None] * self.control * np.stack([np.cos(middle), np.sin(middle)], axis=1)
        to = np.clip(self._pose[:, :2] + step, *self._room)
        for world, vehicle in enumerate(self._vehicle):
            velocity = (to[world] - self._pose[world, :2]) / self.control
            self.worlds.drive_body(vehicle, (*velocity, 0.0), (0.0, 0.0, rate[world]))

    def _observe(self) -> tuple[dict[str, np.ndarray], np.ndarray, np.ndarray, dict[str, np.ndarray]]:
        self._read_bodies()
        position = self.worlds.positions()
        observations = {
            "pose": self._pose.astype(np.float32),
            "ego": self.worlds.depth("ego"),
            "sky": self.worlds.depth("sky"),
        }
        outside = np.maximum(GOAL[0] - position[..., :2], position[..., :2] - GOAL[1]).clip(min=0.0)
        distance = np.sqrt((outside.astype(np.float64) ** 2).sum(axis=-1))
        goal = (distance == 0.0).mean(axis=1)
        rewards = 100.0 * goal - distance.mean(axis=1)
        info = {"goal": goal, "slip": self._slip.copy(), "force": self._force.copy(), "torque": self._torque.copy()}
        return observations, rewards, np.zeros(self.num_envs, dtype=bool), info

    def _read_bodies(self) -> None:
        for world, vehicle in enumerate(self._vehicle):
            state = self.worlds.body_state(vehicle)
            z, w = state.rotation[2:]
            yaw = 2.0 * np.arctan2(z, w)
            self._pose[world] = *state.position[:2], np.arctan2(np.sin(yaw), np.cos(yaw))
        force, torque = self.worlds.loads()
        names = self.worlds.scene.bodies
        vehicle, blade = names.index("bulldozer"), names.index("blade")
        arm = 0.3 * np.stack([np.cos(self._pose[:, 2]), np.sin(self._pose[:, 2]), np.zeros(self.num_envs)], axis=1)
        self._force[:] = force[:, vehicle] + force[:, blade]
        self._torque[:] = torque[:, vehicle] + torque[:, blade] + np.cross(arm, force[:, blade])


class Bulldozing(WorldEnv):
    __doc__ = BulldozingVector.__doc__
    vector: ClassVar[type[WorldsEnv]] = BulldozingVector

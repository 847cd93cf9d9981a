"""An excavator digs a surface that is asked for out of ground that becomes grains where it is dug."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode

from .vector import WorldEnv, WorldsEnv
from .worlds import Worlds, scene_text

JOINTS = ("base", "boom", "stick", "bucket")
LOWEST = np.radians([-100.0, -40.0, -150.0, -160.0])
HIGHEST = np.radians([100.0, 70.0, -30.0, 20.0])
SPEED = 60.0  # degrees/s, of a joint at full action
LEVEL = 0.9  # m, of the ground at the start
HIGHEST_GROUND = 5.1  # m above it: the top of the domain
FORCE = 1e6  # N, that an observation shows
PIT = np.array([[1.6, 0.9, 0.15], [2.4, 1.5, 0.4]])  # m, least and greatest length, breadth and depth
PLACE = np.array([[4.3, 2.2], [5.2, 3.8]])  # m, where its middle may be


class SiteExcavationVector(WorldsEnv):
    """Observation: "joints" angles of base, boom, stick and bucket [rad], [4]; "ground" height of the soil above the
    level at which it began [m], float32 [rows along y, columns along x]; "target" height that is asked for, likewise;
    "wanted" 1 where it is, 0 where any height will do; "force" of the soil on the bucket [N], in the world, [3].

    Action: speeds of the four joints, as shares of 60 degrees/s. They reach them by 240 degrees/s2.

    Reward: by how much the volume between ground and target has shrunk [m3], where a height is wanted.

    Info: "volume" between ground and target, where a height is wanted [m3]; "moved" soil that lies lower than at the
    start [m3].

    The target is a pit of random length, breadth, depth, place and angle, and level ground around it as far as a metre;
    beyond, any height will do. With target= it is the same in every episode. Soil in the bucket counts where it is.
    """

    def __init__(
        self,
        num_envs: int = 1,
        *,
        radius: float = 0.05,
        target: np.ndarray | None = None,
        episode: float = 60.0,
        control: float = 0.1,
        device: str = "auto",
        threads: int = 0,
        render_mode: str | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
    ) -> None:
        """radius: mean radius of the grains, 0.02 to 0.08 [m]; columns of the ground are five times as wide. target: as the
        observation, NaN where any height will do.

        num_envs: number of environments. episode: its length [s]. control: length of an action [s]. device, threads: as
        of Simulation. render_mode: "rgb_array", "human" or None. autoreset_mode: SAME_STEP or DISABLED. Raises ValueError
        for any other value.
        """
        if not 0.02 <= radius <= 0.08:
            raise ValueError("radius: 0.02 .. 0.08 m")
        overrides = [f"soil.radius=[{0.9 * radius:.6g}, {1.1 * radius:.6g}]"]
        worlds = Worlds(scene_text("site_excavation.toml"), "site_excavation.toml", overrides, num_envs, device, threads)
        shape = worlds.soil_heights().shape[1:]
        heights = spaces.Box(-LEVEL, HIGHEST_GROUND, shape, dtype=np.float32)
        super().__init__(
            num_envs,
            worlds,
            observation_space=spaces.Dict(
                {
                    "joints": spaces.Box(LOWEST.astype(np.float32) - 0.01, HIGHEST.astype(np.float32) + 0.01),
                    "ground": heights,
                    "target": heights,
                    "wanted": spaces.MultiBinary(shape),
                    "force": spaces.Box(-FORCE, FORCE, (3,), dtype=np.float32),
                }
            ),
            action_space=spaces.Box(-1.0, 1.0, (4,), dtype=np.float32),
            control=control,
            episode=episode,
            render_mode=render_mode,
            autoreset_mode=autoreset_mode,
        )
        if target is not None and np.shape(target) != shape:
            raise ValueError(f"target: an array of shape {shape}, not {np.shape(target)}")
        low, high = worlds.scene.domain
        edge = (high[:2] - low[:2]) / shape[::-1]  # m, of a column
        self._area = float(edge[0] * edge[1])  # m2
        self._places = np.stack(np.meshgrid(*[low[a] + edge[a] * (np.arange(shape[1 - a]) + 0.5) for a in (0, 1)]), -1)
        self._given = target
        self._target = np.zeros((num_envs, *shape), dtype=np.float32)
        self._wanted = np.zeros((num_envs, *shape), dtype=np.int8)
        self._volume = np.zeros(num_envs)  # m3, at the last observation
        self._joints = [[worlds.body(joint, w) for joint in JOINTS] for w in range(num_envs)]
        self._bucket = worlds.scene.bodies.index("bucket")

    def _kept(self) -> list[np.ndarray]:
        return [self._target, self._wanted, self._volume]

    def _begin(self, worlds: np.ndarray, randoms: list[np.random.Generator]) -> None:
        for world, random in zip(worlds, randoms):
            wanted = self._random_pit(random) if self._given is None else np.asarray(self._given)
            self._wanted[world] = np.isfinite(wanted)
            self._target[world] = np.where(self._wanted[world], wanted, 0.0)
        self._volume[worlds] = self._volumes(self._ground())[worlds]

    def _random_pit(self, random: np.random.Generator) -> np.ndarray:
        """As target=."""
        length, breadth, depth = random.uniform(*PIT)
        at = self._places - random.uniform(*PLACE)
        angle = random.uniform(0.0, np.pi)
        along = np.array([np.cos(angle), np.sin(angle)])
        across = np.array([-along[1], along[0]])
        outside = np.maximum(np.abs(at @ along) - 0.5 * length, np.abs(at @ across) - 0.5 * breadth)  # m
        return np.select([outside <= 0.0, outside <= 1.0], [-depth, 0.0], np.nan)

    def _act(self, actions: np.ndarray) -> None:
        for joints, speeds in zip(self._joints, actions * SPEED):
            for joint, speed in zip(joints, speeds):
                self.worlds.drive_joint(joint, speed)

    def _ground(self) -> np.ndarray:
        return self.worlds.soil_heights() - np.float32(LEVEL)

    def _volumes(self, ground: np.ndarray) -> np.ndarray:
        off = np.where(self._wanted, np.abs(ground.astype(np.float64) - self._target), 0.0)
        volumes: np.ndarray = self._area * off.sum(axis=(1, 2))
        return volumes

    def _observe(self) -> tuple[dict[str, np.ndarray], np.ndarray, np.ndarray, dict[str, np.ndarray]]:
        ground = self._ground()
        joints = np.radians([[self.worlds.joint_state(joint).value for joint in joints] for joints in self._joints])
        force, _ = self.worlds.loads()
        observations = {
            "joints": joints.astype(np.float32),
            "ground": ground,
            "target": self._target.copy(),
            "wanted": self._wanted.copy(),
            "force": np.clip(force[:, self._bucket], -FORCE, FORCE).astype(np.float32),
        }
        volume = self._volumes(ground)
        rewards = self._volume - volume
        self._volume[:] = volume
        moved = self._area * np.maximum(-ground.astype(np.float64), 0.0).sum(axis=(1, 2))
        return observations, rewards, np.zeros(self.num_envs, dtype=bool), {"volume": volume.copy(), "moved": moved}


class SiteExcavation(WorldEnv):
    __doc__ = SiteExcavationVector.__doc__
    vector: ClassVar[type[WorldsEnv]] = SiteExcavationVector

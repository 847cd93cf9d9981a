"""Helical gears in a tube carry gravel down, and what leaves below comes in above (Millard et al. 2023, section III-B)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode

from .vector import WorldEnv, WorldsEnv
from .worlds import Worlds

FLOOR = 0.25  # m of height for each gear
SLOWEST, FASTEST = 1.0, 5.0  # rad/s that a gear can do at most
TORQUE = 100.0  # N m, where observed torques are cut off
BINS = 4  # of height, per gear

SCENE = """
[scene]
title = "Gear tower"
[time]
dt = 0.004166666666666667
end = 60.0
[solver]
substeps = 10
[domain]
min = [-0.32, -0.32, 0.0]
max = [0.32, 0.32, {height}]
z = "periodic"
[[material]]
preset = "gravel"
[[material]]
name = "steel"
friction = 0.3
[[grains]]
material = "gravel"
radius = [{least:.6g}, {most:.6g}]
fill.box = {{ min = [-0.28, -0.11, 0.0], max = [0.28, 0.11, {height}] }}
count = {grains}
# Taller than the domain, so that it has no end. Two plates in it leave no room before and behind the gears.
[[body]]
name = "tube"
material = "steel"
color = [0.3, 0.36, 0.42]
show = "cut"
position = [0, 0, {middle}]
parts = [
  {{ cylinder = {{ radius = 0.315, height = {tube} }} }},
  {{ cylinder = {{ radius = 0.3, height = {bore} }}, subtract = true }},
  {{ box = {{ size = [0.565, 0.03, {tube}] }}, position = [0, -0.125, 0] }},
  {{ box = {{ size = [0.565, 0.03, {tube}] }}, position = [0, 0.125, 0] }},
]
[camera]
eye = [0.3, {back}, {middle}]
target = [0.0, 0.0, {middle}]
fov = 31.0
"""
GEAR = """
[[body]]
name = "gear_{number}"
material = "steel"
color = {color}
gear = {{ module = 0.02, teeth = 12, width = 0.2, helix_angle = {helix}, as = "sdf" }}
position = [{x}, 0, {z}]
rotation = [90, 0, 0]
load_filter = 0.2
"""


def tower(gears: int, grains: int) -> str:
    """Returns the text of a scene of so many gears and grains. Gears are left and right by turns, so that no way down
    leads past all of them."""
    height = FLOOR * gears
    radius = 0.009 * (750.0 * gears / grains) ** (1.0 / 3.0)
    text = SCENE.format(
        height=height, middle=height / 2, tube=height + 0.2, bore=height + 0.4, back=-2.0 * height, grains=grains,
        least=0.95 * radius, most=1.05 * radius,
    )  # fmt: skip
    for gear in range(gears):
        left = gear % 2 == 0
        text += GEAR.format(
            number=gear + 1,
            color=[0.55, 0.33, 0.08] if left else [0.16, 0.24, 0.36],
            helix=20 if left else -20,
            x=-0.11 if left else 0.11,
            z=height - FLOOR * (gear + 0.5),
        )
    return text


class GearTowerVector(WorldsEnv):
    """Observation: "spins" of the gears [rad/s], [gears]; "torques" of the gravel on them about their axes [N m],
    [gears]; "density" share of the grains at each height, from below, [4 gears].

    Action: spins of the gears, as shares of what each can do; that is drawn from 1 .. 5 rad/s when an episode begins.

    Reward: grains that went down out of the tower and came in above, less those that went up, as a share of all.

    Info: "flow", that reward per second; "most", the spins that the gears can do [rad/s]; "torques", not cut off.
    """

    def __init__(
        self,
        num_envs: int = 1,
        *,
        gears: int = 8,
        grains: int = 6000,
        episode: float = 20.0,
        control: float = 0.1,
        device: str = "auto",
        threads: int = 0,
        render_mode: str | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
    ) -> None:
        """gears: number of them, even, 2 to 1000. grains: number of them, 100 to a million; their radius fills the tower
        alike for any number.

        num_envs: number of environments. episode: its length [s]. control: length of an action [s]. device, threads: as
        of Simulation. render_mode: "rgb_array", "human" or None. autoreset_mode: SAME_STEP or DISABLED. Raises ValueError
        for any other value.
        """
        if not 2 <= gears <= 1000 or gears % 2:
            raise ValueError("gears: 2 .. 1000, an even number")
        if not 100 <= grains <= 1_000_000:
            raise ValueError("grains: 100 .. 1000000")
        worlds = Worlds(tower(gears, grains), "gear_tower.toml", [], num_envs, device, threads)
        super().__init__(
            num_envs,
            worlds,
            observation_space=spaces.Dict(
                {
                    "spins": spaces.Box(-FASTEST, FASTEST, (gears,), dtype=np.float32),
                    "torques": spaces.Box(-TORQUE, TORQUE, (gears,), dtype=np.float32),
                    "density": spaces.Box(0.0, 1.0, (BINS * gears,), dtype=np.float32),
                }
            ),
            action_space=spaces.Box(-1.0, 1.0, (gears,), dtype=np.float32),
            control=control,
            episode=episode,
            render_mode=render_mode,
            autoreset_mode=autoreset_mode,
        )
        names = [f"gear_{gear + 1}" for gear in range(gears)]
        self._gears = [[worlds.body(name, w) for name in names] for w in range(num_envs)]
        self._turning = [worlds.scene.bodies.index(name) for name in names]
        self._height = FLOOR * gears
        self._most = np.ones((num_envs, gears))
        self._spins = np.zeros((num_envs, gears))
        # Of the grains at the last observation: m, m/s.
        self._z = np.zeros((num_envs, grains), dtype=np.float32)
        self._fall = np.zeros_like(self._z)

    def _kept(self) -> list[np.ndarray]:
        return [self._most, self._spins, self._z, self._fall]

    def _begin(self, worlds: np.ndarray, randoms: list[np.random.Generator]) -> None:
        for world, random in zip(worlds, randoms):
            self._most[world] = random.uniform(SLOWEST, FASTEST, self._most.shape[1])
        self._spins[worlds] = 0.0
        positions, velocities = self.worlds.motions()
        self._z[worlds] = positions[worlds, :, 2]
        self._fall[worlds] = velocities[worlds, :, 2]

    def _act(self, actions: np.ndarray) -> None:
        self._spins = actions * self._most
        for gears, spins in zip(self._gears, self._spins):
            for gear, spin in zip(gears, spins):
                self.worlds.drive_body(gear, (0.0, 0.0, 0.0), (0.0, spin, 0.0))

    def _observe(self) -> tuple[dict[str, np.ndarray], np.ndarray, np.ndarray, dict[str, np.ndarray]]:
        z, fall = (vectors[..., 2].copy() for vectors in self.worlds.motions())  # kept until the next observation
        # Times round: what lies between the way that its speeds tell of a grain, and that from place to place.
        way = 0.5 * (self._fall + fall) * self.control
        down = np.rint((z - self._z - way) / self._height)
        self._z, self._fall = z, fall
        rewards = down.mean(axis=1, dtype=np.float64)
        torques = self.worlds.loads()[1][:, self._turning, 1].astype(np.float64)
        bins = BINS * self._spins.shape[1]
        level = np.clip((z / self._height * bins).astype(np.int64), 0, bins - 1)
        density = np.stack([np.bincount(world, minlength=bins) for world in level]) / z.shape[1]
        observations = {
            "spins": self._spins.astype(np.float32),
            "torques": np.clip(torques, -TORQUE, TORQUE).astype(np.float32),
            "density": density.astype(np.float32),
        }
        info = {"flow": rewards / self.control, "most": self._most.copy(), "torques": torques}
        return observations, rewards, np.zeros(self.num_envs, dtype=bool), info


class GearTower(WorldEnv):
    __doc__ = GearTowerVector.__doc__
    vector: ClassVar[type[WorldsEnv]] = GearTowerVector

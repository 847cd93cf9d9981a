"""Many worlds of one scene that step together."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files

import numpy as np

from .. import _core


def scene_text(name: str) -> str:
    """Of a scene of this package."""
    return files("talus.envs").joinpath(name).read_text()


class Worlds:
    """W worlds of a scene, side by side in one simulation, each with its own seed.

    Bodies of world w have the numbers w * B + b, for B bodies of the scene. All worlds have as many grains, and none is
    poured or taken away.
    """

    def __init__(
        self, text: str, name: str, overrides: Sequence[str], count: int, device: str = "auto", threads: int = 0
    ) -> None:
        self.count = count
        scene = _core.parse_scene(text, name, [*overrides, f"scene.worlds={count}"])
        # A shelf gives the only world, too, places of its own, without which it could not be reset.
        self._simulation = _core.Simulation(scene, device=device, threads=threads, timing=False, shelves=1)
        self.scene = self._simulation.scene
        self._bodies = len(self.scene.bodies)

    @property
    def device(self) -> str:
        return self._simulation.device.name

    def reset(self, worlds: Sequence[int], seeds: Sequence[int]) -> None:
        """These worlds start anew, each with the random arrangement of its seed."""
        self._simulation.reset_worlds(worlds, seeds)

    def fork(self, world: int, to: Sequence[int]) -> None:
        """Other worlds become as this one is."""
        self._simulation.fork_world(world, to)

    def save(self, world: int) -> None:
        """Keeps the state of a world, in place of the one that was kept before."""
        self._simulation.save_world(world, 0)

    def restore(self, worlds: Sequence[int]) -> None:
        """These worlds become as the one was whose state is kept."""
        self._simulation.restore_world(0, worlds)

    def advance(self, steps: int) -> None:
        self._simulation.advance(steps)

    def body(self, name: str, world: int = 0) -> int:
        return self._simulation.body(name, world)

    def body_state(self, body: int) -> _core.BodyState:
        return self._simulation.body_state(body)

    def joint_state(self, body: int) -> _core.JointState:
        return self._simulation.joint_state(body)

    def place_body(self, body: int, position, rotation=(0.0, 0.0, 0.0, 1.0)) -> None:
        self._simulation.place_body(body, position, rotation)

    def drive_body(self, body: int, velocity, spin=(0.0, 0.0, 0.0), **limits) -> None:
        self._simulation.drive_body(body, velocity, spin, **limits)

    def drive_joint(self, body: int, speed: float) -> None:
        self._simulation.drive_joint(body, speed)

    def positions(self) -> np.ndarray:
        """[m], float32 [W, n, 3], by id."""
        return self._simulation.grains().position.reshape(self.count, -1, 3)

    def velocities(self) -> np.ndarray:
        """[m/s], float32 [W, n, 3], likewise."""
        return self._simulation.grains().velocity.reshape(self.count, -1, 3)

    def masses(self) -> np.ndarray:
        """[kg], float32 [W, n], likewise."""
        memory = self._simulation.grain_memory()
        inverse, ids, radii = (a.reshape(self.count, -1) for a in (memory.inverse_mass, memory.id, memory.radius))
        grains = (radii > 0.0).sum(axis=1)[0]  # empty places have the last of all ids
        return 1.0 / np.take_along_axis(inverse, np.argsort(ids, axis=1)[:, :grains], axis=1)

    def depth(self, camera: str) -> np.ndarray:
        """What a depth camera of the scene sees, float32 [W, height, width] [m]."""
        return self._simulation.depth(camera).copy()  # to write to

    def loads(self) -> tuple[np.ndarray, np.ndarray]:
        """Filtered force [N] and torque about its origin [N m] of each body, float32 [W, B, 3] each."""
        loads = self._simulation.body_loads()
        shape = (self.count, self._bodies, 3)
        return loads.force_filtered.reshape(shape), loads.torque_filtered.reshape(shape)

    def soil_heights(self) -> np.ndarray:
        """How high the ground is above the floor of the domain [m], float32 [W, rows along y, columns along x]."""
        return np.stack([self._simulation.soil_heights(world) for world in range(self.count)])

    def state_hash(self, world: int) -> int:
        return self._simulation.state_hash(world)

    def render(self, world: int, width: int, height: int) -> np.ndarray:
        return self._simulation.render(width, height, world=world)

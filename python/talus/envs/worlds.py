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
    """W worlds of a scene, each with its own seed.

    Bodies of world w have the numbers w * B + b, for B bodies of the scene. One simulation per world, all on one device.
    """

    def __init__(
        self, text: str, name: str, overrides: Sequence[str], count: int, device: str = "auto", threads: int = 0
    ) -> None:
        self._text, self._name, self._overrides = text, name, list(overrides)
        self._device, self._threads = device, threads
        self._devices = _core.keep_devices_open()
        self.scene = self._read(0)
        self.count = count
        self._bodies = len(self.scene.bodies)
        self._simulations: dict[int, _core.Simulation] = {}  # by world

    def _read(self, seed: int) -> _core.Scene:
        return _core.parse_scene(self._text, self._name, [*self._overrides, f"scene.seed={seed}"])

    def reset(self, worlds: Sequence[int], seeds: Sequence[int]) -> None:
        """These worlds start anew, each with the random arrangement of its seed."""
        for world, seed in zip(worlds, seeds):
            self._simulations.pop(world, None)  # leaves its device to the next
            self._simulations[world] = _core.Simulation(
                self._read(seed), device=self._device, threads=self._threads, timing=False, devices=self._devices
            )

    def advance(self, steps: int) -> None:
        for simulation in self._simulations.values():
            simulation.advance(steps)

    def body(self, name: str, world: int = 0) -> int:
        return world * self._bodies + self.scene.bodies.index(name)

    def _of(self, body: int) -> tuple[_core.Simulation, int]:
        world, local = divmod(body, self._bodies)
        return self._simulations[world], local

    def body_state(self, body: int) -> _core.BodyState:
        simulation, local = self._of(body)
        return simulation.body_state(local)

    def joint_state(self, body: int) -> _core.JointState:
        simulation, local = self._of(body)
        return simulation.joint_state(local)

    def move_body(self, body: int, position, rotation=(0.0, 0.0, 0.0, 1.0), **limits) -> None:
        simulation, local = self._of(body)
        simulation.move_body(local, position, rotation, **limits)

    def drive_body(self, body: int, velocity, spin=(0.0, 0.0, 0.0), **limits) -> None:
        simulation, local = self._of(body)
        simulation.drive_body(local, velocity, spin, **limits)

    def drive_joint(self, body: int, speed: float) -> None:
        simulation, local = self._of(body)
        simulation.drive_joint(local, speed)

    def _all(self) -> list[_core.Simulation]:
        return [self._simulations[world] for world in range(self.count)]

    def positions(self) -> np.ndarray:
        """[m], float32 [W, n, 3], by id: all worlds have as many grains, and none is poured or taken away."""
        return np.stack([simulation.grains().position for simulation in self._all()])

    def velocities(self) -> np.ndarray:
        """[m/s], float32 [W, n, 3], likewise."""
        return np.stack([simulation.grains().velocity for simulation in self._all()])

    def radii(self) -> np.ndarray:
        """[m], float32 [W, n], likewise."""
        return np.stack([simulation.grains().radius for simulation in self._all()])

    def masses(self) -> np.ndarray:
        """[kg], float32 [W, n], likewise."""
        memories = [simulation.grain_memory() for simulation in self._all()]
        return np.stack([1.0 / memory.inverse_mass[np.argsort(memory.id)] for memory in memories])

    def loads(self) -> tuple[np.ndarray, np.ndarray]:
        """Filtered force [N] and torque about its origin [N m] of each body, float32 [W, B, 3] each."""
        loads = [simulation.body_loads() for simulation in self._all()]
        return np.stack([l.force_filtered for l in loads]), np.stack([l.torque_filtered for l in loads])

    def state_hash(self, world: int) -> int:
        return self._simulations[world].state_hash()

    def render(self, world: int, width: int, height: int) -> np.ndarray:
        return self._simulations[world].render(width, height)

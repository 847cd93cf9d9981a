"""Many worlds of one scene that step together."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _core


# Three or four numbers, as the commands of a simulation take them.
Numbers = Sequence[float] | NDArray[Any]


def scene_text(name: str) -> str:
    """Returns the text of a scene file of this package, by its name."""
    return files("talus.envs").joinpath(name).read_text()


class Worlds:
    """W worlds of a scene, side by side in one simulation, each with its own seed.

    Bodies of world w have the numbers w * B + b, for B bodies of the scene. All worlds have the same number n of
    grains, and none is poured or taken away.
    """

    def __init__(
        self, text: str, name: str, overrides: Sequence[str], count: int, device: str = "auto", threads: int = 0
    ) -> None:
        """Sets the worlds up. text: of the scene; name: of its file, for messages; overrides: "table.key=value" each;
        count: W; device, threads: as of Simulation. Raises SceneError, DeviceError or ResourceError."""
        self.count = count
        scene = _core.parse_scene(text, name, [*overrides, f"scene.worlds={count}"])
        # A shelf gives the only world, too, places of its own, without which it could not be reset.
        self._simulation = _core.Simulation(scene, device=device, threads=threads, timing=False, shelves=1)
        self.scene = self._simulation.scene
        self._bodies = len(self.scene.bodies)

    def __repr__(self) -> str:
        return f"Worlds({self.count}, {self._simulation!r})"

    @property
    def grain_count(self) -> int:
        """Number n of grains of each world."""
        return self._simulation.grain_count // self.count

    @property
    def device(self) -> str:
        """Name of the device."""
        return self._simulation.device.name

    def reset(self, worlds: Sequence[int], seeds: Sequence[int]) -> None:
        """Starts worlds anew, each with the random arrangement of its seed: worlds and seeds are as many numbers."""
        self._simulation.reset_worlds(worlds, seeds)

    def fork(self, world: int, to: Sequence[int]) -> None:
        """Copies a world, by its number, into others, whose numbers are in `to`."""
        self._simulation.fork_world(world, to)

    def save(self, world: int) -> None:
        """Keeps the state of a world, by its number, in place of the one that was kept before."""
        self._simulation.save_world(world, 0)

    def restore(self, worlds: Sequence[int]) -> None:
        """Copies the state that is kept into worlds, by their numbers. Raises ValueError where none is kept."""
        self._simulation.restore_world(0, worlds)

    def advance(self, steps: int) -> None:
        """Advances all worlds by a number of steps of the scene."""
        self._simulation.advance(steps)

    def body(self, name: str, world: int = 0) -> int:
        """Returns the number of the body of this name in a world. Raises ValueError where there is none."""
        return self._simulation.body(name, world)

    def body_state(self, body: int) -> _core.BodyState:
        """Returns pose and velocities of a body, by its number."""
        return self._simulation.body_state(body)

    def joint_state(self, body: int) -> _core.JointState:
        """Returns value and speed of the joint that a body, by its number, hangs on."""
        return self._simulation.joint_state(body)

    def place_body(self, body: int, position: Numbers, rotation: Numbers = (0.0, 0.0, 0.0, 1.0)) -> None:
        """Puts a body, by its number, at a position [m] and rotation (quaternion x, y, z, w), at once and at rest."""
        self._simulation.place_body(body, position, rotation)

    def drive_body(self, body: int, velocity: Numbers, spin: Numbers = (0.0, 0.0, 0.0), **limits: float) -> None:
        """Drives a body, by its number, with a velocity [m/s] and a spin [rad/s]. limits: as of Simulation.drive_body()."""
        self._simulation.drive_body(body, velocity, spin, **limits)

    def drive_joint(self, body: int, speed: float) -> None:
        """Drives the joint that a body, by its number, hangs on with a speed [degrees/s or m/s]."""
        self._simulation.drive_joint(body, speed)

    def motions(self) -> tuple[np.ndarray, np.ndarray]:
        """Returns the centres [m] and the velocities [m/s] of the grains, sorted by id, float32 [W, n, 3] each, as views of
        one copy: positions() and velocities() one after the other make two."""
        grains = self._simulation.grains()
        return grains.position.reshape(self.count, -1, 3), grains.velocity.reshape(self.count, -1, 3)

    def positions(self) -> np.ndarray:
        """Returns the centres of the grains, sorted by id [m], float32 [W, n, 3]."""
        return self._simulation.grains().position.reshape(self.count, -1, 3)

    def velocities(self) -> np.ndarray:
        """Returns the velocities of the grains, sorted by id [m/s], float32 [W, n, 3]."""
        return self._simulation.grains().velocity.reshape(self.count, -1, 3)

    def masses(self) -> np.ndarray:
        """Returns the masses of the grains, sorted by id [kg], float32 [W, n]."""
        memory = self._simulation.grain_memory()
        inverse, ids, radii = (a.reshape(self.count, -1) for a in (memory.inverse_mass, memory.id, memory.radius))
        grains = (radii > 0.0).sum(axis=1)[0]  # empty places have the last of all ids
        masses: np.ndarray = 1.0 / np.take_along_axis(inverse, np.argsort(ids, axis=1)[:, :grains], axis=1)
        return masses

    def depth(self, camera: str) -> np.ndarray:
        """Returns what a depth camera of the scene, by its name, sees [m], float32 [W, height, width]."""
        images: np.ndarray = self._simulation.depth(camera)  # the caller's alone, to write to
        return images

    def loads(self) -> tuple[np.ndarray, np.ndarray]:
        """Returns filtered force [N] and torque about the origin [N m] of each body, float32 [W, B, 3] each."""
        loads = self._simulation.body_loads()
        shape = (self.count, self._bodies, 3)
        return loads.force_filtered.reshape(shape), loads.torque_filtered.reshape(shape)

    def soil_heights(self) -> np.ndarray:
        """Returns heights of the ground above the floor of the domain [m], float32 [W, rows along y, columns along x]."""
        return np.stack([self._simulation.soil_heights(world) for world in range(self.count)])

    def state_hash(self, world: int) -> int:
        """Returns a hash of 64 bits over the grains of a world, by its number."""
        return self._simulation.state_hash(world)

    def render(self, world: int, width: int, height: int) -> np.ndarray:
        """Draws a world, by its number, width x height pixels, and returns sRGB colours, uint8 [height, width, 3]."""
        return self._simulation.render(width, height, world=world)

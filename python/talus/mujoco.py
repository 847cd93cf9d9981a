"""MuJoCo models beside grains: bodies of a model as bodies of a scene, and both stepped together.

Needs the package mujoco (``pip install talus[mujoco]``). Lengths are in m, masses in kg, as both programs have them.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import talus

try:
    import mujoco
except ImportError as e:  # pragma: no cover
    raise ImportError("talus.mujoco needs the package mujoco: pip install talus[mujoco]") from e

__all__ = ["CoSimulation", "bodies"]

Array = npt.NDArray[np.float64]


def _matrix(quaternion: npt.ArrayLike) -> Array:
    """Rotation matrix [3, 3] of a quaternion w, x, y, z."""
    out = np.empty(9)
    mujoco.mju_quat2Mat(out, np.asarray(quaternion, dtype=np.float64))
    return out.reshape(3, 3)


def _angles(matrix: Array) -> list[float]:
    """Angles [degrees] about the fixed axes x, then y, then z of a rotation matrix [3, 3], as scenes have them."""
    cosine = math.hypot(matrix[0, 0], matrix[1, 0])
    y = math.atan2(-matrix[2, 0], cosine)
    if cosine > 1e-8:
        x, z = math.atan2(matrix[2, 1], matrix[2, 2]), math.atan2(matrix[1, 0], matrix[0, 0])
    else:  # x and z turn about one axis
        x, z = 0.0, math.atan2(-matrix[0, 1], matrix[1, 1])
    return [math.degrees(angle) for angle in (x, y, z)]


def _mesh_file(model: Any, geom: int, folder: Path) -> Path:
    """Writes the mesh of a geom, in the geom's frame, where it is not there yet, and returns the file."""
    mesh = int(model.geom_dataid[geom])
    first, count = model.mesh_vertadr[mesh], model.mesh_vertnum[mesh]
    vertices = np.asarray(model.mesh_vert[first : first + count], dtype=np.float64)
    first, count = model.mesh_faceadr[mesh], model.mesh_facenum[mesh]
    faces = np.asarray(model.mesh_face[first : first + count]) + 1
    text = "".join(f"v {x:.9g} {y:.9g} {z:.9g}\n" for x, y, z in vertices)
    text += "".join(f"f {a} {b} {c}\n" for a, b, c in faces)
    name = model.mesh(mesh).name.replace("/", "_")
    file = folder / f"{name}_{hashlib.sha256(text.encode()).hexdigest()[:12]}.obj"
    if not file.exists():
        folder.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return file


def _part(model: Any, geom: int, folder: Path | None) -> dict[str, Any]:
    """Returns a part of a [[body]] in the frame of the geom's body."""
    kind, size = mujoco.mjtGeom(model.geom_type[geom]), model.geom_size[geom]
    what = f"geom {model.geom(geom).name or geom} of body {model.body(int(model.geom_bodyid[geom])).name}"
    shapes = mujoco.mjtGeom
    part: dict[str, Any]
    if kind == shapes.mjGEOM_PLANE:
        part = {"plane": {}}
    elif kind == shapes.mjGEOM_SPHERE:
        part = {"sphere": {"radius": float(size[0])}}
    elif kind == shapes.mjGEOM_CAPSULE:
        part = {"capsule": {"radius": float(size[0]), "height": 2 * float(size[1] + size[0])}}
    elif kind == shapes.mjGEOM_CYLINDER:
        part = {"cylinder": {"radius": float(size[0]), "height": 2 * float(size[1])}}
    elif kind == shapes.mjGEOM_BOX:
        part = {"box": {"size": [2 * float(s) for s in size]}}
    elif kind == shapes.mjGEOM_MESH:
        if folder is None:
            raise ValueError(f"{what} is a mesh: say in meshes= which folder its file may be written to")
        part = {"mesh": {"file": str(_mesh_file(model, geom, folder).resolve())}}
    else:
        raise ValueError(f"{what} is of the type {kind.name}, which Talus does not have; it has plane, sphere, capsule, "
                         "cylinder, box, mesh")
    part["position"] = [float(x) for x in model.geom_pos[geom]]
    part["rotation"] = _angles(_matrix(model.geom_quat[geom]))
    return part


def bodies(
    model: Any,
    data: Any | None = None,
    names: Iterable[str] | None = None,
    *,
    material: str | None = None,
    prefix: str = "",
    meshes: str | Path | None = None,
) -> list[dict[str, Any]]:
    """Returns the bodies of a MuJoCo model as [[body]] tables of a scene, which grains touch and which move as they are told.

    model, data: mujoco.MjModel, and the mujoco.MjData whose poses they start at (default: those of qpos0). names: which
    bodies (default: all with a geom that collides). material: name of the material of their contacts with grains. prefix:
    goes before their names. meshes: folder that the files of mesh geoms are written to; grains touch the mesh itself, where
    MuJoCo takes its convex hull.

    Geoms that collide with nothing (contype and conaffinity 0) are left out. Raises ValueError for names that the model
    does not have, and for geoms that Talus does not have (height fields, ellipsoids, signed distance functions).
    """
    if data is None:
        data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)  # poses of data.qpos, also where nothing has been computed yet
    folder = None if meshes is None else Path(meshes)
    known = [model.body(b).name for b in range(model.nbody)]
    wanted = known if names is None else list(names)
    tables = []
    for name in wanted:
        if name not in known:
            raise ValueError(f'the model has no body "{name}"; there are: {", ".join(known)}')
        body = known.index(name)
        first = int(model.body_geomadr[body])
        geoms = [
            geom
            for geom in range(first, first + int(model.body_geomnum[body]))
            if model.geom_contype[geom] or model.geom_conaffinity[geom]
        ]
        if not geoms:
            if names is None:
                continue
            raise ValueError(f"body {name} has no geom that collides: grains would not touch it")
        table: dict[str, Any] = {
            "name": prefix + name,
            "position": [float(x) for x in data.xpos[body]],
            "rotation": _angles(np.asarray(data.xmat[body]).reshape(3, 3)),
            "parts": [_part(model, geom, folder) for geom in geoms],
        }
        if material is not None:
            table["material"] = material
        tables.append(table)
    return tables


class CoSimulation:
    """Steps a MuJoCo model and a simulation of grains together: poses go to the grains, forces and torques come back.

    A step is one of the scene's ``dt``, in which MuJoCo makes dt / timestep steps of its own. Each body of the pairs moves in
    the simulation as MuJoCo moved it, and MuJoCo has the mean force and torque that grains exerted on it over a step
    (``xfrc_applied``, which this class owns for these bodies). Grains and bodies see each other through this exchange alone:
    the bodies of the pairs have no mass in the scene, and contacts among them are MuJoCo's.

    With ``iterations = 1`` the forces are those of the step before. That is stable for bodies whose mass is large beside the
    stiffness of the grains below them: with a stiffness k of all contacts of a body of mass m, k dt^2 / m must be well
    below 1. With more iterations a step is repeated until the forces with which MuJoCo moves are those that grains exert,
    with Aitken's relaxation (Küttler and Wall 2008, doi:10.1007/s00466-008-0255-5), which bears lighter bodies; it needs
    ``Simulation(shelves=1)``.
    """

    def __init__(
        self,
        model: Any,
        data: Any,
        simulation: talus.Simulation,
        pairs: Mapping[str, str] | None = None,
        *,
        iterations: int = 1,
        tolerance: float = 1e-3,
    ) -> None:
        """Pairs bodies of both.

        model, data: mujoco.MjModel and mujoco.MjData, which step() steps. simulation: of a scene with the bodies. pairs: the
        name of a MuJoCo body to that of a body of the scene (default: all bodies of the same name). iterations: at most, in a
        step. tolerance: of the forces, relative to the greatest of them in the step, or to the least weight of a body where
        that is more. Raises ValueError for names that one of the two does not have, for a dt that is no multiple of the
        model's timestep, for bodies that have a mass in the scene, and for iterations without a shelf.
        """
        self.model, self.data, self.simulation = model, data, simulation
        scene = simulation.scene
        known = [model.body(b).name for b in range(model.nbody)]
        if pairs is None:
            pairs = {name: name for name in scene.bodies if name in known}
        if not pairs:
            raise ValueError("no body of the scene has the name of one of the model: give pairs")
        for name, other in pairs.items():
            if name not in known:
                raise ValueError(f'the model has no body "{name}"; there are: {", ".join(known)}')
            if other not in scene.bodies:
                raise ValueError(f'the scene has no body "{other}"; there are: {", ".join(scene.bodies)}')
        self._mujoco_bodies = [known.index(name) for name in pairs]
        self._names = list(pairs.values())
        self._bodies = [scene.bodies.index(name) for name in self._names]
        self.substeps = round(scene.dt / model.opt.timestep)
        if self.substeps < 1 or abs(self.substeps * model.opt.timestep - scene.dt) > 1e-9:
            raise ValueError(
                f"time.dt = {scene.dt} s is no multiple of the model's timestep, {model.opt.timestep} s: set one of the two"
            )
        if iterations < 1:
            raise ValueError(f"iterations = {iterations} must be at least 1")
        if iterations > 1:
            try:
                simulation.save_world(0, 0)  # where a step begins
            except ValueError as e:
                raise ValueError(f"iterations need Simulation(shelves=1), where a step begins: {e}") from e
        self.iterations, self.tolerance = iterations, tolerance
        # Of grains on the bodies of the pairs, about the origins of the bodies, [P, 6]: N and N m.
        self.wrenches: Array = np.zeros((len(self._names), 6))
        self.iterations_made = 0  # in the last step
        gravity = float(np.linalg.norm(model.opt.gravity))
        self._weight = gravity * float(model.body_subtreemass[self._mujoco_bodies].min())  # N, with what hangs on it
        self._kind = mujoco.mjtState.mjSTATE_INTEGRATION
        self._state = np.empty(mujoco.mj_stateSize(model, self._kind))
        mujoco.mj_forward(model, data)
        self._pose_bodies()

    def step(self, steps: int = 1) -> None:
        """Makes so many steps of the scene's dt."""
        for _ in range(steps):
            self._step()

    def _step(self) -> None:
        if self.iterations == 1:
            self.wrenches = self._try(self.wrenches)
            self.iterations_made = 1
            return
        mujoco.mj_getState(self.model, self.data, self._state, self._kind)
        self.simulation.save_world(0, 0)
        given, omega, before = self.wrenches, 0.5, None
        for made in range(1, self.iterations + 1):
            if made > 1:
                mujoco.mj_setState(self.model, self.data, self._state, self._kind)
                mujoco.mj_forward(self.model, self.data)
                self.simulation.restore_world(0, [0])
            answer = self._try(given)
            residual = answer - given
            scale = max(float(np.abs(answer).max()), self._weight)
            if made == self.iterations or float(np.abs(residual).max()) <= self.tolerance * scale:
                break
            if before is not None:
                change = residual - before
                square = float(np.sum(change * change))
                omega = -omega * float(np.sum(before * change)) / square if square > 0.0 else omega
            before = residual
            given = given + omega * residual
        self.wrenches = answer
        self.iterations_made = made

    def _try(self, wrenches: Array) -> Array:
        """Makes a step with these forces on MuJoCo's bodies, and returns those that grains exerted in it."""
        data = self.data
        for _ in range(self.substeps):
            for body, wrench in zip(self._mujoco_bodies, wrenches):
                arm = data.xpos[body] - data.xipos[body]
                data.xfrc_applied[body, :3] = wrench[:3]
                data.xfrc_applied[body, 3:] = wrench[3:] + np.cross(arm, wrench[:3])
            mujoco.mj_step(self.model, data)
        mujoco.mj_kinematics(self.model, data)
        mujoco.mj_comPos(self.model, data)
        self._pose_bodies()
        self.simulation.advance(1)
        loads = self.simulation.body_loads()
        return np.concatenate([loads.force[self._bodies], loads.torque[self._bodies]], axis=1).astype(np.float64)

    def _pose_bodies(self) -> None:
        """Tells the simulation to bring its bodies, in the next step, to where MuJoCo has them."""
        for body, name in zip(self._mujoco_bodies, self._names):
            w, x, y, z = self.data.xquat[body]
            self.simulation.move_body(name, self.data.xpos[body], [x, y, z, w])

"""MuJoCo models beside grains: bodies of a model as bodies of a scene, and both stepped together.

Needs the package mujoco (``pip install talus[mujoco]``). Lengths are in m, masses in kg, as both programs have them.
"""

from __future__ import annotations

import hashlib
import math
import warnings
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

import talus

try:
    import mujoco
except ImportError as e:  # pragma: no cover
    raise ImportError("talus.mujoco needs the package mujoco: pip install talus[mujoco]") from e

__all__ = ["CoSimulation", "bodies", "loops", "robot"]

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


def _collides(model: Any, geom: int) -> bool:
    return bool(model.geom_contype[geom] or model.geom_conaffinity[geom])


def _parts(model: Any, body: int, folder: Path | None) -> list[dict[str, Any]]:
    """Returns the parts of a body, from its geoms that collide."""
    first = int(model.body_geomadr[body])
    geoms = range(first, first + int(model.body_geomnum[body]))
    return [_part(model, geom, folder) for geom in geoms if _collides(model, geom)]


def _placed(data: Any, body: int) -> dict[str, Any]:
    """Returns the keys of a [[body]] that say where a body is in the world."""
    return {
        "position": [float(x) for x in data.xpos[body]],
        "rotation": _angles(np.asarray(data.xmat[body]).reshape(3, 3)),
    }


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
        parts = _parts(model, body, folder)
        if not parts:
            if names is None:
                continue
            raise ValueError(f"body {name} has no geom that collides: grains would not touch it")
        table: dict[str, Any] = {"name": prefix + name, **_placed(data, body), "parts": parts}
        if material is not None:
            table["material"] = material
        tables.append(table)
    return tables


class _Drive(NamedTuple):
    """An actuator of a joint: its length is gear * the joint's value [rad or m] + start."""

    actuator: int
    gear: float
    start: float


class _Gear(NamedTuple):
    """Ties a joint to another one: value = multiplier * value of the leader + offset, in rad and m."""

    leader: int
    multiplier: float
    offset: float


def _root(gears: Mapping[int, _Gear], joint: int) -> _Gear:
    """Returns the joint that a joint follows in the end, which is itself where it follows none."""
    all = _Gear(joint, 1.0, 0.0)
    for _ in range(len(gears) + 1):
        if all.leader not in gears:
            return all
        next = gears[all.leader]
        all = _Gear(next.leader, all.multiplier * next.multiplier, all.multiplier * next.offset + all.offset)
    raise ValueError(f"equality constraints of the model tie joint {joint} to itself")


_CARRIED = 1e-3  # of the mass and inertia of a body, the share that each of its joints but the last one moves by itself

# Equality constraints that hold two bodies together, and the type of the [[joint]] that does so.
_LOOPS = {mujoco.mjtEq.mjEQ_CONNECT: "ball", mujoco.mjtEq.mjEQ_WELD: "fixed"}


def _gears(model: Any, data: Any, looped: bool) -> dict[int, _Gear]:
    """Returns which joints follow others by equality constraints, and warns of constraints that are left out."""
    gears: dict[int, _Gear] = {}
    for k in range(model.neq):
        if not data.eq_active[k]:
            continue
        kind = mujoco.mjtEq(model.eq_type[k])
        what = f"equality constraint {model.equality(k).name or k}"
        if kind != mujoco.mjtEq.mjEQ_JOINT:
            if not (looped and kind in _LOOPS):
                more = "; loops() makes a [[joint]] of it" if kind in _LOOPS else ""
                warnings.warn(f"{what} is left out: of those, Talus has the ones of two joints (mjEQ_JOINT), and it is of the "
                              f"type {kind.name}{more}", stacklevel=3)  # fmt: skip
            continue
        follower, leader = int(model.eq_obj1id[k]), int(model.eq_obj2id[k])
        constant, factor, *higher = (float(a) for a in model.eq_data[k, :5])
        if leader < 0 or any(higher):
            warnings.warn(f"{what} is left out: Talus ties the value of a joint to that of another one, and by a polynomial "
                          "of first order", stacklevel=3)  # fmt: skip
        elif follower in gears:
            warnings.warn(f"{what} is left out: joint {model.joint(follower).name} follows another one already", stacklevel=3)
        else:
            # q - q0 = constant + factor (l - l0), of the values q and l, and those of qpos0.
            start, leader_start = (float(model.qpos0[model.jnt_qposadr[joint]]) for joint in (follower, leader))
            gears[follower] = _Gear(leader, factor, start + constant - factor * leader_start)
    return gears


def _drives(model: Any, gears: Mapping[int, _Gear]) -> dict[int, _Drive]:
    """Returns the actuators of joints, and warns of those that drive others things."""
    drives: dict[int, _Drive] = {}
    kinds = mujoco.mjtTrn
    tendons_driven = set()
    for actuator in range(model.nu):
        what, own = model.actuator(actuator).name or str(actuator), float(model.actuator_gear[actuator, 0])
        target = int(model.actuator_trnid[actuator, 0])
        kind = mujoco.mjtTrn(model.actuator_trntype[actuator])
        if kind == kinds.mjTRN_JOINT:
            pulls = [(target, 1.0)]
        elif kind == kinds.mjTRN_TENDON:
            first, count = int(model.tendon_adr[target]), int(model.tendon_num[target])
            wraps = range(first, first + count)
            fixed = all(model.wrap_type[w] == mujoco.mjtWrap.mjWRAP_JOINT for w in wraps)
            pulls = [(int(model.wrap_objid[w]), float(model.wrap_prm[w])) for w in wraps] if fixed else []
        else:
            pulls = []
        # A tendon of joints that follow one and the same joint pulls that one, by the virtual work of all.
        roots = [_Gear(joint, 1.0, 0.0) if len(pulls) == 1 else _root(gears, joint) for joint, _ in pulls]
        if len({root.leader for root in roots}) != 1:
            warnings.warn(f"actuator {what} drives neither a joint nor a fixed tendon of joints that follow one another, and "
                          "is left out", stacklevel=3)  # fmt: skip
            continue
        gear = own * sum(pull * root.multiplier for (_, pull), root in zip(pulls, roots))
        start = own * sum(pull * root.offset for (_, pull), root in zip(pulls, roots))
        if drives.setdefault(roots[0].leader, _Drive(actuator, gear, start)).actuator != actuator:
            raise ValueError(f"joint {model.joint(roots[0].leader).name} has two actuators")
        if kind == kinds.mjTRN_TENDON:
            tendons_driven.add(target)
    passive = [t for t in range(model.ntendon) if t not in tendons_driven]
    if passive:
        names = ", ".join(model.tendon(t).name or str(t) for t in passive)
        warnings.warn(f"the tendons {names} of the model are left out: Talus has those that an actuator pulls by joints that "
                      "follow one another", stacklevel=3)  # fmt: skip
    return drives


def _motor(model: Any, drive: _Drive, control: float) -> tuple[dict[str, Any], float]:
    """Returns the motor of a joint for an actuator of the joint, and the damping that it adds to the joint's own."""
    actuator, gear, start = drive
    what = f"actuator {model.actuator(actuator).name or actuator}"
    gain, bias = float(model.actuator_gainprm[actuator, 0]), [float(x) for x in model.actuator_biasprm[actuator, :3]]
    affine = model.actuator_biastype[actuator] == mujoco.mjtBias.mjBIAS_AFFINE
    if model.actuator_gaintype[actuator] != mujoco.mjtGain.mjGAIN_FIXED or (
        not affine and model.actuator_biastype[actuator] != mujoco.mjtBias.mjBIAS_NONE
    ):
        raise ValueError(f"{what} is none of position, velocity and motor, which Talus has")
    limit = 1e12
    if model.actuator_forcelimited[actuator]:
        low, high = (float(x) for x in model.actuator_forcerange[actuator])
        if low != -high:
            raise ValueError(f"{what} has the force range {low} to {high}: Talus has the same limit both ways")
        limit = high * abs(gear)
    if affine and bias[1] != 0.0:  # force = gain * control + bias[1] * length + bias[2] * velocity, each times the gear
        if bias[1] > 0.0:
            raise ValueError(f"{what} has the biases {bias}, which push away from every place")
        target = ((gain * control + bias[0]) / -bias[1] - start) / gear
        motor = {"target": target, "stiffness": -bias[1] * gear**2, "damping": -bias[2] * gear**2, "strength": limit}
        return motor, 0.0
    if limit < 1e12:
        warnings.warn(f"{what}: its force range is not a limit in Talus, where it is a torque that is given", stacklevel=4)
    damping = -bias[2] * gear**2 if affine else 0.0
    return {"torque": gear * (gain * control + (bias[0] if affine else 0.0))}, damping


def _degrees(model: Any, joint: int) -> float:
    """Returns what 1 rad of a hinge, or 1 m of a slide, is in the unit of a scene."""
    return 1.0 if model.jnt_type[joint] == mujoco.mjtJoint.mjJNT_SLIDE else math.degrees(1.0)


def _joint(
    model: Any, data: Any, joint: int, drives: Mapping[int, _Drive], position: Array, turned: Array
) -> dict[str, Any]:
    """Returns the joint of a body that is there in its parent at qpos0."""
    kinds = mujoco.mjtJoint
    kind = mujoco.mjtJoint(model.jnt_type[joint])
    axis, place = np.asarray(model.jnt_axis[joint]), np.asarray(model.jnt_pos[joint])
    dof, at = int(model.jnt_dofadr[joint]), int(model.jnt_qposadr[joint])
    origin = position + turned @ place
    table: dict[str, Any] = {"origin": origin.tolist(), "friction": float(model.dof_frictionloss[dof])}
    armature = float(model.dof_armature[dof])
    if kind == kinds.mjJNT_BALL:
        if armature:
            warnings.warn(f"the armature of ball joint {model.joint(joint).name} is left out", stacklevel=3)
        # The value of a ball joint is 0 where the body begins.
        start = np.empty(9)
        mujoco.mju_quat2Mat(start, data.qpos[at : at + 4])
        return {**table, "type": "ball", "rotation": _angles(turned @ start.reshape(3, 3))}
    slides = kind == kinds.mjJNT_SLIDE
    unit = _degrees(model, joint)
    reference = float(model.qpos0[at])
    if slides:
        table["origin"] = (origin - turned @ axis * reference).tolist()
    else:
        back = np.empty(4)
        mujoco.mju_axisAngle2Quat(back, axis, -reference)
        turned = turned @ _matrix(back)
    table.update(
        type="prismatic" if slides else "revolute",
        rotation=_angles(turned),
        axis=axis.tolist(),
        value=unit * float(data.qpos[at]),
        start_speed=unit * float(data.qvel[dof]),
    )
    if armature:
        table["armature"] = armature
    if model.jnt_limited[joint]:
        low, high = (unit * float(x) for x in model.jnt_range[joint])
        table.update(min=low, max=high)
        begin = unit * float(data.qpos[at])
        if not low <= begin <= high:
            limit = low if begin < low else high
            warnings.warn(f"joint {model.joint(joint).name} begins at {begin:g}, and in Talus at its limit {limit:g}, "
                          "which no value exceeds there", stacklevel=3)  # fmt: skip
            table["value"] = limit
    damping = float(np.ravel(model.dof_damping[dof])[0])
    if joint in drives:
        table["motor"], more = _motor(model, drives[joint], float(data.ctrl[drives[joint].actuator]))
        damping += more
        if "target" in table["motor"]:
            table["motor"]["target"] *= unit
    stiffness = float(np.ravel(model.jnt_stiffness[joint])[0])
    if stiffness > 0.0 or damping > 0.0:
        table["spring"] = {"stiffness": stiffness, "damping": damping, "rest": unit * float(model.qpos_spring[at])}
    return table


def _left_out(model: Any, body: int) -> bool:
    """Is a body none of the scene, since no joint of its own moves it and nothing touches it?"""
    first = int(model.body_geomadr[body])
    geoms = range(first, first + int(model.body_geomnum[body]))
    touched = any(_collides(model, geom) for geom in geoms)
    fixed = not model.body_weldid[body]
    return bool(model.body_jntnum[body] == 0 and not touched and (model.body_mass[body] == 0.0 or fixed))


def _inertia(model: Any, body: int) -> list[float]:
    """Returns Ixx Iyy Izz Ixy Ixz Iyz [kg m2] of a body about its centre of mass, in its own frame."""
    turned = _matrix(model.body_iquat[body])
    inertia = turned @ np.diag(model.body_inertia[body]) @ turned.T
    return [float(inertia[i, j]) for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]


def _meet(model: Any, one: int, other: int) -> bool:
    """Does MuJoCo look for contacts between two bodies?"""
    weld = model.body_weldid
    if weld[one] == weld[other]:
        return False
    if weld[model.body_parentid[weld[one]]] == weld[other] or weld[model.body_parentid[weld[other]]] == weld[one]:
        if weld[one] and weld[other]:
            return False
    signature = (min(one, other) << 16) + max(one, other)
    if signature in model.exclude_signature:
        return False
    type_one, type_other = model.body_contype[one], model.body_contype[other]
    affinity_one, affinity_other = model.body_conaffinity[one], model.body_conaffinity[other]
    return bool((type_one & affinity_other) or (type_other & affinity_one))


def robot(
    model: Any,
    data: Any | None = None,
    *,
    name: str = "robot",
    material: str | None = None,
    meshes: str | Path | None = None,
    looped: bool = False,
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Returns a MuJoCo model as dynamic bodies of a scene, [[body]] tables, and the [[robot]] table that names its joints.

    model, data: mujoco.MjModel, and the mujoco.MjData from whose state and controls it starts (default: those of qpos0).
    name: of the robot, which its bodies' names begin with. material, meshes: as of bodies(). looped: the scene has the joints
    of loops(), too, so that there is no warning of their equality constraints.

    Masses, inertias, joints (hinge, slide, ball, free), limits, friction, damping, springs and armature (the inertia of
    rotors) of joints are taken over; position, velocity and motor actuators of joints; equality constraints that tie a joint
    to another one by a polynomial of first order, as gears; and actuators of fixed tendons whose joints such constraints tie
    to one joint. What is left out is named in a warning: other tendons, equality constraints and actuators, and the armature
    of ball and free joints. A joint that begins beyond its limits begins at the limit, with a warning.
    Bodies without mass and geoms are left out where no joint of theirs moves. Of a body with several joints, each joint but
    the last one moves a body of its own, which has no geometry and a thousandth of the mass and inertia, which the body
    itself has less. Raises ValueError for what Talus does not have, such as a body that moves and has no mass.
    """
    if data is None:
        data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    folder = None if meshes is None else Path(meshes)
    gears = _gears(model, data, looped)
    drives = _drives(model, gears)

    def joint_name(joint: int) -> str:
        return model.joint(joint).name or f"joint{joint}"

    def hang(
        table: dict[str, Any], link: dict[str, Any], joint: int | None, parent: str | None, place: Array, turned: Array
    ) -> None:
        if parent is not None:
            table["parent"] = parent
        if joint is None:
            table["joint"] = {"type": "fixed", "origin": place.tolist(), "rotation": _angles(turned)}
        else:
            table["joint"] = _joint(model, data, joint, drives, place, turned)
            table["position"] = (-np.asarray(model.jnt_pos[joint])).tolist()
            hung[joint] = table["name"]
            if table["joint"]["type"] != "ball":
                link["joint"] = joint_name(joint)
            if joint in gears:
                followed = _root(gears, joint)
                unit, leader_unit = (_degrees(model, j) for j in (joint, followed.leader))
                rule = {"multiplier": followed.multiplier * unit / leader_unit, "offset": followed.offset * unit}
                geared.append((table["joint"], followed.leader, rule))
                link["mimic"] = {"joint": joint_name(followed.leader), **rule}
        tables.append(table)
        links.append(link)

    tables: list[dict[str, Any]] = []
    links: list[dict[str, Any]] = []
    hung: dict[int, str] = {}  # the bodies of the scene that joints of the model move
    kept: dict[int, str] = {}  # bodies of the model that are bodies of the scene, by their names there
    geared: list[tuple[dict[str, Any], int, dict[str, float]]] = []  # joints that follow others, and how
    fixed_to: dict[int, tuple[int, Array, Array]] = {}  # bodies that are left out: the one they are fixed to, and where
    for body in range(model.nbody):
        own = model.body(body).name or f"body{body}"
        parts = _parts(model, body, folder)
        first, count = int(model.body_jntadr[body]), int(model.body_jntnum[body])
        moves = bool(model.body_weldid[body])
        mass = float(model.body_mass[body])
        parent = int(model.body_parentid[body])
        place, turned = np.asarray(model.body_pos[body]), _matrix(model.body_quat[body])
        if parent in fixed_to:
            parent, before, turned_before = fixed_to[parent]
            place, turned = before + turned_before @ place, turned_before @ turned
        if _left_out(model, body):
            fixed_to[body] = (parent, place, turned) if body else (0, np.zeros(3), np.eye(3))
            continue
        table: dict[str, Any] = {"name": f"{name}/{own}", "parts": parts}
        if material is not None:
            table["material"] = material
        link: dict[str, Any] = {"body": table["name"]}
        if not moves:
            table.update(_placed(data, body))
        else:
            if not mass > 0.0:
                raise ValueError(f"body {own} moves and has no mass")
            joint = first + count - 1 if count else None
            inertia, center = _inertia(model, body), [float(x) for x in model.body_ipos[body]]
            carried = kept.get(parent)  # the body that the next joint hangs on
            for before_last in range(first, first + count - 1):
                carrier: dict[str, Any] = {
                    "name": f"{name}/{own}/{joint_name(before_last)}",
                    "parts": [],
                    "mass": _CARRIED * mass,
                    "center_of_mass": center,
                    "inertia": [_CARRIED * i for i in inertia],
                }
                hang(carrier, {"body": carrier["name"]}, before_last, carried, place, turned)
                carried, place, turned = carrier["name"], np.zeros(3), np.eye(3)
            own_share = 1.0 - _CARRIED * max(count - 1, 0)
            table.update(mass=own_share * mass, center_of_mass=center, inertia=[own_share * i for i in inertia])
            if joint is not None and model.jnt_type[joint] == mujoco.mjtJoint.mjJNT_FREE:
                dof = int(model.jnt_dofadr[joint])
                if np.any(model.dof_armature[dof : dof + 6]):
                    warnings.warn(f"the armature of the free joint of body {own} is left out", stacklevel=2)
                # MuJoCo's angular velocity of a free joint is in the body's frame.
                spin = np.asarray(data.xmat[body]).reshape(3, 3) @ data.qvel[dof + 3 : dof + 6]
                table.update(_placed(data, body), velocity=data.qvel[dof : dof + 3].tolist(), spin=spin.tolist())
            else:
                hang(table, link, joint, carried, place, turned)
                kept[body] = table["name"]
                continue
        kept[body] = table["name"]
        tables.append(table)
        links.append(link)
    for own_joint, leader, rule in geared:
        own_joint["gear"] = {"body": hung[leader], **rule}
    numbers = list(kept)
    by_name = {table["name"]: table for table in tables}
    for i, one in enumerate(numbers):
        ignored = [kept[other] for other in numbers[i + 1 :] if not _meet(model, one, other)]
        if ignored:
            by_name[kept[one]]["ignores"] = ignored
    return tables, {"name": name, "links": links}


def loops(model: Any, data: Any | None = None, *, name: str = "robot") -> list[dict[str, Any]]:
    """Returns the [[joint]] tables that close the loops of a model which robot() has made bodies of.

    They stand for the equality constraints of MuJoCo that hold two bodies together, or one to the world: a ball joint for
    mjEQ_CONNECT, a fixed one for mjEQ_WELD. model, data, name: as of robot(). The bodies are held as they are at the start: a
    warning names a constraint that is open by more than 0.1 mm or 0.1 degrees there, where MuJoCo would pull it shut.
    Pass looped=True to robot(). Constraints that MuJoCo meets softly hold exactly in Talus. Raises ValueError for a
    constraint between bodies that nothing moves.
    """
    if data is None:
        data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)

    def placed(body: int) -> tuple[Array, Array]:
        return np.asarray(data.xpos[body]), np.asarray(data.xmat[body]).reshape(3, 3)

    def held(body: int) -> int:
        while body and _left_out(model, body):
            body = int(model.body_parentid[body])
        return body

    tables = []
    for k in range(model.neq):
        kind = mujoco.mjtEq(model.eq_type[k])
        if kind not in _LOOPS or not data.eq_active[k]:
            continue
        what = model.equality(k).name or f"equality{k}"
        ids, numbers = (int(model.eq_obj1id[k]), int(model.eq_obj2id[k])), np.asarray(model.eq_data[k])
        angle = 0.0
        if model.eq_objtype[k] == mujoco.mjtObj.mjOBJ_SITE:
            one, other = (int(model.site_bodyid[site]) for site in ids)
            anchors = [np.asarray(data.site_xpos[site]) for site in ids]
            turns = [np.asarray(data.site_xmat[site]).reshape(3, 3) for site in ids]
        else:
            one, other = ids
            (at, turned), (other_at, other_turned) = placed(one), placed(other)
            if kind == mujoco.mjtEq.mjEQ_CONNECT:
                anchors = [at + turned @ numbers[:3], other_at + other_turned @ numbers[3:6]]
                turns = [turned, other_turned]
            else:  # numbers: the anchor in the other body, and the pose of the other body in the first one
                anchors = [at + turned @ numbers[3:6], other_at + other_turned @ numbers[:3]]
                turns = [turned @ _matrix(numbers[6:10]), other_turned]
        if kind == mujoco.mjtEq.mjEQ_WELD:
            angle = math.degrees(math.acos(min(1.0, max(-1.0, (np.trace(turns[0].T @ turns[1]) - 1.0) / 2.0))))
        gap = float(np.linalg.norm(anchors[1] - anchors[0]))
        if gap > 1e-4 or angle > 0.1:
            warnings.warn(f"equality constraint {what} is open by {round(1e3 * gap, 3):g} mm and {round(angle, 3):g} degrees at the start, and "
                          "stays so in Talus", stacklevel=2)  # fmt: skip
        first, second = held(one), held(other)
        if first == second or not (model.body_weldid[first] or model.body_weldid[second]):
            raise ValueError(f"equality constraint {what} holds bodies together that do not move against each other")
        both = [f"{name}/{model.body(body).name or f'body{body}'}" for body in (first, second) if body or not _left_out(model, 0)]
        origin = (0.5 * (anchors[0] + anchors[1])).tolist()
        tables.append({"name": f"{name}/{what}", "bodies": both, "type": _LOOPS[kind], "origin": origin})
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

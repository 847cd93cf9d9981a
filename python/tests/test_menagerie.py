"""Robots of MuJoCo Menagerie in Talus, beside MuJoCo.

The package mujoco-menagerie has the list of robots and downloads a model where it is first asked for; the variable
MENAGERIE_ROOT names a checkout of the repository to use instead. The tests read a model's description and none of its
meshes, which are drawn alone (UR5e), or stand beside geoms of other kinds (the fingers of the Panda).
"""

import warnings

import numpy as np
import pytest

import talus

mujoco = pytest.importorskip("mujoco")
menagerie = pytest.importorskip("mujoco_menagerie")
together = pytest.importorskip("talus.mujoco")


def model_of(name, entry):
    """Returns a model without the geoms that are meshes, with steps of 0.1 ms."""
    try:
        spec = menagerie.get(name).spec(entry)
    except menagerie.DownloadError as e:
        pytest.skip(f"no network: {e}")
    for geom in list(spec.geoms):
        if geom.type == mujoco.mjtGeom.mjGEOM_MESH:
            spec.delete(geom)
    for mesh in list(spec.meshes):
        spec.delete(mesh)
    model = spec.compile()
    model.opt.timestep = 1e-4
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    return model, data


def grains_below(data, body, width, radius, below):
    """Returns the tables of a bed of 8 layers in a tray, whose surface is so far below a body [m], and of the tray."""
    x, y, z = data.body(body).xpos + [0.1 * width, 0, 0]
    low = [x - width / 2, y - width / 2, z - below - 16 * radius]
    high = [x + width / 2, y + width / 2, z - below]
    wall = 2 * radius
    parts = [{"box": {"size": [width + 2 * wall, width + 2 * wall, wall]}, "position": [x, y, low[2] - wall / 2]}]
    for axis in (0, 1):
        for side in (-1, 1):
            size, place = [width + 2 * wall, width + 2 * wall, 20 * radius], [x, y, low[2] + 10 * radius - wall]
            size[axis], place[axis] = wall, place[axis] + side * (width + wall) / 2
            parts.append({"box": {"size": size}, "position": place})
    return {
        "material": [{"name": "gravel", "friction": 0.5, "rolling_friction": 0.1, "density": 2600.0}],
        "grains": [{"material": "gravel", "radius": radius, "sampling": "lattice", "spacing": 1.02,
                    "fill": {"box": {"min": low, "max": high}}}],
    }, {"name": "tray", "parts": parts}  # fmt: skip


OPEN = {"x": "open", "y": "open", "z": "open"}

# The description of each robot, and what it is driven to, away from its first keyframe, in the units of its actuators.
ROBOTS = {
    "universal_robots_ur5e": ("ur5e", [0.5, 0.3, -0.4, 0.5, 0.4, 1.0]),
    "franka_emika_panda": ("panda", [0.4, 0.3, -0.3, -0.4, 0.5, 0.3, 0.6, -155.0]),
}


@pytest.mark.parametrize("name", ROBOTS)
def test_a_robot_of_menagerie_moves_as_in_mujoco(name):
    entry, way = ROBOTS[name]
    model, data = model_of(name, entry)
    data.ctrl[:] += way
    mujoco.mj_forward(model, data)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # nothing of these robots is left out
        tables, robot = together.robot(model, data, name="r")
    sim = talus.Simulation(
        talus.Scene({"time": {"dt": 0.0005}, "domain": OPEN, "body": tables, "robot": [robot]}), device="cpu"
    )
    arm = sim.robots["r"]
    tip = model.body(model.nbody - 1).name
    start = data.body(tip).xpos.copy()
    joints = [data.joint(joint) for joint in arm.joints]
    unit = [1.0 if model.joint(j).type[0] == mujoco.mjtJoint.mjJNT_SLIDE else 180 / np.pi for j in arm.joints]
    for _ in range(20):
        mujoco.mj_step(model, data, 500)
        sim.advance(100)
        values = np.array([float(joint.qpos[0]) for joint in joints])
        np.testing.assert_allclose(np.asarray(arm.positions) / unit, values, atol=1e-3)
        for body in sim.scene.bodies:
            np.testing.assert_allclose(sim.body_state(body).position, data.body(body[2:]).xpos, atol=1e-3)
    assert np.linalg.norm(data.body(tip).xpos - start) > 0.1


@pytest.mark.parametrize("name, drive, way, width, radius, below",
                         [("universal_robots_ur5e", 1, 0.25, 0.4, 0.02, 0.15), ("franka_emika_panda", 1, 0.2, 0.2, 0.01, 0.08)])  # fmt: skip
def test_a_robot_of_menagerie_touches_grains_as_when_mujoco_moves_it(name, drive, way, width, radius, below):
    """Once as dynamic bodies of the scene, and once as MuJoCo's, to which the grains' forces are handed."""
    model, data = model_of(name, ROBOTS[name][0])
    mujoco.mj_forward(model, data)
    tip = model.body(model.nbody - 1).name
    bed, tray = grains_below(data, tip, width, radius, below)
    common = {"time": {"dt": 0.0005}, "domain": OPEN, "solver": {"substeps": 4}, **bed}
    start = data.body(tip).xpos.copy()
    data.ctrl[drive] += way

    tables, robot = together.robot(model, data, name="r", material="gravel")
    through = {**tray, "ignores": [table["name"] for table in tables]}  # MuJoCo has no tray
    own = talus.Simulation(talus.Scene({**common, "body": [through, *tables], "robot": [robot]}), device="cpu")
    theirs = talus.Simulation(talus.Scene({**common, "body": [tray, *together.bodies(model, data, material="gravel")]}), device="cpu")
    both = together.CoSimulation(model, data, theirs)
    own_force, their_force = [], []
    for _ in range(1000):
        own.advance(1)
        both.step()
        for sim, forces in ((own, own_force), (theirs, their_force)):
            forces.append(sim.body_loads().force[1:, 2].sum())
    np.testing.assert_allclose(own.body_state(f"r/{tip}").position, data.body(tip).xpos, atol=2e-3)
    assert start[2] - data.body(tip).xpos[2] > 0.08
    # The links are all bodies but the tray. On the Panda's fingers, which are no wider than a grain, the force is that of the
    # few grains that happen to lie below them, 4 N once and 9 N once. The UR5e's flange presses on many.
    assert min(np.mean(own_force), np.mean(their_force)) > 1.0
    if "ur5e" in name:
        assert np.mean(own_force) == pytest.approx(np.mean(their_force), rel=0.1)

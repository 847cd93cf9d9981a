"""Robots from URDF files: where their links are, beside pybullet; commands and torques."""

import math
import re
from pathlib import Path

import numpy as np
import pytest

import talus

EXCAVATOR = Path(__file__).parents[2] / "scenes" / "robots" / "excavator.urdf"


def excavator(**keys):
    scene = talus.Scene({"time": {"dt": 0.01}, "domain": {"min": [-3, -3, 0], "max": [3, 3, 3]}})
    scene.add_robot(**talus.load_robot(EXCAVATOR, **keys))
    return scene


def rotation_matrix(q):
    x, y, z, w = q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


@pytest.fixture(scope="module")
def bullet():
    pybullet = pytest.importorskip("pybullet")
    pybullet.connect(pybullet.DIRECT)
    yield pybullet
    pybullet.disconnect()


def data_of_bullet(name):
    return Path(pytest.importorskip("pybullet_data").getDataPath()) / name


def poses_of_bullet(bullet, file, values, position, orientation):
    """Frames of the links by name, joints at values [rad or m] by name."""
    robot = bullet.loadURDF(str(file), position, orientation, useFixedBase=True)
    poses = {}
    joints = [bullet.getJointInfo(robot, j) for j in range(bullet.getNumJoints(robot))]
    for j, info in enumerate(joints):
        bullet.resetJointState(robot, j, values.get(info[1].decode(), 0.0))
    for j, info in enumerate(joints):
        state = bullet.getLinkState(robot, j, computeForwardKinematics=True)
        poses[info[12].decode()] = state[4], state[5]
    bullet.removeBody(robot)
    return poses


@pytest.mark.parametrize(
    "file, values",
    [
        ("franka_panda/panda.urdf", [0.3, -0.4, 0.5, -1.9, 0.7, 1.2, -0.8, 0.01]),
        ("franka_panda/panda.urdf", [-1.1, 0.9, -2.0, -0.3, -1.3, 2.9, 2.2, 0.04]),
        ("kuka_iiwa/model.urdf", [0.0] * 7),
        ("kuka_iiwa/model.urdf", [0.2, -1.1, 2.3, 1.0, -0.6, 0.9, 3.0]),
    ],
)
def test_links_of_real_robots_are_where_pybullet_has_them(bullet, file, values):
    path = data_of_bullet(file)
    scene = talus.Scene({"domain": {"min": [-3, -3, -3], "max": [3, 3, 3]}})
    scene.add_robot(**talus.load_robot(path, "robot", position=[0.2, -0.1, 0.5], rotation=[0, 0, 40]))
    sim = talus.Simulation(scene, device="cpu")
    robot = sim.robots["robot"]
    assert len(robot.joints) == len(values)
    revolute = [not joint.startswith("panda_finger") for joint in robot.joints]
    robot.move(np.where(revolute, np.degrees(values), values))
    sim.advance(int(math.ceil(6.0 / scene.dt)))
    np.testing.assert_allclose(robot.positions, np.where(revolute, np.degrees(values), values), atol=1e-9)

    given = dict(zip(robot.joints, values))
    if "panda" in file:
        given["panda_finger_joint2"] = given["panda_finger_joint1"]
    half = math.radians(40) / 2
    expected = poses_of_bullet(bullet, path, given, [0.2, -0.1, 0.5], [0, 0, math.sin(half), math.cos(half)])
    compared = 0
    for body in robot.links:
        link = body.removeprefix("robot/")
        if link not in expected:  # pybullet has no joint above the root
            continue
        state = sim.body_state(body)
        position, orientation = expected[link]
        np.testing.assert_allclose(state.position, position, atol=1e-6, err_msg=link)
        np.testing.assert_allclose(
            rotation_matrix(state.rotation), rotation_matrix(orientation), atol=1e-6, err_msg=link
        )
        compared += 1
    assert compared >= 7


def test_links_of_the_excavator_are_where_pybullet_has_them(bullet):
    sim = talus.Simulation(excavator(), device="cpu")
    robot = sim.robots["excavator"]
    for degrees in ([10, 20, -60, -30], [-170, 65, -140, -150]):
        robot.move(degrees)
        sim.advance(800)
        values = dict(zip(robot.joints, np.radians(degrees)))
        values["rocker"] = 0.5 * values["bucket"] + 0.4
        expected = poses_of_bullet(bullet, EXCAVATOR, values, [0, 0, 0], [0, 0, 0, 1])
        for body in robot.links[1:]:
            position, orientation = expected[body.removeprefix("excavator/")]
            state = sim.body_state(body)
            np.testing.assert_allclose(state.position, position, atol=1e-6, err_msg=body)
            np.testing.assert_allclose(rotation_matrix(state.rotation), rotation_matrix(orientation), atol=1e-6)


def test_load_robot_gives_the_keys_of_a_table_and_checks_them():
    keys = talus.load_robot(EXCAVATOR, position=[0, 0, 1], material="steel", joints={"boom": 30})
    assert keys == {
        "name": "excavator",
        "file": str(EXCAVATOR),
        "position": [0, 0, 1],
        "material": "steel",
        "joints": {"boom": 30},
    }
    assert talus.load_robot(EXCAVATOR, "digger")["name"] == "digger"
    with pytest.raises(talus.SceneError, match=r"robot\[0\]\.joints\.bom is not a joint of the robot; did you mean boom"):
        talus.load_robot(EXCAVATOR, joints={"bom": 30})
    with pytest.raises(talus.SceneError, match=r"none\.urdf: does not exist"):
        talus.load_robot(EXCAVATOR.with_name("none.urdf"))


def test_robots_are_commanded_and_print():
    scene = excavator()
    assert scene.robots == ["excavator"]
    assert "excavator/bucket" in scene.bodies
    assert "1 robot" in repr(scene)
    sim = talus.Simulation(scene, device="cpu")
    robot = sim.robots["excavator"]
    assert robot.joints == ["swing", "boom", "stick", "bucket"]
    assert robot.links[0] == "excavator/base"
    robot.move({"boom": 30.0, "stick": -60.0})
    sim.advance(200)
    np.testing.assert_allclose(robot.positions, [0, 30, -60, 0], atol=1e-9)
    robot.drive([90, 0, 0, 0])
    sim.advance(10)
    np.testing.assert_allclose(robot.positions[0], 9.0)
    np.testing.assert_allclose(robot.velocities, [90, 0, 0, 0], atol=1e-9)
    assert np.all(robot.torques == 0.0)
    assert repr(robot) == "Robot('excavator', swing=9, boom=30, stick=-60, bucket=0)"
    with pytest.raises(ValueError, match='has no joint "arm" to command; there are: swing, boom, stick, bucket'):
        robot.move({"arm": 1.0})
    with pytest.raises(ValueError, match="has 4 joints, not 2"):
        robot.move([1.0, 2.0])
    with pytest.raises(ValueError, match='there is no robot "crane"'):
        sim.robot("crane")


def test_robots_of_a_scene_come_back_from_its_text():
    scene = excavator(joints={"boom": "10*t"})
    again = talus.parse_scene(scene.to_toml())
    assert again.to_toml() == scene.to_toml()
    assert again.robots == ["excavator"]


def test_motors_move_a_panda_as_mujoco_does():
    """Both from the same file; MuJoCo with a step of 0.05 ms. The difference is of first order in Talus's step."""
    mujoco = pytest.importorskip("mujoco")
    file = data_of_bullet("franka_panda/panda.urdf")
    stiffness, damping = 600.0, 60.0  # N m/rad, N m s/rad
    compiler = f'<mujoco><compiler meshdir="{file.parent / "meshes" / "collision"}" strippath="true" fusestatic="false"/></mujoco>'
    spec = mujoco.MjSpec.from_string(re.sub(r"(<robot[^>]*>)", r"\1" + compiler, file.read_text(), count=1))
    spec.option.timestep = 5e-5
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    for geom in spec.geoms:
        geom.contype = geom.conaffinity = 0
    for joint in list(spec.joints):
        spec.add_actuator(
            target=joint.name,
            trntype=mujoco.mjtTrn.mjTRN_JOINT,
            biastype=mujoco.mjtBias.mjBIAS_AFFINE,
            gainprm=[stiffness] + [0] * 9,
            biasprm=[0, -stiffness, -damping] + [0] * 7,
        )
    model = spec.compile()
    # The file gives links without mass a moment of inertia of 0.1 kg m2, which Talus leaves out with the links.
    model.body_inertia[model.body_mass == 0] = 1e-9
    data = mujoco.MjData(model)
    mujoco.mj_setConst(model, data)
    start = np.array([0, -0.3, 0, -2.2, 0, 1.9, 0.785, 0, 0])
    target = np.array([0.5, 0.4, -0.3, -1.5, 0.6, 1.4, 0.4, 0.02, 0.02])
    data.qpos[:], data.ctrl[:] = start, target

    def values(q):
        """By the joints to command, in degrees and m."""
        return dict(zip(joints, [*np.degrees(q[:7]), q[7]]))

    joints = [model.joint(j).name for j in range(8)]
    scene = talus.Scene({"time": {"dt": 0.001}, "domain": {"min": [-2, -2, -2], "max": [2, 2, 2]}})
    keys = {"drive": "position", "stiffness": stiffness, "damping": damping}
    scene.add_robot(**talus.load_robot(file, "panda", joints={k: float(v) for k, v in values(start).items()}, **keys))
    sim = talus.Simulation(scene, device="cpu")
    robot = sim.robots["panda"]
    robot.move(values(target))
    for _ in range(30):
        mujoco.mj_step(model, data, 1000)
        sim.advance(50)
        np.testing.assert_allclose(robot.positions, list(values(data.qpos).values()), atol=0.25)  # of up to 36 degrees
    np.testing.assert_allclose(robot.efforts[:7], data.actuator_force[:7], atol=0.02)
    assert np.degrees(np.abs(data.qpos[:7] - start[:7])).max() > 30

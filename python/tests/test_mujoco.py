"""Bodies of MuJoCo models in scenes, and both programs stepped together."""

import runpy
import sys
from pathlib import Path

import numpy as np
import pytest

import talus

mujoco = pytest.importorskip("mujoco")
together = pytest.importorskip("talus.mujoco")

RADIUS = 0.01

SHAPES = """
<mujoco><asset><mesh name="wedge" vertex="0 0 0 .1 0 0 0 .1 0 0 0 .1 .1 .1 .1"/></asset><worldbody>
<geom type="plane" size="1 1 .1"/>
<body name="hinged" pos=".1 .2 .3" euler="10 20 30"><joint axis="0 1 0" pos=".05 0 0"/>
  <geom type="box" size=".1 .2 .3" pos=".01 .02 .03" euler="40 -50 60"/>
  <geom type="sphere" size=".05" pos=".5 0 0"/>
  <geom type="capsule" size=".02 .1" fromto="0 0 0 0 .2 0"/>
  <geom type="cylinder" size=".03 .07" pos="0 0 .9"/>
  <geom type="box" size=".5 .5 .5" contype="0" conaffinity="0"/>
  <body name="tip" pos="0 0 .5" quat=".1 .7 .2 .3"><geom type="mesh" mesh="wedge"/></body>
</body>
<body name="ghost"><geom type="sphere" size=".1" contype="0" conaffinity="0"/></body>
</worldbody></mujoco>
"""


def box_model(mass, timestep=0.0005):
    return mujoco.MjModel.from_xml_string(
        f'<mujoco><option timestep="{timestep}" gravity="0 0 -9.81"/><worldbody><body name="box" pos="0 0 .14"><freejoint/>'
        f'<geom type="box" size=".06 .06 .03" mass="{mass}"/></body></worldbody></mujoco>'
    )


def bed(body, dt=0.0005, substeps=4):
    return talus.Scene(
        {
            "time": {"dt": dt, "end": 9},
            "domain": {"min": [-0.12, -0.12, 0], "max": [0.12, 0.12, 0.4]},
            "solver": {"substeps": substeps},
            "material": [{"name": "sand", "friction": 0.5, "rolling_friction": 0.1}],
            "grains": [
                {
                    "material": "sand",
                    "radius": RADIUS,
                    "sampling": "lattice",
                    "spacing": 1.02,
                    "fill": {"box": {"min": [-0.12, -0.12, 0], "max": [0.12, 0.12, 0.1]}},
                }
            ],
            "body": body,
        }
    )


def fall(mass, iterations, seconds=1.0):
    """Heights [m] of a box of MuJoCo that falls onto a bed, forces on it [N], and its velocities upwards [m/s], one per step."""
    model = box_model(mass)
    data = mujoco.MjData(model)
    scene = bed(together.bodies(model, data))
    sim = talus.Simulation(scene, device="cpu", shelves=1 if iterations > 1 else 0)
    both = together.CoSimulation(model, data, sim, iterations=iterations)
    heights, forces, velocities = [], [], []
    for _ in range(round(seconds / scene.dt)):
        both.step()
        heights.append(data.qpos[2])
        forces.append(both.wrenches[0, 2])
        velocities.append(data.qvel[2])
    np.testing.assert_allclose(sim.body_state("box").position, data.xpos[1], atol=1e-12)
    return np.array(heights), np.array(forces), np.array(velocities), sim


def test_bodies_are_where_the_model_has_them(tmp_path):
    model = mujoco.MjModel.from_xml_string(SHAPES)
    data = mujoco.MjData(model)
    data.qpos[0] = 0.4
    mujoco.mj_forward(model, data)
    tables = together.bodies(model, data, prefix="arm/", meshes=tmp_path)
    assert [t["name"] for t in tables] == ["arm/world", "arm/hinged", "arm/tip"]
    assert [list(p)[0] for p in tables[1]["parts"]] == ["box", "sphere", "capsule", "cylinder"]
    assert tables[1]["parts"][0]["box"]["size"] == pytest.approx([0.2, 0.4, 0.6])
    assert tables[1]["parts"][2]["capsule"] == pytest.approx({"radius": 0.02, "height": 0.24})
    assert tables[1]["parts"][3]["cylinder"] == pytest.approx({"radius": 0.03, "height": 0.14})
    scene = talus.Scene({"domain": {"min": [-2, -2, -2], "max": [2, 2, 2]}, "body": tables})
    sim = talus.Simulation(scene, device="cpu")
    for name in ("hinged", "tip"):
        state = sim.body_state(f"arm/{name}")
        x, y, z, w = state.rotation
        np.testing.assert_allclose(state.position, data.body(name).xpos, atol=1e-12)
        np.testing.assert_allclose(abs(np.dot([w, x, y, z], data.body(name).xquat)), 1.0, atol=1e-12)
    (file,) = tmp_path.glob("wedge_*.obj")
    lines = file.read_text().splitlines()
    geom = model.geom_dataid.tolist().index(0)
    vertices = np.array([[float(x) for x in line.split()[1:]] for line in lines if line.startswith("v")])
    placed = vertices @ data.geom_xmat[geom].reshape(3, 3).T + data.geom_xpos[geom]
    expected = np.array([[0, 0, 0], [0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.1], [0.1, 0.1, 0.1]])
    expected = expected @ data.body("tip").xmat.reshape(3, 3).T + data.body("tip").xpos
    for point in expected:
        assert np.abs(placed - point).max(axis=1).min() < 1e-6


def test_what_a_model_has_and_a_scene_has_not_is_named():
    model = mujoco.MjModel.from_xml_string(SHAPES)
    with pytest.raises(ValueError, match=r"geom \d+ of body tip is a mesh: say in meshes="):
        together.bodies(model)
    with pytest.raises(ValueError, match='the model has no body "hook"; there are: world, hinged, tip, ghost'):
        together.bodies(model, names=["hook"])
    with pytest.raises(ValueError, match="body ghost has no geom that collides"):
        together.bodies(model, names=["ghost"])
    egg = mujoco.MjModel.from_xml_string(
        '<mujoco><worldbody><body name="egg"><geom name="shell" type="ellipsoid" size=".1 .1 .2"/></body></worldbody></mujoco>'
    )
    with pytest.raises(ValueError, match="geom shell of body egg is of the type mjGEOM_ELLIPSOID"):
        together.bodies(egg)

    model = box_model(1.0)
    data = mujoco.MjData(model)
    sim = talus.Simulation(bed(together.bodies(model)), device="cpu")
    with pytest.raises(ValueError, match="is no multiple of the model's timestep"):
        together.CoSimulation(box_model(1.0, 0.0003), data, sim)
    with pytest.raises(ValueError, match='the scene has no body "bucket"'):
        together.CoSimulation(model, data, sim, {"box": "bucket"})
    with pytest.raises(ValueError, match='the model has no body "bucket"'):
        together.CoSimulation(model, data, sim, {"bucket": "box"})
    with pytest.raises(ValueError, match="iterations = 0 must be at least 1"):
        together.CoSimulation(model, data, sim, iterations=0)
    with pytest.raises(ValueError, match=r"iterations need Simulation\(shelves=1\)"):
        together.CoSimulation(model, data, sim, iterations=5)
    heavy = talus.Simulation(bed([{**together.bodies(model)[0], "mass": 1.0}]), device="cpu")
    with pytest.raises(ValueError, match="body box has a mass"):
        together.CoSimulation(model, data, heavy)


ARM = """
<mujoco><option timestep="5e-5" integrator="RK4" gravity="0 0 -9.81"/>
<default><geom contype="1"/></default>
<worldbody>
<body name="post" pos="0 0 .2"><geom type="box" size=".02 .02 .02"/>
 <body name="upper" pos=".1 0 0" euler="10 20 30">
  <joint name="a" axis="0 1 0" pos=".02 .01 0" damping=".02" ref="15" stiffness=".5" springref="30"/>
  <geom type="capsule" fromto="0 0 0 .3 0 0" size=".02" mass="1"/>
  <body name="fore" pos=".3 0 0" euler="0 0 -40"><joint name="b" axis="0 .6 .8" range="-100 100"/>
   <geom type="capsule" fromto="0 0 0 .25 0 0" size=".015" mass=".6"/>
   <body name="plate" pos=".25 0 0"><geom type="box" size=".02 .05 .05" mass=".2"/>
    <body name="slider" pos=".02 0 0"><joint name="c" type="slide" axis="1 0 0" ref=".01"/><geom type="sphere" size=".03" mass=".3"/></body>
   </body></body></body></body>
<body name="free" pos="0 1 0" euler="30 0 0"><freejoint/><geom type="box" size=".05 .1 .2" mass="2" pos=".03 0 0"/>
 <body name="bob" pos=".05 0 -.2"><joint type="ball" name="d"/><geom type="sphere" size=".05" pos="0 0 -.2" mass=".5"/></body></body>
</worldbody>
<actuator><position name="pa" joint="a" kp="40" kv="2"/><velocity joint="b" kv=".3"/>
<position joint="c" kp="300" kv="10" gear="2" forcerange="-20 20"/></actuator></mujoco>"""


def test_a_model_moves_in_talus_as_in_mujoco():
    """All kinds of joints and actuators. MuJoCo's step is a twentieth of Talus's, whose error is of first order."""
    model = mujoco.MjModel.from_xml_string(ARM)
    data = mujoco.MjData(model)
    data.qpos[0] += 0.2
    data.qvel[:] = [0.3, 1.0, 0.0, 0.1, 0.2, 0.3, 1.0, 2.0, -1.0, 0.0, 0.0, 0.0]
    data.ctrl[:] = [0.6, 0.5, 0.03]
    mujoco.mj_forward(model, data)
    tables, robot = together.robot(model, data, name="arm")
    domain = {"x": "open", "y": "open", "z": "open"}
    scene = talus.Scene({"time": {"dt": 0.001}, "domain": domain, "body": tables, "robot": [robot]})
    sim = talus.Simulation(scene, device="cpu")
    arm = sim.robots["arm"]
    assert arm.joints == ["a", "b", "c"]
    np.testing.assert_allclose(arm.positions, [*np.degrees(data.qpos[:2]), data.qpos[2]], atol=1e-5)
    np.testing.assert_allclose(arm.velocities, [*np.degrees(data.qvel[:2]), data.qvel[2]], atol=1e-4)
    for _ in range(20):
        mujoco.mj_step(model, data, 1000)
        sim.advance(50)
        for name in ("upper", "fore", "plate", "slider"):
            np.testing.assert_allclose(sim.body_state(f"arm/{name}").position, data.body(name).xpos, atol=5e-4)
        for name in ("free", "bob"):  # which fall 5 m
            np.testing.assert_allclose(sim.body_state(f"arm/{name}").position, data.body(name).xpos, atol=6e-3)
    assert np.abs(np.degrees(data.qpos[1])) > 20


def swing(xml, seconds=2.0, dt=0.001):
    """Returns a MuJoCo model, its joints' values [rad or m] at each ms, and those of its bodies in Talus."""
    model = mujoco.MjModel.from_xml_string(xml)
    data = mujoco.MjData(model)
    if model.nkey:
        mujoco.mj_resetDataKeyframe(model, data, 0)
    mujoco.mj_forward(model, data)
    tables, robot = together.robot(model, data, looped=True)
    joints = together.loops(model, data)
    domain = {"x": "open", "y": "open", "z": "open"}
    sim = talus.Simulation(
        talus.Scene({"time": {"dt": dt}, "domain": domain, "body": tables, "robot": [robot], "joint": joints}), device="cpu"
    )
    (arm,) = sim.robots.values()
    radians = [1.0 if model.joint(joint).type[0] == mujoco.mjtJoint.mjJNT_SLIDE else np.pi / 180 for joint in arm.joints]
    theirs, ours = [], []
    for _ in range(round(seconds / dt)):
        mujoco.mj_step(model, data, round(dt / model.opt.timestep))
        sim.advance(1)
        theirs.append([float(data.joint(joint).qpos[0]) for joint in arm.joints])
        ours.append(np.asarray(arm.positions) * radians)
    return model, np.array(theirs), np.array(ours)


def periods(values, dt=0.001):
    """Returns times [s] between upward crossings of 0."""
    up = np.flatnonzero((values[:-1] < 0) & (values[1:] >= 0))
    return np.diff((up - values[up] / (values[up + 1] - values[up])) * dt)


def test_a_pendulum_with_armature_has_the_period_that_mujoco_gives_it():
    rod = '<geom type="capsule" fromto="0 0 0 0 0 -.5" size=".02" mass="1"/>'
    inertia = '<inertial pos="0 0 -.25" mass="1" diaginertia=".02 .02 .001"/>'
    xml = f"""<mujoco><option timestep="5e-5" integrator="RK4"/><worldbody><body>
    <joint name="j" axis="0 1 0" armature="{{}}"/>{inertia}{rod}</body></worldbody>
    <keyframe><key qpos=".1"/></keyframe></mujoco>"""
    measured = []
    for armature in (0.0, 0.3):
        _, theirs, ours = swing(xml.format(armature), seconds=5.0)
        expected = 2 * np.pi * np.sqrt((0.02 + 0.25**2 + armature) / (9.81 * 0.25)) * (1 + 0.1**2 / 16)
        assert periods(theirs[:, 0])[0] == pytest.approx(expected, rel=1e-3)
        assert periods(ours[:, 0])[0] == pytest.approx(expected, rel=1e-3)
        measured.append(expected)
    assert measured[1] > 1.9 * measured[0]


def test_a_driven_arm_with_armature_moves_as_in_mujoco():
    xml = """<mujoco><option timestep="5e-5" integrator="RK4"/><default><joint damping=".1"/></default><worldbody>
    <body><joint name="a" axis="0 1 0" armature=".2"/><geom type="capsule" fromto="0 0 0 .4 0 0" size=".02" mass="1"/>
     <body pos=".4 0 0"><joint name="b" axis="0 0 1" armature=".1"/><geom type="capsule" fromto="0 0 0 .3 0 0" size=".02" mass=".5"/>
      <body pos=".3 0 0"><joint name="c" type="slide" axis="1 0 0" armature="2"/><geom type="sphere" size=".03" mass=".3"/>
       <body><joint name="d" axis="1 0 0" armature=".1"/><geom type="box" size=".01 .02 .03" mass=".05" contype="0" conaffinity="0"/></body></body></body></body>
    </worldbody><actuator><position joint="a" kp="60" kv="4"/><position joint="b" kp="40" kv="2"/><position joint="c" kp="100" kv="5"/>
    <motor joint="d" gear="1"/></actuator>
    <keyframe><key qpos="0 .5 .1 0" qvel="0 3 0 2" ctrl="-.5 1 .02 .3"/></keyframe></mujoco>"""
    _, theirs, ours = swing(xml)
    np.testing.assert_allclose(ours, theirs, atol=2e-3, rtol=2e-3)
    assert np.ptp(theirs, axis=0).min() > 0.1


def test_joints_that_equality_constraints_tie_move_as_in_mujoco():
    """A gear of two wheels, and two fingers that a tendon pulls. MuJoCo's constraints are springs, and stiff ones here."""
    xml = """<mujoco><option timestep="5e-5" gravity="0 0 0"/><default><equality solref=".002 1" solimp=".999 .9999 .001"/></default><worldbody>
    <body><joint name="small" axis="0 0 1"/><geom type="cylinder" size=".1 .02" mass="1"/></body>
    <body pos=".5 0 0"><joint name="big" axis="0 0 1" armature=".02"/><geom type="cylinder" size=".2 .02" mass="3"/></body>
    <body pos="2 0 0"><joint name="left" type="slide" axis="0 1 0"/><geom type="box" size=".1 .1 .1" mass=".4"/></body>
    <body pos="3 0 0"><joint name="right" type="slide" axis="0 1 0"/><geom type="box" size=".1 .1 .1" mass=".2"/></body>
    </worldbody>
    <equality><joint joint1="small" joint2="big" polycoef="0 -3 0 0 0"/><joint joint1="left" joint2="right" polycoef=".01 1 0 0 0"/></equality>
    <tendon><fixed name="grip"><joint joint="left" coef=".5"/><joint joint="right" coef=".5"/></fixed></tendon>
    <actuator><motor joint="small" gear="2"/><general tendon="grip" biastype="affine" gainprm=".4" biasprm="0 -100 -8"/></actuator>
    <keyframe><key qpos="-.3 .1 .01 0" ctrl=".05 25"/></keyframe></mujoco>"""
    model, theirs, ours = swing(xml, seconds=1.0)
    assert ours.shape[1] == 2  # those that follow others are not among a robot's joints
    joints = [model.joint("big").qposadr[0], model.joint("right").qposadr[0]]
    inertia = 0.5 * 3 * 0.2**2 + 0.02 + 9 * 0.5 * 0.1**2
    assert ours[-1, 0] == pytest.approx(0.1 - 0.5 * 3 * 2 * 0.05 / inertia, rel=2e-3)
    np.testing.assert_allclose(ours, theirs, rtol=5e-3, atol=5e-4)
    assert theirs[-1, 1] == pytest.approx(0.095, abs=5e-3) and joints == [1, 3]


def test_a_body_with_several_joints_moves_as_in_mujoco():
    """A cart on two slides with a pole on two hinges and a reference, as gantries, wrists and the bases of mobile robots."""
    xml = """<mujoco><option timestep="5e-5" integrator="RK4"/><worldbody>
    <body name="cart" pos="0 0 1" euler="0 0 30"><joint name="x" type="slide" axis="1 0 0" damping="2"/>
     <joint name="y" type="slide" axis="0 1 0" ref=".1"/><geom type="box" size=".1 .1 .05" mass="2"/>
     <body name="pole" pos="0 0 -.05" euler="20 0 0"><joint name="pitch" axis="0 1 0" pos="0 0 .02" ref="10"/>
      <joint name="roll" axis="1 0 0" armature=".01"/><joint name="yaw" axis="0 0 1" damping=".05"/>
      <geom type="capsule" fromto="0 0 0 .1 0 -.5" size=".03" mass="1"/></body></body></worldbody>
    <actuator><position joint="x" kp="50" kv="5"/><motor joint="yaw"/></actuator>
    <keyframe><key qpos=".1 .2 .5 .3 0" qvel="0 .2 0 1 0" ctrl="-.1 .01"/></keyframe></mujoco>"""
    model, theirs, ours = swing(xml, seconds=1.0)
    assert ours.shape[1] == 5
    assert np.ptp(theirs, axis=0).min() > 0.1
    np.testing.assert_allclose(ours, theirs, atol=0.01)
    tables, _ = together.robot(model)
    assert sum(table["mass"] for table in tables) == pytest.approx(3.0)
    assert [table["name"] for table in tables] == ["robot/cart/x", "robot/cart", "robot/pole/pitch", "robot/pole/roll", "robot/pole"]


LOOP = """<mujoco><option timestep="5e-5" integrator="RK4"/>
<default><equality solref=".001 1" solimp=".9999 .99999 .001"/><geom contype="0" conaffinity="0"/></default><worldbody>
<body name="crank"><joint name="crank" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 .1 0 .2" size=".01" mass=".3"/>
 <body name="coupler" pos=".1 0 .2"><joint name="coupler" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 .4 0 .1" size=".01" mass=".5"/>
  <site name="tip" pos=".4 0 .1"/></body></body>
<body name="rocker" pos=".5 0 0"><joint name="rocker" axis="0 1 0" damping=".01"/><geom type="capsule" fromto="0 0 0 0 0 .3" size=".01" mass=".4"/>
 <site name="end" pos="0 0 .3"/><body name="flag" pos="0 0 .3"><joint name="flag" axis="0 1 0"/><geom type="sphere" size=".02" pos=".1 0 0" mass=".1"/></body></body>
<body name="post"/></worldbody><equality>{}</equality></mujoco>"""


@pytest.mark.parametrize("joint, kind", [("connect", "ball"), ("weld", "fixed")])
def test_loops_of_a_model_close_as_in_mujoco(joint, kind):
    """A four-bar linkage, whose flag hangs on the pin, or is one piece with the coupler."""
    other = "rocker" if joint == "connect" else "flag"
    more = ' anchor=".4 0 .1"' if joint == "connect" else ""
    xml = LOOP.format(f'<{joint} name="pin" body1="coupler" body2="{other}"{more}/>')
    joints = together.loops(mujoco.MjModel.from_xml_string(xml), name="r")
    assert [(table["name"], table["bodies"], table["type"]) for table in joints] == [
        ("r/pin", ["r/coupler", f"r/{other}"], kind)
    ]
    model, theirs, ours = swing(xml, seconds=0.5)
    assert np.ptp(theirs, axis=0).min() > 0.1
    np.testing.assert_allclose(ours, theirs, atol=0.01)


def test_loops_hold_to_the_world_and_by_sites_and_tell_what_is_open():
    def joints(constraint):
        return together.loops(mujoco.MjModel.from_xml_string(LOOP.format(constraint)), name="r")

    (table,) = joints('<connect body1="coupler" body2="world" anchor=".4 0 .1"/>')
    assert table == {"name": "r/equality0", "bodies": ["r/coupler"], "type": "ball", "origin": pytest.approx([0.5, 0, 0.3])}
    (table,) = joints('<connect name="pin" site1="tip" site2="end"/>')
    assert table["bodies"] == ["r/coupler", "r/rocker"] and table["origin"] == pytest.approx([0.5, 0, 0.3])
    with pytest.raises(ValueError, match="equality constraint same holds bodies together that do not move against"):
        joints('<connect name="same" body1="post" body2="world" anchor="0 0 0"/>')
    assert joints('<weld body1="coupler" body2="flag" active="false"/>') == []
    with pytest.warns(UserWarning, match="equality constraint far is open by 5 mm and 0 degrees at the start, and stays so in Talus"):
        joints('<weld name="far" body1="coupler" body2="flag" relpose=".4 0 .105 1 0 0 0"/>')
    with pytest.warns(UserWarning, match="equality constraint turned is open by 0 mm and 90 degrees"):
        joints('<weld name="turned" body1="coupler" body2="flag" relpose=".4 0 .1 .70710678 0 0 .70710678"/>')


def test_a_joint_that_begins_beyond_its_limits_begins_at_the_limit():
    """As those of quadrupeds do in qpos0, where MuJoCo pushes them back."""
    model = mujoco.MjModel.from_xml_string(
        '<mujoco><worldbody><body><joint name="knee" range="-90 -30"/><geom size=".1" pos="1 0 0"/></body></worldbody></mujoco>'
    )
    with pytest.warns(UserWarning, match="joint knee begins at 0, and in Talus at its limit -30, which no value exceeds"):
        tables, robot = together.robot(model)
    domain = {"x": "open", "y": "open", "z": "open"}
    sim = talus.Simulation(talus.Scene({"domain": domain, "body": tables, "robot": [robot]}), device="cpu")
    assert sim.robots["robot"].positions == pytest.approx([-30.0])


def test_what_a_robot_of_a_model_leaves_out_is_told():
    def model(body, more=""):
        return mujoco.MjModel.from_xml_string(f"<mujoco><worldbody>{body}</worldbody>{more}</mujoco>")

    ball = '<geom type="sphere" size=".1" mass="1"/>'
    with pytest.raises(ValueError, match="body cart moves and has no mass"):
        together.robot(model(f'<body name="cart"><joint/><body pos="1 0 0">{ball}</body></body>'))
    with pytest.raises(ValueError, match="actuator grip is none of position, velocity and motor"):
        together.robot(model(f'<body><joint name="j"/>{ball}</body>', '<actuator><muscle name="grip" joint="j" lengthrange="0 1"/></actuator>'))
    with pytest.warns(UserWarning, match="the armature of ball joint j is left out"):
        together.robot(model(f'<body><joint name="j" type="ball" armature=".1"/>{ball}</body>'))
    with pytest.warns(UserWarning, match="the armature of the free joint of body drone is left out"):
        together.robot(model(f'<body name="drone"><joint type="free" armature=".1"/>{ball}</body>'))
    with pytest.warns(UserWarning, match="equality constraint 0 is left out: .* it is of the type mjEQ_CONNECT; loops"):
        together.robot(model(f'<body name="a"><joint/>{ball}</body><body name="b" pos="1 0 0"><joint/>{ball}</body>',
                             '<equality><connect body1="a" body2="b" anchor="0 0 0"/></equality>'))  # fmt: skip
    hinge = f'<body><joint name="j"/>{ball}</body><body pos="1 0 0"><joint name="k"/>{ball}</body>'
    with pytest.warns(UserWarning, match="equality constraint bent is left out: .* polynomial of first order"):
        together.robot(model(hinge, '<equality><joint name="bent" joint1="j" joint2="k" polycoef="0 1 1 0 0"/></equality>'))
    with pytest.warns(UserWarning, match="equality constraint 0 is left out: .* polynomial of first order"):
        together.robot(model(hinge, '<equality><joint joint1="j"/></equality>'))
    tendon = '<tendon><fixed name="both"><joint joint="j" coef="1"/><joint joint="k" coef="1"/></fixed></tendon>'
    with pytest.warns(UserWarning, match="the tendons both of the model are left out"):
        together.robot(model(hinge, tendon))
    with pytest.warns(UserWarning) as warned:
        together.robot(model(hinge, tendon + '<actuator><motor name="pull" tendon="both"/></actuator>'))
    assert [str(w.message).split(",")[0] for w in warned] == [
        "actuator pull drives neither a joint nor a fixed tendon of joints that follow one another",
        "the tendons both of the model are left out: Talus has those that an actuator pulls by joints that follow one another",
    ]
    with pytest.warns(UserWarning, match="actuator pull drives neither a joint nor"):
        together.robot(model(f'<body><site name="s"/><joint/>{ball}</body>', '<actuator><motor name="pull" site="s"/></actuator>'))
    # A frame without mass, and one that a child is fixed to.
    tables, robot = together.robot(
        model(f'<body name="frame" pos="0 0 1"><body name="held" pos="0 0 1" euler="0 90 0"><joint name="j" axis="0 1 0"/>{ball}</body></body>')
    )
    assert [t["name"] for t in tables] == ["robot/held"]
    assert tables[0]["joint"]["origin"] == pytest.approx([0, 0, 2])
    assert robot == {"name": "robot", "links": [{"body": "robot/held", "joint": "j"}]}

def test_a_box_of_mujoco_rests_on_grains_as_one_of_the_scene_does():
    mass = 1.0
    sim = talus.Simulation(
        bed([{"name": "box", "mass": mass, "position": [0, 0, 0.14], "box": {"size": [0.12, 0.12, 0.06]}}]), device="cpu"
    )
    sim.advance(1000)
    heights, forces, velocities, sim_of_both = fall(mass, iterations=20)
    # What grains exert is what MuJoCo moves by: the weight and the change of momentum.
    change = (velocities[-1] - velocities[-201]) / (200 * sim_of_both.scene.dt)
    assert forces[-200:].mean() == pytest.approx(mass * (9.81 + change), rel=2e-3)
    assert heights[-200:].mean() == pytest.approx(sim.body_state("box").position[2], abs=RADIUS)
    assert heights[-200:].std() < 0.05 * RADIUS


def test_iterations_bear_a_body_of_a_hundredth_of_the_grains_mass():
    heights, forces, _, sim = fall(0.0324, iterations=20, seconds=0.4)
    radius = sim.grains().radius
    assert (4 / 3 * np.pi * radius**3).sum() * 1600 == pytest.approx(100 * 0.0324, rel=0.02)
    assert forces[-100:].mean() == pytest.approx(9.81 * 0.0324, rel=0.02)
    assert heights[-100:].std() < 0.05 * RADIUS
    assert heights.max() < 0.1401  # nothing throws it


def test_a_panda_feels_the_weight_of_what_it_scoops(capsys, monkeypatch):
    pytest.importorskip("pybullet_data")
    monkeypatch.setattr(sys, "argv", ["panda_scoop.py"])
    runpy.run_path(str(Path(__file__).parents[1] / "examples" / "panda_scoop.py"), run_name="__main__")
    printed = capsys.readouterr().out
    lifted = int(printed.split("of which ")[1].split(" ")[0])
    force, weight = (float(part.split(" N")[0]) for part in printed.split("mean force on the scoop at the end: ")[1].split("grains: "))
    assert lifted > 30
    assert weight < -0.5
    assert force == pytest.approx(weight, rel=0.02)

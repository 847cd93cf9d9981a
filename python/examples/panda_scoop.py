"""A Franka Panda scoops grains: MuJoCo moves the arm by motors with limited torque, Talus the grains; each feels the other.

    python panda_scoop.py [--seconds S] [--video-frames FOLDER]

The arm is the URDF file of the package pybullet_data; a scoop is fixed to its hand. Its motors follow a path of the scoop's
edge, into the bed, ahead, and up. In the end the force and torque that the grains exert on the scoop are those of
the weight of the grains in it, and the motors bear them: printed are both.
"""

import argparse
import re
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pybullet_data

import talus
import talus.mujoco

RADIUS = 0.006  # m, of the grains
DENSITY = 2500.0  # kg/m3, of the grains
DT = 1 / 250  # s
GRAVITY = 9.81  # m/s2
HOME = [0.0, -0.3, 0.0, -2.2, 0.0, 1.9, 0.785]  # rad
EFFORTS = [87, 87, 87, 87, 12, 12, 12]  # N m, what the arm's data sheet allows

# Each row has a time [s], where the scoop's edge is then in the world [m], and how far the scoop is pitched down [degrees].
PATH = [
    (0.0, 0.56, 0.0, 0.25, 10),
    (1.0, 0.50, 0.0, 0.10, 40),
    (1.6, 0.53, 0.0, 0.035, 35),
    (2.6, 0.66, 0.0, 0.035, 5),
    (3.2, 0.68, 0.0, 0.09, -12),
    (4.2, 0.62, 0.0, 0.30, -12),
    (5.2, 0.62, 0.0, 0.30, -12),
]


def model_of_arm() -> Any:
    """The Panda with a scoop in place of its fingers, and a motor at each joint that holds a position."""
    folder = Path(pybullet_data.getDataPath()) / "franka_panda"
    text = (folder / "panda.urdf").read_text()
    compiler = f'<mujoco><compiler meshdir="{folder / "meshes" / "collision"}" strippath="true" fusestatic="false"/></mujoco>'
    text = re.sub(r"(<robot[^>]*>)", r"\1" + compiler, text, count=1)
    spec = mujoco.MjSpec.from_string(text)
    spec.option.timestep = DT / 4
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    for geom in spec.geoms:  # the links overlap where joints connect them
        geom.contype = geom.conaffinity = 0
    for name in ("panda_leftfinger", "panda_rightfinger", "panda_grasptarget"):
        spec.delete(spec.body(name))
    # The scoop is a tray that opens along its z axis, which is the hand's x axis, and upwards along its x axis, against the
    # hand's z axis.
    scoop = spec.body("panda_hand").add_body(name="scoop", pos=[0.0, 0.0, 0.12], quat=[0.5**0.5, 0.0, 0.5**0.5, 0.0])
    wall = 0.004
    for pos, size in (
        ([-0.03, 0.0, 0.07], [wall, 0.05, 0.07]),  # floor
        ([0.0, -0.05, 0.065], [0.034, wall, 0.065]),  # sides
        ([0.0, 0.05, 0.065], [0.034, wall, 0.065]),
        ([0.0, 0.0, 0.0], [0.034, 0.054, wall]),  # back
    ):
        scoop.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, pos=pos, size=size, mass=0.05, contype=1, conaffinity=0)
    scoop.add_site(name="edge", pos=[-0.03, 0.0, 0.14])
    for k, effort in enumerate(EFFORTS, 1):
        stiffness = 50.0 * effort
        spec.add_actuator(
            name=f"motor{k}",
            target=f"panda_joint{k}",
            trntype=mujoco.mjtTrn.mjTRN_JOINT,
            biastype=mujoco.mjtBias.mjBIAS_AFFINE,
            gainprm=[stiffness] + [0] * 9,
            biasprm=[0, -stiffness, -0.1 * stiffness] + [0] * 7,
            forcerange=[-effort, effort],
            forcelimited=True,
        )
    return spec.compile()


def aim(time: float) -> tuple[np.ndarray, np.ndarray]:
    """Returns where the edge is to be at a time [m], and how the scoop is to be turned, [3, 3]."""
    keys = np.array(PATH)
    at = [np.interp(time, keys[:, 0], keys[:, k]) for k in range(1, 5)]
    pitch = np.radians(at[3])
    ahead = np.array([np.cos(pitch), 0.0, -np.sin(pitch)])  # the scoop's z axis
    up = np.array([np.sin(pitch), 0.0, np.cos(pitch)])  # its x axis
    return np.array(at[:3]), np.stack([up, np.cross(ahead, up), ahead], axis=1)


def solve(model: Any, data: Any, start: np.ndarray, position: np.ndarray, turned: np.ndarray) -> np.ndarray:
    """Returns the joints' values [rad] that bring the edge there, by damped least squares from those at the start."""
    site = model.site("edge").id
    q = start.copy()
    jacobian = np.zeros((6, model.nv))
    for _ in range(50):
        data.qpos[:7] = q
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        is_turned = data.site_xmat[site].reshape(3, 3)
        error = np.concatenate(
            [
                position - data.site_xpos[site],
                0.5 * sum(np.cross(is_turned[:, k], turned[:, k]) for k in range(3)),
            ]
        )
        if np.abs(error).max() < 1e-5:
            break
        mujoco.mj_jacSite(model, data, jacobian[:3], jacobian[3:], site)
        j = jacobian[:, :7]
        q = np.clip(q + j.T @ np.linalg.solve(j @ j.T + 1e-4 * np.eye(6), error), *model.jnt_range[:7].T)
    return q


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=PATH[-1][0], help="how long to run, s")
    parser.add_argument("--video-frames", type=Path, help="folder for a picture every 1/10 s; needs matplotlib and a Vulkan device")
    arguments = parser.parse_args()

    model = model_of_arm()
    data, planned = mujoco.MjData(model), mujoco.MjData(model)
    joints = solve(model, planned, np.array(HOME), *aim(0.0))
    data.qpos[:7] = joints
    data.ctrl[:] = joints
    mujoco.mj_forward(model, data)

    scene = talus.Scene(
        {
            "time": {"dt": DT, "end": arguments.seconds},
            "domain": {"min": [0.4, -0.15, 0.0], "max": [0.85, 0.15, 1.0]},
            "material": [{"name": "gravel", "preset": "gravel", "density": DENSITY}, {"name": "steel", "friction": 0.3}],
            "grains": [
                {
                    "material": "gravel",
                    "radius": RADIUS,
                    "sampling": "lattice",
                    "spacing": 1.03,
                    "fill": {"box": {"min": [0.4, -0.15, 0.0], "max": [0.85, 0.15, 0.07]}},
                }
            ],
            "body": talus.mujoco.bodies(model, data, ["scoop"], material="steel"),
            "camera": {"eye": [1.25, -0.75, 0.55], "target": [0.6, 0.0, 0.12]},
        }
    )
    simulation = talus.Simulation(scene, device="cpu")
    together = talus.mujoco.CoSimulation(model, data, simulation)
    greatest, standing = 0.0, []
    for step in range(1, round(arguments.seconds / DT) + 1):
        joints = solve(model, planned, joints, *aim(step * DT))
        data.ctrl[:] = joints
        together.step()
        greatest = max(greatest, float(np.linalg.norm(together.wrenches[0, :3])))
        if step * DT > PATH[-2][0] + 0.2:  # the scoop has come to a stop, and a grain may still roll about in it
            standing.append(float(together.wrenches[0, 2]))
        if arguments.video_frames and step % round(0.1 / DT) == 0:
            from matplotlib.image import imsave

            arguments.video_frames.mkdir(parents=True, exist_ok=True)
            imsave(arguments.video_frames / f"{step:05}.png", simulation.render(960, 600))

    grains = simulation.grains()
    masses = 4 / 3 * np.pi * grains.radius**3 * DENSITY
    lifted = grains.position[:, 2] > 0.15
    print(f"grains: {simulation.grain_count}, of which {lifted.sum()} are lifted")
    print(f"greatest force on the scoop while it digs: {greatest:.1f} N")
    weight = -GRAVITY * masses[lifted].sum()
    print(f"mean force on the scoop at the end: {np.mean(standing):.3f} N; weight of the lifted grains: {weight:.3f} N")
    # About each joint, what the motors bear for the grains: J^T w at the body's origin.
    jacobian = np.zeros((6, model.nv))
    scoop = model.body("scoop").id
    mujoco.mj_jac(model, data, jacobian[:3], jacobian[3:], data.xpos[scoop], scoop)
    print("torques of the grains about the joints [N m]:", np.round(jacobian.T @ together.wrenches[0], 3)[:7])


if __name__ == "__main__":
    main()

"""A robot scoops: an excavator from a URDF file digs in sand. Writes robot_scoop.png to the current folder.

Cells begin with # %%: open the file in VS Code or PyCharm, or as a notebook with Jupytext, or run it with python.
"""

# %% [markdown]
# # A robot scoops
# `load_robot` reads a URDF file and returns the keys of a `[[robot]]`: links become bodies, joints keep their names and limits.
# Joints are in degrees.

# %%
from pathlib import Path

import numpy as np
from matplotlib import pyplot

import talus

# Notebooks run in the folder of the file, and have no __file__.
ROOT = Path(__file__).resolve().parents[2] if "__file__" in globals() else Path("../..")
START = {"boom": 61.1, "stick": -90.6, "bucket": -80.5}  # degrees

scene = talus.Scene({"scene": {"title": "An excavator digs", "seed": 5}, "time": {"dt": 0.004}})
scene.set("domain", min=[-0.35, -0.4, 0.0], max=[1.2, 0.95, 1.0], friction=0.6)
scene.set("solver", substeps=8)  # the bucket presses harder than the sand's own weight, which is all that "auto" looks at
scene.add_material(name="sand", preset="sand")
scene.add_material(name="steel", friction=0.2)
scene.add_body(  # a pit of 0.7 x 0.5 x 0.18 m
    name="ground",
    position=[0.425, 0.275, 0.08],
    parts=[
        {"box": {"size": [1.75, 1.55, 0.2]}},
        {"box": {"size": [0.7, 0.5, 0.6]}, "position": [0.275, -0.275, 0.0], "subtract": True},
    ],
)
scene.add_grains(
    material="sand",
    radius=[0.015, 0.018],  # m
    sampling="lattice",
    spacing=1.05,
    fill={"box": {"min": [0.35, -0.25, 0.0], "max": [1.05, 0.25, 0.32]}},
)
urdf = ROOT / "scenes" / "robots" / "excavator.urdf"
scene.add_robot(**talus.load_robot(urdf, position=[0.0, 0.0, 0.18], material="steel", joints=START))
scene.set("camera", eye=[1.75, -1.15, 1.0], target=[0.35, 0.15, 0.22], fov=36.0)
sim = talus.Simulation(scene)
robot = sim.robots["excavator"]
print(sim)
print(robot)
print("links:", *robot.links)

# %% [markdown]
# ## Dig, lift, swing and dump
# Each line is a time and the angles at it. Between two lines every joint is driven with a constant speed. The robot's torques
# are those that the sand exerts about its joints.

# %%
PATH = [  # s, and degrees of swing, boom, stick and bucket
    (0.6, 0.0, 61.1, -90.6, -80.5),  # the sand settles
    (1.4, 0.0, 29.2, -40.7, -50.5),
    (2.0, 0.0, 25.0, -52.3, -32.1),  # into the sand
    (2.5, 0.0, 24.5, -72.3, -36.2),
    (3.0, 0.0, 30.7, -92.7, -36.0),  # towards the machine
    (3.9, 0.0, 40.0, -110.5, -111.6),  # the bucket closes
    (4.6, 0.0, 61.4, -99.8, -145.6),  # up
    (5.0, 0.0, 61.4, -99.8, -145.6),  # holds still
]
rows = []
for end, *angles in PATH:
    steps = round((end - sim.time) / scene.dt)
    robot.drive((np.array(angles) - robot.positions) / (steps * scene.dt))
    for _ in range(max(1, steps // 10)):
        sim.advance(10)
        rows.append((sim.time, *robot.torques))
robot.drive([0.0] * 4)
torques = np.array(rows)
sim

# %% [markdown]
# ## What is in the bucket
# Grains that are well above the ground are the load. While the machine holds still, it carries their weight: that is the mean
# vertical force on all links together, since a grain that is jammed between two links pushes both apart.

# %%
sim.advance(100)
grains = sim.grains()
lifted = grains.position[:, 2] > 0.35
mass = 2650.0 * 4.0 / 3.0 * np.pi * (grains.radius[lifted].astype(float) ** 3).sum()  # kg
links = [sim.body(link) for link in robot.links]
force = -sim.load_history().force[:, links, 2].mean(axis=0).sum()  # N
print(f"{lifted.sum()} grains of {mass:.2f} kg weigh {9.81 * mass:.1f} N; the force on the links is {force:.1f} N")

figure, axes = pyplot.subplots(figsize=(6, 3.5), layout="constrained")
axes.plot(torques[:, 0], torques[:, 1:], label=robot.joints)
axes.set(xlabel="time [s]", ylabel="torque of the sand [N m]")
axes.legend()
figure.savefig("robot_scoop.png", dpi=90)

# %% [markdown]
# ## Dump
# The machine swings aside and opens the bucket.

# %%
robot.move({"swing": 80.0})
sim.advance(200)
robot.move({"bucket": -17.0})
sim.advance(250)
emptied = -sim.load_history().force[-50:, links, 2].mean(axis=0).sum()  # N
print(f"after the dump, {abs(emptied):.1f} N are left on the links; {robot}")

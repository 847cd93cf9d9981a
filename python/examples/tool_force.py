"""The force on a tool: draws a blade through sand at three depths. Writes tool_force.png to the current folder.

Cells begin with # %%: open the file in VS Code or PyCharm, or as a notebook with Jupytext, or run it with python.
"""

# %% [markdown]
# # The force on a tool
# A blade of 0.15 m is drawn through a bed of sand. A scene with several worlds simulates them side by side, and so each depth is a
# world: the beds differ by their seeds alone.

# %%
import numpy as np
from matplotlib import pyplot

import talus

DEPTHS = (0.03, 0.05, 0.08)  # m
BED = 0.13  # m
SPEED = 0.2  # m/s
WIDTH = 0.15  # m, of the blade and the bed, which is periodic across

scene = talus.Scene({"scene": {"title": "A blade in sand", "worlds": len(DEPTHS)}, "time": {"dt": 0.004}})
scene.set("domain", min=[-0.25, -WIDTH / 2, 0.0], max=[0.25, WIDTH / 2, 0.4], y="periodic", friction=0.5)
scene.add_material(name="sand", preset="sand")
scene.add_grains(
    material="sand",
    radius=[0.006, 0.008],  # m
    sampling="lattice",
    spacing=1.05,
    fill={"box": {"min": [-0.25, -WIDTH / 2, 0.0], "max": [0.25, WIDTH / 2, 1.1 * BED]}},
)
scene.add_body(name="blade", box={"size": [0.02, WIDTH, 0.16]}, position=[-0.15, 0.0, 0.3], load_filter=0.05)
sim = talus.Simulation(scene)
print(sim)

# %% [markdown]
# ## Settle, dip and draw
# `load_history` has the force and torque on every body in each step of the last `advance`.

# %%
talus.run(sim, 0.6)
level = float(np.quantile(sim.grains().position[:, 2], 0.99))  # m
blades = [sim.body("blade", world) for world in range(sim.worlds)]
for blade, depth in zip(blades, DEPTHS):
    sim.move_body(blade, (-0.15, 0.0, level - depth + 0.08), speed=0.4)
talus.run(sim, 0.7)
for blade in blades:
    sim.drive_body(blade, (SPEED, 0.0, 0.0), acceleration=2.0)
start = sim.time
sim.advance(round(0.6 / scene.dt))
loads = sim.load_history()
times = start + scene.dt * np.arange(1, len(loads.force) + 1)
print(loads, "force", loads.force.shape, "N")

# %% [markdown]
# ## The force by depth
# The deeper the blade, the larger the wedge of sand that it pushes, and the longer it takes to build up.

# %%
drag = -loads.force[times > start + 0.4][:, blades, 0].mean(axis=0)  # N
for depth, force in zip(DEPTHS, drag):
    print(f"{100 * depth:.0f} cm deep: {force:.1f} N")

figure, (left, right) = pyplot.subplots(1, 2, figsize=(9, 3.5), layout="constrained")
talus.plot.forces(times, loads, body=blades[-1], filtered=True, axes=left)
left.set_title(f"force on the blade, {100 * DEPTHS[-1]:.0f} cm deep")
for blade, depth in zip(blades, DEPTHS):
    right.plot(SPEED * (times - start), -loads.force_filtered[:, blade, 0], label=f"{100 * depth:.0f} cm deep, {drag[blade]:.0f} N at the end")
right.set(xlabel="distance [m]", ylabel="drag [N]")
right.legend()
figure.savefig("tool_force.png", dpi=90)

"""A rotating drum: the dynamic angle of repose of sand. Writes drum.png to the current folder.

Cells begin with # %%: open the file in VS Code or PyCharm, or as a notebook with Jupytext, or run it with python.
"""

# %% [markdown]
# # A rotating drum
# A drum with ribs is half full of sand, and turns at a Froude number of 0.005, where the surface is a plane. The drum is a
# cylinder less a smaller one; the ribs keep the sand from sliding as a whole.

# %%
import math

import numpy as np
from matplotlib import pyplot

import talus

RADIUS, LENGTH = 0.15, 0.14  # m, inside; periodic along y
GRAIN = 0.01  # m
RIBS = 20
FROUDE = 0.005  # spin^2 RADIUS / g
SPIN = math.sqrt(FROUDE * 9.81 / RADIUS)  # rad/s

lying = {"height": 2.0 * LENGTH, "rotation": [90.0, 0.0, 0.0]}
shell = [{"cylinder": {"radius": RADIUS + 0.03} | lying}, {"cylinder": {"radius": RADIUS} | lying, "subtract": True}]
turns = 2.0 * np.pi * np.arange(RIBS) / RIBS
ribs = [
    {"cylinder": {"radius": GRAIN, "height": 2.0 * LENGTH}, "rotation": [90.0, 0.0, 0.0], "position": [RADIUS * math.cos(turn), 0.0, RADIUS * math.sin(turn)]}
    for turn in turns
]
scene = talus.Scene({"scene": {"title": "A rotating drum", "seed": 1}, "time": {"dt": 0.004}})
scene.set("domain", min=[-0.2, -LENGTH / 2, -0.2], max=[0.2, LENGTH / 2, 0.2], y="periodic")
scene.add_material(name="sand", preset="sand")
scene.add_grains(
    material="sand",
    radius=[0.9 * GRAIN, 1.1 * GRAIN],  # m
    count=450,
    fill={"cylinder": {"radius": RADIUS - 2.0 * GRAIN, "height": LENGTH, "rotation": [90.0, 0.0, 0.0]}},
)
scene.add_body(name="drum", parts=[*shell, *ribs], show="cut")
scene.set("camera", eye=[0.0, -1.0, 0.0], target=[0.0, 0.0, 0.0], fov=30.0)
sim = talus.Simulation(scene)
print(sim, f"turns with {SPIN:.2f} rad/s")

# %% [markdown]
# ## Settle and turn
# The angle is that of the grains' centre of mass, seen from the axis. A line fitted to the surface would have to leave out
# its ends, which are steeper or flatter.

# %%
memory = sim.grain_memory()
mass = float((1.0 / memory.inverse_mass[memory.radius > 0.0]).sum())  # kg
drum = sim.body("drum")


def look(s: talus.Simulation) -> tuple[float, float, float, float]:
    """Time [s], slope of the centre of mass [degrees], torque of its weight about the axis [N m], and that on the drum."""
    x, _, z = s.grains().position.mean(axis=0, dtype=np.float64)
    torque = s.load_history().torque[:, drum, 1].mean()
    return s.time, math.degrees(math.atan2(abs(x), -z)), 9.81 * mass * x, float(torque)


talus.run(sim, 0.6)
sim.drive_body("drum", (0.0, 0.0, 0.0), (0.0, -SPIN, 0.0))
rows = np.array(talus.run(sim, 4.0, every=0.05, each=look))
sim

# %% [markdown]
# ## The dynamic angle of repose
# The sand rises with the drum until it avalanches, again and again in a drum of so few grains. As it gains no angular momentum
# on the whole, the mean torque on the drum is that of the sand's weight.

# %%
steady = rows[rows[:, 0] > 2.0]
angle, deviation = steady[:, 1].mean(), steady[:, 1].std()
weight, torque = steady[:, 2].mean(), steady[:, 3].mean()
print(f"dynamic angle of repose: {angle:.1f} degrees, with a deviation of {deviation:.1f}")
print(f"torque on the drum {torque:.2f} N m; that of the weight of {mass:.2f} kg of sand {weight:.2f} N m")

figure, (left, right) = pyplot.subplots(1, 2, figsize=(9, 3.5), layout="constrained")
talus.plot.grains(sim, axes=left)
right.plot(rows[:, 0], rows[:, 1])
right.set(xlabel="time [s]", ylabel="slope of the centre of mass [degrees]")
figure.savefig("drum.png", dpi=90)

"""A tour of talus: python examples/tour.py [FOLDER]

Reads a scene, runs it with a bar, drives a machine in it, looks at grains and forces, forks the state, draws. Pictures and a
plot go to FOLDER, by default here, where matplotlib is installed.
"""

import sys
from pathlib import Path

import numpy as np

import talus

try:
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot
except ModuleNotFoundError:
    pyplot = None

out = Path(sys.argv[1] if len(sys.argv) > 1 else ".")

# %% What there is to run on. The CPU path is always there.
for device in talus.devices():
    print(device.index, device.name, device.type, "" if device.usable else device.missing)

# %% A scene: from a file with talus.load_scene(file, overrides), or from text. scenes/README.md lists every key.
SCENE = """
[scene]
title = "A paddle in gravel"
[time]
dt = 0.005
end = 1.0
[domain]
min = [-0.3, -0.3, 0.0]
max = [0.3, 0.3, 0.6]
[[material]]
preset = "gravel"
[[grains]]
material = "gravel"
radius = [0.009, 0.011]
count = 2000
fill.box = { min = [-0.3, -0.3, 0.0], max = [0.3, 0.3, 0.3] }
[[body]]
name = "paddle"
position = [-0.2, 0.0, 0.4]
box = { size = [0.02, 0.2, 0.16] }
"""
scene = talus.parse_scene(SCENE, overrides=["scene.seed=7", "material.gravel.friction=0.35"])
print(scene, "seed", scene.seed, "bodies", scene.bodies)
try:
    talus.parse_scene(SCENE, overrides=["material.gravel.frictoin=0.35"])
except talus.SceneError as error:
    print("A misspelt key:", error)

# %% A simulation. run() shows a bar where tqdm is installed, and collects what it is told to.
sim = talus.Simulation(scene, device="cpu")
print(*sim.notes, *sim.warnings, sep="\n")
energies = talus.run(sim, 1.0, every=0.05, each=lambda s: (s.time, s.measure().kinetic_energy))
print(f"at rest: {sim.grain_count} grains, {sim.measure().contacts_mean:.1f} contacts each, {sim.measure().height:.2f} m high")

# %% Grains as NumPy arrays: by id, or as they lie in memory, without a copy on the CPU path.
grains = sim.grains()
volume = 4.0 / 3.0 * np.pi * (grains.radius.astype(float) ** 3).sum()
print("centre", grains.position.mean(axis=0), "packed", volume / (0.36 * np.quantile(grains.position[:, 2], 0.98)))
memory = sim.grain_memory()
print("in place:", memory.in_place, "fastest", np.linalg.norm(memory.velocity, axis=1).max(), "m/s")

# %% Commands: the paddle dips into the gravel, and then is drawn through it. The grains push back.
sim.move_body("paddle", (-0.2, 0.0, 0.12), speed=0.5)
talus.run(sim, 0.7, progress=False)
sim.drive_body("paddle", (0.3, 0.0, 0.0), acceleration=2.0)
state = sim.checkpoint()
forces = []
for _ in range(40):
    sim.advance(5)
    forces.append((sim.time, *sim.load_history().force[:, 0].mean(axis=0)))
forces = np.array(forces)
print(f"the paddle is pushed back with up to {-forces[:, 1].min():.1f} N")

# %% A fork: back to the state before, and on with something else. The same once more gives the same bits.
end = sim.state_hash()
sim.resume(state)
sim.advance(200)
print("the same bits:", sim.state_hash() == end)
sim.resume(state)
sim.drive_body("paddle", (0.0, 0.0, 0.3))
sim.advance(200)
print("another end:", sim.state_hash() != end)

# %% Pictures are arrays, too.
pictures = {
    "tour.png": sim.render(960, 540),
    "tour_above.png": sim.render(540, 540, eye=(0.0, -0.01, 1.2), target=(0.0, 0.0, 0.0)),
}
if pyplot is None:
    print("matplotlib is not installed: no pictures, no plot")
else:
    for name, picture in pictures.items():
        pyplot.imsave(out / name, picture)
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(9, 3), layout="constrained")
    left.semilogy(*np.transpose(energies))
    left.set(xlabel="time [s]", ylabel="kinetic energy [J]")
    right.plot(forces[:, 0], forces[:, 1:], label=["x", "y", "z"])
    right.set(xlabel="time [s]", ylabel="force on the paddle [N]")
    right.legend()
    figure.savefig(out / "tour.svg")
    print("written:", *sorted([*pictures, "tour.svg"]))

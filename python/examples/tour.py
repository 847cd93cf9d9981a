"""A tour of talus: python examples/tour.py [FOLDER]

Reads a scene, runs it with a bar, drives a machine in it, looks at grains and forces, forks the state, looks by depth cameras into many
worlds, plays environments, draws. Pictures and a plot go to FOLDER, by default here, where matplotlib is installed. Cells begin
with # %%, as editors and Jupytext know them.
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
    print("matplotlib is not installed: no pictures, no plot")

out = Path(sys.argv[1] if len(sys.argv) > 1 else ".")

# %% What there is to run on. The CPU path is always there.
for device in talus.devices():
    print(device.index, device.name, device.type, "" if device.usable else device.missing)

# %% A scene from a file, some settings in place of its own. docs/scene_keys.md lists every key.
COLUMN = Path(__file__).resolve().parents[2] / "scenes" / "column.toml"
column = talus.load_scene(COLUMN, ["grains.0.radius=[0.018, 0.022]", "time.end=0.3"])
print(column, "materials", column.materials, "steps of", column.dt, "s to", column.end, "s")

# %% A scene from text.
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
[[body]]
name = "gate"
box = { size = [0.02, 0.3, 0.1] }
joint = { type = "prismatic", axis = [0, 0, 1], origin = [0.2, 0, 0.5], min = -0.4, max = 0.0 }
[[body]]
name = "ball"
density = 500.0
position = [0.1, 0.2, 0.4]
sphere = { radius = 0.04 }
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
rows = []
for _ in range(40):
    sim.advance(5)
    rows.append((sim.time, *sim.load_history().force[:, 0].mean(axis=0)))
forces = np.array(rows)
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

# %% Other ways to act: on joints, on bodies that grains push, on grains; and settings that change on the way.
sim.resume(state)
sim.drive_joint("gate", -0.5)
sim.push_body("ball", (2.0, 0.0, 0.0))
talus.run(sim, 0.4, progress=False)
print("the gate:", sim.joint_state("gate"), "the ball, at", sim.body_state("ball").position.round(2))
print("a hand holds", sim.grab((0.0, 0.1, 0.05), 0.06), "grains")
sim.move_hand((0.0, 0.1, 0.3))
talus.run(sim, 0.3, progress=False)
sim.release()
sim.change(talus.parse_scene(SCENE, overrides=["scene.seed=7", "domain.gravity=[0, 0, -1.62]"]))
talus.run(sim, 0.1, progress=False)
print(f"they fall as on the moon, at up to {sim.measure().speed_max:.2f} m/s")
file = out / "tour.talus"
sim.save(file)
sim.resume(file)
times = sorted(sim.pass_times, key=lambda row: -row.ms)[:3]
print("most time went into", ", ".join(f"{row.name} ({row.ms:.0f} ms)" for row in times))

# %% Many worlds in one simulation, and depth cameras that see each of them.
CAMERA = """
[[depth_camera]]
name = "above"
position = [0, 0, 0.6]
target = [0, 0, 0]
projection = "orthographic"
size = [48, 48]
width = 0.6
far = 1.0
values = "height"
"""
many = talus.Simulation(talus.parse_scene(SCENE + CAMERA, overrides=["scene.worlds=4"]), device="cpu", shelves=1)
talus.run(many, 0.4, progress=False)
many.save_world(0, shelf=0)
many.fork_world(0, [1, 2])
many.reset_worlds([3], seeds=[11])
for world, speed in enumerate((0.2, 0.4, 0.6)):
    many.place_body(many.body("paddle", world), (-0.2, 0.0, 0.1))
    many.drive_body(many.body("paddle", world), (speed, 0.0, 0.0))
talus.run(many, 0.6, progress=False)
heights = many.depth("above")
print("four worlds at", [round(many.world_time(world), 2) for world in range(many.worlds)], "s, seen as", heights.shape)
many.restore_world(0, [0, 1, 2, 3])
print("all as one was:", len({many.state_hash(world) for world in range(4)}) == 1)

# %% Environments for robots that learn: one, or many that step together. Importing talus has registered them.
try:
    import gymnasium

    talus.register()  # at any time; needed where Gymnasium came after talus
    envs = gymnasium.make_vec("talus/Bulldozing-v0", num_envs=2, grains=150, device="cpu")
    observation, info = envs.reset(seed=0)
    rewards = [envs.step(np.tile([1.0, 0.0], (2, 1)))[1] for _ in range(80)]
    print({key: value.shape for key, value in observation.items()}, "rewards at last", rewards[-1].round(2))
    envs.close()
except ModuleNotFoundError as missing:
    if missing.name != "gymnasium":
        raise
    rewards = []
    print("Gymnasium is not installed: no environments")

# %% Pictures are arrays, too.
pictures = {
    "tour.png": sim.render(960, 540),
    "tour_above.png": sim.render(540, 540, eye=(0.0, -0.01, 1.2), target=(0.0, 0.0, 0.0)),
}
if "matplotlib" in sys.modules:
    for name, picture in pictures.items():
        pyplot.imsave(out / name, picture)
    figure, axes = pyplot.subplots(2, 2, figsize=(9, 6), layout="constrained")
    axes[0, 0].semilogy(*np.transpose(energies))
    axes[0, 0].set(xlabel="time [s]", ylabel="kinetic energy [J]")
    axes[0, 1].plot(forces[:, 0], forces[:, 1:], label=["x", "y", "z"])
    axes[0, 1].set(xlabel="time [s]", ylabel="force on the paddle [N]")
    axes[0, 1].legend()
    image = axes[1, 0].imshow(np.hstack(list(heights[:3])), vmax=0.15)
    axes[1, 0].set(title="paddles at 0.2, 0.4, 0.6 m/s, from above", xticks=[], yticks=[])
    figure.colorbar(image, label="height [m]", orientation="horizontal")
    axes[1, 1].plot(rewards)
    axes[1, 1].set(xlabel="steps of two bulldozers", ylabel="reward")
    figure.savefig(out / "tour.svg")
    print("written:", *sorted([*pictures, "tour.svg"]))

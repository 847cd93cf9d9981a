"""A first heap: pours sand, watches it come to rest, and measures its angle. Writes first_heap.png to the current folder.

Cells begin with # %%: open the file in VS Code or PyCharm, or as a notebook with Jupytext, or run it with python.
"""

# %% [markdown]
# # A first heap
# A scene says what there is: a domain with a rough floor, a material, and an emitter that pours 1200 grains from a low height.
# Keys and units are those of scene files, docs/scene_keys.md.

# %%
import talus


def heap_of(preset: str) -> talus.Scene:
    scene = talus.Scene({"scene": {"title": f"A heap of {preset}", "seed": 1}, "time": {"dt": 0.004, "end": 4.0}})
    scene.set("domain", min=[-0.4, -0.4, 0.0], max=[0.4, 0.4, 0.5], rough=True)
    scene.add_material(name="grain", preset=preset)
    scene.add_emitter(
        material="grain",
        radius=[0.009, 0.011],  # m
        rate=600.0,  # grains per s
        count=1200,
        velocity=[0.0, 0.0, -1.0],  # m/s
        shape={"cylinder": {"base": [0.0, 0.0, 0.2], "radius": 0.06, "height": 0.05}},
    )
    return scene


scene = heap_of("sand")
print(scene, "with steps of", scene.dt, "s")

# %% [markdown]
# ## Run it
# `run` advances the simulation and collects what `each` returns: here the state in a few numbers, every 0.05 s.

# %%
sim = talus.Simulation(scene)
rows = talus.run(sim, every=0.05, each=lambda s: (s.time, s.measure()))
print(sim)
print(*sim.notes, sep="\n")

# %% [markdown]
# ## Look at it
# A notebook shows a simulation as a picture where a Vulkan device can draw. `sim.plot()` needs matplotlib alone.

# %%
figure = sim.plot()
figure.savefig("first_heap.png", dpi=90)
sim

# %% [markdown]
# The kinetic energy falls until the grains sleep, and the number of contacts rises while the heap grows.

# %%
metrics = talus.plot.metrics(rows)

# %% [markdown]
# ## Measure it
# All states are NumPy arrays. The angle is that of the flank between 20 % and 80 % of the height.

# %%
grains = sim.grains()
heap = talus.plot.heap_profile(sim)
moving = int((abs(grains.velocity).max(axis=1) > 1e-3).sum())
print(f"{len(grains)} grains, {moving} of them move; the top is at {heap.height.max():.3f} m and the flank at {heap.angle:.1f} degrees")

# %% [markdown]
# ## Change it
# Friction and rolling friction make the angle: the same heap of glass beads is flatter.

# %%
beads = talus.Simulation(heap_of("glass_beads"))
talus.run(beads)
flatter = talus.plot.heap_profile(beads)
print(f"glass beads: the top is at {flatter.height.max():.3f} m and the flank at {flatter.angle:.1f} degrees")
axes = talus.plot.profile(sim)
talus.plot.profile(beads, axes=axes)
axes.legend([f"sand, {heap.angle:.1f}°", f"glass beads, {flatter.angle:.1f}°"])

"""A small scene: grains fall into a box in which a plate hangs on a joint and another body is driven."""

import pytest

import talus

SCENE = """
[scene]
title = "A box"
seed = 5
[time]
dt = 0.004
end = 0.4
[domain]
min = [-0.2, -0.2, 0.0]
max = [0.2, 0.2, 0.6]
[solver]
substeps = 4
[[material]]
name = "sand"
[[material]]
name = "gravel"
density = 2000.0
[[grains]]
material = "gravel"
radius = [0.01, 0.015]
count = 200
fill.box = { min = [-0.2, -0.2, 0.1], max = [0.2, 0.2, 0.5] }
[[body]]
name = "floor"
box = { size = [0.4, 0.4, 0.02] }
position = [0, 0, 0.01]
[[body]]
name = "pusher"
box = { size = [0.05, 0.05, 0.05] }
position = [-0.1, 0, 0.05]
[[body]]
name = "gate"
parent = "floor"
box = { size = [0.02, 0.02, 0.1] }
joint = { type = "prismatic", axis = [0, 0, 1], origin = [0.15, 0.15, 0.1], min = -0.02, max = 0.05, speed = 1.0 }
"""


@pytest.fixture
def scene():
    return talus.parse_scene(SCENE, "box.toml")


@pytest.fixture
def sim(scene):
    return talus.Simulation(scene, device="cpu")

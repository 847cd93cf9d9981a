import numpy as np
import pytest

import talus

SPEED, FRICTION, RADIUS = 1.0, 0.5, 0.01


def sliding(**solver):
    """A grain that does not rotate slides over the floor; its speed at the start depends on the seed."""
    return talus.Scene({
        "scene": {"seed": 3},
        "time": {"dt": 0.002, "end": 0.4},
        "domain": {"min": [-0.5, -0.5, 0], "max": [1, 0.5, 0.2]},
        "solver": {"rotation": False, **solver},
        "material": [{"name": "ice", "friction": FRICTION}],
        "grains": [{"material": "ice", "radius": RADIUS, "velocity": [SPEED, 0, 0], "velocity_random": 0.1, "fill": {"points": [[0, 0, RADIUS]]}}],
    })


def distance(sim):
    position = sim.grains().position[0]
    return np.hypot(position[0], position[1])


def test_the_distance_that_a_grain_slides_over_friction():
    told = talus.sensitivity(sliding(), {"material.ice.friction": FRICTION}, distance, seeds=6)["material.ice.friction"]
    # The distance is v^2 / (2 mu g), so that its derivative is - distance / mu, for each seed.
    assert told.mean == pytest.approx(SPEED**2 / (2 * FRICTION * 9.81), rel=0.15)
    assert told.value == pytest.approx(-told.mean / FRICTION, rel=0.03)
    assert told.step == pytest.approx(0.05 * FRICTION)
    # Seeds differ by their speed, which both sides of a difference share.
    assert 0.0 < told.error < 0.1 * abs(told.value)
    assert told.variance_ratio < 0.05
    assert told.error == pytest.approx(told.samples.std(ddof=1) / np.sqrt(6))


def test_from_a_fork_on_only_what_follows_is_changed():
    gone = []
    for seed in (3, 4):
        scene = sliding()
        scene.set("scene", seed=seed)
        start = talus.Simulation(scene, device="cpu")
        start.advance(50)
        gone.append(distance(start))
    told = talus.sensitivity(sliding(), {"material.ice.friction": FRICTION}, distance, seeds=2, fork=0.1)["material.ice.friction"]
    left = told.mean - np.mean(gone)
    assert 0.0 < left < 0.6 * told.mean
    assert told.value == pytest.approx(-left / FRICTION, rel=0.03)


def test_the_weight_of_grains_over_their_density():
    scene = talus.Scene({
        "time": {"dt": 0.002, "end": 0.3},
        "domain": {"min": [-0.2, -0.2, -0.1], "max": [0.2, 0.2, 0.4], "z": "open"},
        "material": [{"name": "sand"}],
        "grains": [{"material": "sand", "radius": 0.02, "velocity_random": 0.05, "fill": {"points": [[0, 0, 0.021], [0.1, 0, 0.021]]}}],
        "body": [{"name": "floor", "box": {"size": [0.6, 0.6, 0.1]}, "position": [0, 0, -0.05]}],
    })
    told = talus.sensitivity(scene, {"material.sand.density": 2000.0}, lambda sim: sim.body_loads().force[0], seeds=2)["material.sand.density"]
    volume = 2 * 4 / 3 * np.pi * 0.02**3
    assert told.value[2] == pytest.approx(-volume * 9.81, rel=0.02)
    assert np.all(told.error[:2] < 0.01 * volume * 9.81)


def test_what_cannot_be_is_said():
    with pytest.raises(ValueError, match="seeds: at least 2"):
        talus.sensitivity(sliding(), {"material.ice.friction": 0.5}, distance, seeds=1)
    with pytest.raises(ValueError, match="fork: a time from 0 to 0.4 s"):
        talus.sensitivity(sliding(), {"material.ice.friction": 0.5}, distance, fork=1.0)
    with pytest.raises(talus.SceneError, match="frictoin"):
        talus.sensitivity(sliding(), {"material.ice.frictoin": 0.5}, distance)

import numpy as np
import pytest

import talus
from conftest import SCENE


def test_a_scene_says_what_it_holds(scene):
    assert (scene.title, scene.seed, scene.source) == ("A box", 5, "box.toml")
    assert (scene.dt, scene.end, scene.substeps) == (0.004, 0.4, 4)
    assert scene.materials == ["sand", "gravel"]
    assert scene.bodies == ["floor", "pusher", "gate"]
    low, high = scene.domain
    np.testing.assert_array_equal(low, [-0.2, -0.2, 0.0])
    np.testing.assert_array_equal(high, [0.2, 0.2, 0.6])
    np.testing.assert_array_equal(scene.gravity, [0.0, 0.0, -9.81])


def test_overrides_change_a_scene_and_a_file_is_read_as_text_is(scene, tmp_path):
    changed = talus.parse_scene(SCENE, overrides=["scene.seed=9", "grains.0.count=7"])
    assert changed.seed == 9
    assert talus.Simulation(changed, device="cpu").grain_count == 7
    file = tmp_path / "box.toml"
    file.write_text(SCENE)
    assert talus.load_scene(file).to_toml() == scene.to_toml()
    assert talus.parse_scene(scene.to_toml()).to_toml() == scene.to_toml()


def test_errors_carry_the_sentence_of_the_engine(scene, tmp_path):
    with pytest.raises(talus.SceneError, match=r"^wrong.toml:2:1: .*nonsense"):
        talus.parse_scene("[scene]\nnonsense = 1\n", "wrong.toml")
    with pytest.raises(talus.SceneError, match="no such file"):
        talus.load_scene(tmp_path / "none.toml")
    with pytest.raises(talus.DeviceError, match='No device.* contains "nonsense"'):
        talus.Simulation(scene, device="nonsense")
    assert issubclass(talus.VerifyError, talus.StateError)
    assert issubclass(talus.StateError, talus.Error)


BOX = {"min": [-0.2, -0.2, 0.1], "max": np.array([0.2, 0.2, 0.5])}
TABLES = {
    "scene": {"title": "A box", "seed": np.uint8(5)},
    "time": {"dt": 0.004, "end": np.float64(0.4)},
    "domain": {"min": (-0.2, -0.2, 0.0), "max": np.array([0.2, 0.2, 0.6]), "friction": None},
    "solver": {"substeps": 4},
    "material": [{"name": "sand"}, {"name": "gravel", "density": 2000}],
    "grains": [{"material": "gravel", "radius": [0.01, 0.015], "count": np.int32(200), "fill": {"box": BOX}}],
    "body": [
        {"name": "floor", "box": {"size": [0.4, 0.4, 0.02]}, "position": [0, 0, 0.01]},
        {"name": "pusher", "box": {"size": [0.05, 0.05, 0.05]}, "position": [-0.1, 0, 0.05]},
        {
            "name": "gate",
            "parent": "floor",
            "box": {"size": [0.02, 0.02, 0.1]},
            "joint": {"type": "prismatic", "axis": [0, 0, 1], "origin": [0.15, 0.15, 0.1]}
            | {"min": -0.02, "max": 0.05, "speed": 1.0},
        },
    ],
}


def test_a_dict_is_the_scene_of_the_same_text(scene):
    assert talus.parse_scene(TABLES).to_toml() == scene.to_toml()
    assert talus.Scene(TABLES).to_toml() == scene.to_toml()
    assert talus.parse_scene(TABLES, overrides=["scene.seed=9"]).seed == 9


def test_a_scene_is_built_step_by_step(scene):
    built = talus.Scene()
    for table in ("scene", "time", "domain", "solver"):
        built.set(table, **TABLES[table])
    for material in TABLES["material"]:
        built.add_material(**material)
    built.add_grains(**TABLES["grains"][0])
    for body in TABLES["body"]:
        built.add_body(**body)
    assert built.bodies == ["floor", "pusher", "gate"]
    assert built.to_toml() == scene.to_toml()
    built.set("time", end=1.0)
    built.set("solver", substeps=None)
    assert (built.dt, built.end, built.substeps) == (0.004, 1.0, 0)
    assert talus.Simulation(built, device="cpu").grain_count == 200

    built.add_emitter(material="sand", radius=0.01, rate=100, shape={"sphere": {"center": [0, 0, 0.55], "radius": 0.03}})
    built.add_sink(name="drain", box={"size": [0.1, 0.1, 0.1]})
    built.add_cloth(name="net", material="sand", grid={"size": [0.1, 0.1], "cells": [4, 4]}, position=[0, 0, 0.54])
    built.add_shape_matched_body(name="brick", material="gravel", radius=0.01, fill={"points": np.eye(3) * 0.1 + [0, 0, 0.5]})
    built.add_depth_camera(name="eye", size=[4, 3], far=2)
    assert (built.sinks, built.cloths, built.shapes) == (["drain"], ["net"], ["brick"])
    assert built.depth_cameras == ["eye"]


def test_a_scene_that_was_read_goes_on_as_one_that_is_built(scene):
    text = scene.to_toml()
    scene.add_body(name="post", cylinder={"radius": 0.01, "height": 0.2})
    scene.set("scene", seed=6)
    assert scene.bodies == ["floor", "pusher", "gate", "post"]
    assert scene.seed == 6
    assert talus.parse_scene(scene.to_toml()).to_toml() == scene.to_toml() != text


def test_what_is_wrong_in_a_built_scene_is_named_as_python_says_it(tmp_path):
    def error(table, **keys):
        scene = talus.Scene(TABLES)
        getattr(scene, f"add_{table}")(**keys)
        scene.bodies
        return scene

    with pytest.raises(talus.SceneError, match=r"^grains\[1\]\.radius must be a number from .*, not the float -1\.0$"):
        error("grains", material="sand", radius=-1.0, fill={"box": BOX})
    with pytest.raises(talus.SceneError, match=r"^unknown key grains\[1\]\.raduis; did you mean radius\?"):
        error("grains", material="sand", raduis=1.0, fill={"box": BOX})
    with pytest.raises(talus.SceneError, match=r"^body\[3\]\.box\.size\[2\] must be a number"):
        error("body", name="post", box={"size": [1, 1, "high"]})
    with pytest.raises(talus.SceneError, match=r"^body\[3\]\.box cannot be <object object"):
        error("body", name="post", box=object())
    with pytest.raises(talus.SceneError, match=r"^body\[3\]\.mesh\.file cannot be used: .*none.stl"):
        error("body", name="post", mesh={"file": tmp_path / "none.stl"})
    with pytest.raises(talus.SceneError, match=r"^body is a list of tables: add_body adds one"):
        talus.Scene(TABLES).set("body", name="post")
    with pytest.raises(talus.SceneError, match=r"^grains\[0\]\.count: .* 1000000"):
        talus.Simulation(talus.Scene(crowded()), device="cpu")
    with pytest.raises(talus.SceneError, match="keys are text"):
        talus.Scene({"scene": {1: 2}})


def crowded():
    return TABLES | {"grains": [TABLES["grains"][0] | {"count": 1_000_000}]}


def test_scenes_print_what_they_hold(scene):
    assert repr(scene) == "Scene('A box', 1 group of grains, 3 bodies)"
    assert repr(talus.Scene({"time": {"dt": 0}})).startswith("Scene(not valid: time.dt must be a number from")


def test_devices_are_listed():
    for number, device in enumerate(talus.devices()):
        assert device.index == number
        assert device.name
        assert device.usable == (not device.missing)

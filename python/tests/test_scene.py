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


def test_devices_are_listed():
    for number, device in enumerate(talus.devices()):
        assert device.index == number
        assert device.name
        assert device.usable == (not device.missing)

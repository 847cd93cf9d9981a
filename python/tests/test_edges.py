"""What users get wrong, and what comes at a bad time: errors name the argument, and nothing is lost."""

import _thread
import math
import re
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import talus
from conftest import SCENE

NAN = float("nan")


def test_ctrl_c_ends_an_advance_after_a_whole_step(scene, sim):
    sim.advance(3)
    threading.Timer(0.3, _thread.interrupt_main).start()
    many = 1_000_000  # steps, which take minutes
    with pytest.raises(KeyboardInterrupt):
        sim.advance(many)
    assert 3 < sim.step < many
    assert sim.load_history().force.shape == (sim.step - 3, 3, 3)
    sim.advance(5)
    assert sim.report()["steps"] == sim.step
    other = talus.Simulation(scene, device="cpu")
    other.advance(sim.step)
    assert sim.state_hash() == other.state_hash()


def test_a_program_ends_while_a_thread_of_it_steps():
    program = (
        "import threading, time, talus\n"
        "from conftest import SCENE\n"
        "sim = talus.Simulation(talus.parse_scene(SCENE), device='cpu')\n"
        "threading.Thread(target=sim.advance, args=(1_000_000,), daemon=True).start()\n"
        "time.sleep(0.1)\n"
        "class Late:\n"  # so that the end of the interpreter takes longer than it is to the next look at signals
        "    def __del__(self, sleep=time.sleep):\n"
        "        sleep(0.5)\n"
        "late = Late()\n"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=Path(__file__).parent, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


def test_wrong_numbers_of_an_argument_are_named(sim):
    for wrong, says in (
        (lambda: sim.drive_body("pusher", (1, 0)), "velocity must be 3 numbers, not (1, 0)"),
        (lambda: sim.drive_body("pusher", "abc"), "velocity must be 3 numbers, not 'abc'"),
        (lambda: sim.drive_body("pusher", (0, 0, 0), spin=(1,)), "spin must be 3 numbers, not (1,)"),
        (lambda: sim.move_body("pusher", (0, 0, 0), (1, 0, 0)), "rotation must be 4 numbers, not (1, 0, 0)"),
        (lambda: sim.place_body("pusher", [0] * 100), "position must be 3 numbers, not a long list"),
        (lambda: sim.push_body("pusher", (0, 0, 0), (0, "x", 0)), "torque must be 3 numbers, not (0, 'x', 0)"),
        (lambda: sim.grab(np.zeros((1, 3)), 0.1), "at must be 3 numbers, not array("),
        (lambda: sim.render(32, 32, eye=(1, 2)), "eye must be 3 numbers, not (1, 2)"),
    ):
        with pytest.raises(TypeError, match=re.escape(says)):
            wrong()
    sim.drive_body("pusher", np.array([0.1, 0.0, 0.0], dtype=np.float32), [0, 0, 1])


def test_numbers_below_0_are_no_wrong_types(sim):
    with pytest.raises(ValueError, match="steps must be 0 or more, not -1"):
        sim.advance(-1)
    with pytest.raises(IndexError, match="there are 3 bodies, and no number -1"):
        sim.body_state(-1)
    for wrong in (lambda: sim.measure(-1), lambda: sim.state_hash(-1), lambda: sim.world_time(-1), lambda: sim.body("gate", -1),
                  lambda: sim.reset_worlds([0, -1]), lambda: sim.fork_world(-1, [0]), lambda: sim.restore_world(-1, [0]),
                  lambda: sim.soil_heights(-1)):  # fmt: skip
        with pytest.raises(ValueError, match="no number -1"):
            wrong()
    with pytest.raises(IndexError, match="no world -1"):
        sim.render(32, 32, world=-1)


def test_a_radius_that_is_no_length_takes_no_grain(sim):
    for radius in (NAN, math.inf, -0.1):
        for wrong in (sim.remove_grains, sim.grab, sim.push_grains):
            with pytest.raises(ValueError, match="radius"):
                wrong((0, 0, 0.3), radius)
    assert sim.grain_count == 200


def test_a_camera_that_cannot_look_is_refused(sim):
    for says, camera in (("fov", {"fov": 0.0}), ("fov", {"fov": NAN}), ("eye", {"eye": (NAN, 0, 0)}), ("target", {"target": (0, 0, math.inf)}),
                         ("two points", {"eye": (0, 0, 1), "target": (0, 0, 1)})):  # fmt: skip
        with pytest.raises(ValueError, match=says):
            sim.render(32, 32, **camera)


def test_times_of_a_run_are_finite(sim):
    for says, times in (("seconds", {"seconds": NAN}), ("seconds", {"seconds": math.inf}), ("every", {"every": math.inf}), ("every", {"every": NAN})):
        with pytest.raises(ValueError, match=f"{says}: a finite time"):
            talus.run(sim, **times)
    assert sim.step == 0


def test_an_export_needs_a_path(sim):
    with pytest.raises(talus.ExportError, match="out is empty"):
        sim.export("")


class Itself:
    def tolist(self):
        return self


def test_tables_that_hold_themselves_are_refused():
    table, listed, deep = {}, [], 1
    table["time"] = table
    listed.append(listed)
    for _ in range(100_000):
        deep = [deep]
    for tables in (table, {"material": listed}, {"time": {"dt": Itself()}}, {"time": {"dt": deep}}):
        with pytest.raises(talus.SceneError, match="(time|material) holds values within values on more than 256 levels"):
            talus.parse_scene(tables)
    with pytest.raises(talus.SceneError, match="256 levels"):
        talus.Scene().add_material(name=listed)


def test_text_without_a_form_in_utf_8_is_named():
    broken = "sand\udc80"  # as os.fsdecode gives a name of a file that is no UTF-8
    for says, tables in (("scene.title", {"scene": {"title": broken}}), ("a key of the scene", {broken: 1}), ("a key of time", {"time": {broken: 1}})):
        with pytest.raises(talus.SceneError, match=f"{says} cannot be 'sand.*UTF-8"):
            talus.parse_scene(tables)


def test_torch_takes_arrays(sim):
    torch = pytest.importorskip("torch")
    camera = '[[depth_camera]]\nname = "eye"\nposition = [0, 0, 0.6]\ntarget = [0, 0.1, 0]\nsize = [8, 6]\nfar = 1.0\n'
    image = talus.Simulation(talus.parse_scene(SCENE + camera), device="cpu").depth("eye")
    for take in (torch.from_dlpack, torch.from_numpy, torch.as_tensor):
        tensor = take(image)  # which shares the memory
        tensor += 1.0
        np.testing.assert_array_equal(tensor.numpy(), image)
    sim.advance(3)
    grains, memory = sim.grains(), sim.grain_memory()
    for array in (grains.position, grains.radius, memory.velocity, sim.body_loads().force, sim.body_state(0).position):
        for tensor in (torch.tensor(array), torch.from_dlpack(array.copy())):  # copies without a warning
            np.testing.assert_array_equal(tensor.numpy(), array)
            tensor += 1.0
            assert not np.array_equal(tensor.numpy(), array)
    np.testing.assert_array_equal(torch.from_numpy(grains.id.astype(np.int64)).numpy(), grains.id)

import gc
import re
import threading

import numpy as np
import pytest

import talus
from conftest import SCENE


def test_it_steps_and_tells(sim):
    assert (sim.step, sim.time, sim.grain_count) == (0, 0.0, 200)
    sim.advance(25)
    assert sim.step == 25
    assert sim.time == pytest.approx(0.1)
    assert sim.device.name == "CPU"
    measure = sim.measure()
    assert measure.grains == 200
    assert measure.kinetic_energy > 0.0
    assert measure.momentum[2] < 0.0  # they fall
    assert 0.0 < measure.height < 0.6


def test_grains_are_arrays_sorted_by_id(sim):
    sim.advance(10)
    grains = sim.grains()
    assert len(grains) == 200
    np.testing.assert_array_equal(grains.id, np.arange(200))
    assert grains.position.shape == grains.velocity.shape == (200, 3)
    assert grains.position.dtype == np.float32
    assert (grains.radius >= 0.01).all() and (grains.radius <= 0.015).all()
    assert (grains.material == 1).all() and (grains.world == 0).all()
    assert not grains.position.flags.writeable
    np.testing.assert_array_equal(np.from_dlpack(grains.radius), grains.radius)
    free = grains.velocity[grains.position[:, 2] > 0.4]
    assert free[:, 2].max() < -0.2


def test_grains_are_columns(sim):
    grains = sim.grains()
    columns = grains.to_dict()
    assert list(columns) == ["id", "x", "y", "z", "vx", "vy", "vz", "radius", "material", "world", "wx", "wy", "wz"]
    for a, name in enumerate("xyz"):
        np.testing.assert_array_equal(columns[name], grains.position[:, a])
        np.testing.assert_array_equal(columns["v" + name], grains.velocity[:, a])
        np.testing.assert_array_equal(columns["w" + name], grains.spin[:, a])
    for name in ("id", "radius", "material", "world"):
        np.testing.assert_array_equal(columns[name], getattr(grains, name))
    del grains, sim
    gc.collect()
    assert columns["z"].min() > 0.0


def test_grains_fall_asleep_where_they_may():
    text = """
        [solver]
        substeps = 8
        [[material]]
        name = "sand"
        rolling_friction = 0.2
        [[grains]]
        material = "sand"
        radius = 0.02
        fill.points = [[0, 0, 0.02], [0.1, 0, 0.02]]
    """
    sim = talus.Simulation(talus.parse_scene(text), device="cpu")
    assert sim.awake == 2
    sim.advance(400)
    assert sim.awake == 0
    updates = sim.grain_updates
    assert updates > 0
    sim.advance(10)
    assert sim.grain_updates == updates
    awake = talus.Simulation(talus.parse_scene(text.replace("[solver]", "[solver]\nsleep = false")), device="cpu")
    assert awake.awake is None and awake.grain_updates is None


def test_grains_have_spins_where_they_rotate():
    text = """
        [scene]
        worlds = 2
        [domain]
        gravity = [0, 0, 0]
        [solver]
        rotation = true
        [[material]]
        name = "glass"
        [[grains]]
        material = "glass"
        radius = 0.01
        spin = [1, 2, -3]
        fill.points = [[0, 0, 0.5], [0, 0, 1]]
        """
    still = talus.Simulation(talus.parse_scene(text.replace("rotation = true", "rotation = false")), device="cpu")
    assert (still.grains().spin == 0.0).all()
    assert still.grain_memory().surface_velocity.shape == (0, 3)
    scene = talus.parse_scene(text)
    spinning = talus.Simulation(scene, device="cpu")
    spinning.advance(3)
    grains, memory = spinning.grains(), spinning.grain_memory()
    np.testing.assert_array_equal(grains.world, [0, 0, 1, 1])
    np.testing.assert_allclose(grains.spin, [[1, 2, -3]] * 4, rtol=1e-6)
    there = memory.radius > 0
    np.testing.assert_allclose(memory.surface_velocity[there], [[0.01, 0.02, -0.03]] * 4, rtol=1e-6)


def rotated(quaternion, vector):
    """Vectors turned by quaternions x, y, z, w."""
    axis, w = quaternion[:, :3], quaternion[:, 3:]
    across = 2.0 * np.cross(axis, vector)
    return vector + w * across + np.cross(axis, across)


def test_clumps_have_poses():
    text = """
[domain]
min = [-0.2, -0.2, 0.0]
max = [0.2, 0.2, 0.6]
[[material]]
name = "sand"
[[grains]]
material = "sand"
radius = 0.01
count = 12
clump = "pair"
spin_random = 20
fill.box = { min = [-0.2, -0.2, 0.3], max = [0.2, 0.2, 0.5] }
[[emitter]]
material = "sand"
radius = 0.01
rate = 100
clump = "tetrahedron"
shape.box = { min = [-0.2, -0.2, 0.5], max = [0.2, 0.2, 0.6] }
"""
    sim = talus.Simulation(talus.parse_scene(text), device="cpu")
    sim.advance(10)
    clumps, grains = sim.clumps(), sim.grains()
    assert len(clumps) > 12 and repr(clumps) == f"Clumps({len(clumps)})"
    assert sorted(set(clumps.spheres)) == [2, 4] and clumps.spheres.sum() == len(grains)
    assert clumps.position.shape == clumps.velocity.shape == clumps.spin.shape == (len(clumps), 3)
    assert clumps.rotation.shape == (len(clumps), 4) and clumps.rotation.dtype == np.float64
    np.testing.assert_allclose(np.linalg.norm(clumps.rotation, axis=1), 1.0, atol=1e-6)
    assert not clumps.rotation.flags.writeable
    # The spheres of a pair are 0.8 radii from its centre, along its axis of the least moment of inertia.
    pairs = clumps.spheres == 2
    first = np.searchsorted(grains.id, clumps.first[pairs])
    lever = grains.position[first] - clumps.position[pairs]
    along = rotated(clumps.rotation[pairs], np.tile([0.008, 0.0, 0.0], (pairs.sum(), 1)))
    np.testing.assert_allclose(np.abs((lever * along).sum(axis=1)), 0.008**2, rtol=1e-3)
    np.testing.assert_allclose(grains.velocity[first], clumps.velocity[pairs] + np.cross(clumps.spin[pairs], lever), atol=1e-5)
    assert clumps.mass[pairs].min() == pytest.approx(clumps.mass[pairs].max(), rel=1e-6)
    assert len(talus.Simulation(talus.parse_scene(SCENE), device="cpu").clumps()) == 0


def test_objects_print_what_they_are(sim):
    sim.advance(10)
    assert repr(sim) == "Simulation('A box', device='CPU', grains=200, step=10, time=0.04 s)"
    assert repr(sim.grains()) == "Grains(200)"
    assert repr(sim.body_state("floor")) == (
        "BodyState(position=[0, 0, 0.01], rotation=[0, 0, 0, 1], velocity=[0, 0, 0], spin=[0, 0, 0])"
    )
    assert repr(sim.joint_state("gate")) == "JointState(value=0, speed=0)"
    assert repr(sim.measure()).startswith("Measure(grains=200, contacts_mean=")
    assert repr(sim.body_loads()) == "Loads(3 bodies)"
    assert repr(sim.load_history()) == "Loads(10 steps, 3 bodies)"
    assert repr(sim.checkpoint()).startswith("Checkpoint(step=10, device='")
    assert repr(sim.device).startswith("DeviceSummary(name='CPU', ")
    assert repr(sim.contacts()) == f"Contacts({len(sim.contacts())})"
    assert repr(sim.grain_memory()) == f"GrainMemory(places={len(sim.grain_memory().id)}, in_place=True)"
    assert re.fullmatch(r"PassTime\(name='\w+', calls=\d+, ms=[\d.e-]+\)", repr(sim.pass_times[0]))
    for device in talus.devices():
        shown = repr(device)
        assert shown.startswith(f"Device(index={device.index}, name='{device.name}', type='{device.type}', ")
        assert shown.endswith(" GB, usable)" if device.usable else " GB, not usable)")
    for thing in (sim.scene, sim.grain_memory(), sim.pass_times[0], talus.keep_devices_open()):
        assert " object at 0x" not in repr(thing)
        assert repr(thing).startswith(type(thing).__name__ + "(")


def test_memory_is_seen_in_place_and_outlives_the_simulation(sim):
    sim.advance(3)
    memory = sim.grain_memory()
    assert memory.in_place
    place = memory.position.__array_interface__["data"][0]
    assert sim.grain_memory().position.__array_interface__["data"][0] == place
    order = np.argsort(memory.id)
    grains = sim.grains()
    np.testing.assert_array_equal(memory.position[order], grains.position)
    np.testing.assert_array_equal(memory.radius[order], grains.radius)
    np.testing.assert_array_equal(memory.tag[order], grains.material)
    mass = 2000.0 * 4.0 / 3.0 * np.pi * grains.radius.astype(float) ** 3
    np.testing.assert_allclose(1.0 / memory.inverse_mass[order], mass, rtol=1e-5)
    before = memory.position.copy()
    del sim
    gc.collect()
    np.testing.assert_array_equal(memory.position, before)


def test_the_same_scene_gives_the_same_bits(scene, sim):
    other = talus.Simulation(scene, device="cpu", threads=1)
    sim.advance(50)
    for _ in range(10):
        other.advance(5)
    assert sim.state_hash() == other.state_hash()
    third = talus.Simulation(talus.parse_scene(SCENE, overrides=["scene.seed=6"]), device="cpu")
    third.advance(50)
    assert sim.state_hash() != third.state_hash()


def test_it_goes_on_from_a_file_and_from_memory(scene, sim, tmp_path):
    sim.advance(20)
    sim.drive_body("pusher", (0.3, 0, 0))
    sim.save(tmp_path / "state.talus")
    checkpoint = sim.checkpoint()
    assert checkpoint.step == 20
    sim.advance(20)
    end = sim.state_hash()
    sim.resume(checkpoint)
    assert sim.step == 20
    sim.advance(20)
    assert sim.state_hash() == end
    other = talus.Simulation(scene, device="cpu")
    other.resume(tmp_path / "state.talus")
    other.advance(20)
    assert other.state_hash() == end
    with pytest.raises(talus.CheckpointError):
        talus.Simulation(talus.parse_scene(SCENE, overrides=["grains.0.count=7"]), device="cpu").resume(checkpoint)


def test_bodies_go_where_they_are_told(sim):
    assert sim.body("gate") == 2
    sim.drive_body("pusher", (0.25, 0, 0), (0, 0, 1.0))
    sim.move_joint("gate", 0.03)
    sim.advance(25)
    pusher = sim.body_state(1)
    np.testing.assert_allclose(pusher.position, [-0.075, 0, 0.05], atol=1e-6)
    np.testing.assert_allclose(pusher.rotation, [0, 0, np.sin(0.05), np.cos(0.05)], atol=1e-6)
    np.testing.assert_allclose(pusher.velocity, [0.25, 0, 0], atol=1e-12)
    np.testing.assert_allclose(pusher.spin, [0, 0, 1.0], atol=1e-12)
    assert sim.joint_state("gate").value == pytest.approx(0.03)
    np.testing.assert_allclose(sim.body_state("gate").position, [0.15, 0.15, 0.14], atol=1e-6)
    sim.drive_joint(2, -0.5)
    sim.advance(50)
    assert sim.joint_state(2).value == pytest.approx(-0.02)  # where it stops
    sim.move_body(1, (0.1, 0.05, 0.1), speed=1e-3)
    sim.advance(25)
    assert np.linalg.norm(sim.body_state(1).velocity) == pytest.approx(1e-3)

    for wrong in (lambda: sim.body("nobody"), lambda: sim.drive_joint("floor", 1.0),
                  lambda: sim.push_body("floor", (1, 0, 0)), lambda: sim.move_joint("gate", 7.0)):
        with pytest.raises(ValueError):
            wrong()
    with pytest.raises(IndexError, match="3 bodies"):
        sim.body_state(3)


def test_bodies_feel_the_grains(sim):
    sim.advance(250)
    history = sim.load_history()
    assert history.force.shape == (250, 3, 3)
    loads = sim.body_loads()
    assert loads.force.shape == loads.torque_filtered.shape == (3, 3)
    np.testing.assert_array_equal(history.force[-1], loads.force)
    grains = sim.grains()
    weight = 9.81 * 2000.0 * 4.0 / 3.0 * np.pi * (grains.radius.astype(float) ** 3).sum()
    # All of them stand on the floor, on what is on it, or lean on the walls.
    mean = -history.force[-50:, :, 2].mean(axis=0).sum()
    assert 0.8 * weight < mean < 1.05 * weight


def test_other_threads_run_while_it_steps(scene, sim):
    busy = talus.Simulation(scene, device="cpu")
    enough = threading.Event()

    def step():
        while not enough.is_set():
            busy.advance(50)

    thread = threading.Thread(target=step)
    thread.start()
    refused = None
    for _ in range(100_000):
        try:
            busy.measure()
        except RuntimeError as error:
            refused = str(error)
            break
    enough.set()
    thread.join()
    assert refused is not None and "another thread steps this simulation" in refused
    assert busy.step % 50 == 0
    assert busy.measure().grains == 200


def test_settings_change_while_it_runs(scene, sim):
    sim.advance(5)
    sim.change(talus.parse_scene(SCENE, "box.toml", ["domain.gravity=[0,0,0]"]))
    before = sim.grains().velocity[-1].copy()
    high = sim.grains().position[:, 2] > 0.45
    sim.advance(1)
    assert sim.grains().velocity[high][0, 2] == pytest.approx(-9.81 * 5 * 0.004, rel=1e-3)
    assert before[2] < 0
    with pytest.raises(talus.SceneError, match="grains"):
        sim.change(talus.parse_scene(SCENE, overrides=["grains.0.count=7"]))


def test_a_hole_is_cut_into_a_body_while_it_runs():
    def scene(*holes):
        parts = ", ".join(["{ box = { size = [1, 1, 0.04] } }", *holes])
        return talus.parse_scene(
            """
            [domain]
            min = [-0.1, -0.1, 0]
            max = [0.1, 0.1, 0.4]
            [[material]]
            name = "sand"
            [[grains]]
            material = "sand"
            radius = 0.01
            fill.box = { min = [-0.1, -0.1, 0.2], max = [0.1, 0.1, 0.28] }
            [[body]]
            name = "table"
            position = [0, 0, 0.18]
            parts = [%s]
            """ % parts
        )

    sim = talus.Simulation(scene())
    sim.advance(60)
    assert (sim.grains().position[:, 2] > 0.2).all()
    sim.change(scene("{ sphere = { radius = 0.08 }, subtract = true, after_fill = true }"))
    sim.advance(60)
    assert (sim.grains().position[:, 2] < 0.15).sum() > 20


def test_a_hand_holds_grains(sim):
    assert sim.grab((0, 0, 0.3), 0.1) > 5
    sim.move_hand((0, 0, 0.31))
    sim.advance(1)
    sim.release()


def test_grains_are_pushed_and_removed(sim):
    before = sim.measure().grains
    assert sim.push_grains((0, 0, 0.3), 0.1) > 5
    sim.advance(2)
    sim.release()
    removed = sim.remove_grains((0, 0, 0.2), 0.1)
    assert removed > 0 and sim.removed_grains == removed
    assert sim.measure().grains == before - removed
    with pytest.raises(ValueError, match="finite"):
        sim.remove_grains((0, 0, float("nan")), 0.1)


def worlds_of(count, shelves=0):
    return talus.Simulation(talus.parse_scene(SCENE, overrides=[f"scene.worlds={count}"]), device="cpu", shelves=shelves)


def test_worlds_are_told_apart():
    sim = worlds_of(3)
    assert sim.worlds == 3
    sim.drive_body(sim.body("pusher", 1), (0.3, 0, 0))
    sim.advance(30)
    for world in (0, 2):  # as alone with the seed that follows
        alone = talus.Simulation(talus.parse_scene(SCENE, overrides=[f"scene.seed={5 + world}", "solver.incremental_rebuild=false"]), device="cpu")
        alone.advance(30)
        assert sim.state_hash(world) == alone.state_hash(0)
        assert sim.measure(world).kinetic_energy == alone.measure().kinetic_energy
    assert sim.measure().grains == 600 and sim.measure(1).grains == 200
    grains = sim.grains()
    np.testing.assert_array_equal(grains.world, np.repeat([0, 1, 2], 200))
    np.testing.assert_array_equal(grains.id, np.tile(np.arange(200), 3))
    assert sim.body("gate", 2) == 8
    at = [sim.body_state(sim.body("pusher", world)).position[0] for world in range(3)]
    np.testing.assert_allclose(at, [-0.1, -0.064, -0.1], atol=1e-6)
    assert sim.body_loads().force.shape == (9, 3)
    assert np.abs(sim.render(64, 48, world=0).astype(int) - sim.render(64, 48, world=1)).mean() > 0.1
    for wrong in (lambda: sim.state_hash(3), lambda: sim.measure(3), lambda: sim.world_time(3),
                  lambda: sim.body("gate", 3), lambda: sim.reset_worlds([3]), lambda: sim.fork_world(3, [0]),
                  lambda: sim.save_world(0)):  # fmt: skip
        with pytest.raises((ValueError, IndexError)):
            wrong()
    with pytest.raises(IndexError, match="no world 3"):
        sim.render(64, 48, world=3)


def test_worlds_start_anew_fork_and_come_back():
    sim = worlds_of(3, shelves=2)
    start = [sim.state_hash(world) for world in range(3)]
    sim.advance(10)
    other = sim.state_hash(0)
    sim.reset_worlds([1])
    assert sim.state_hash(1) == start[1] and sim.state_hash(0) == other
    assert (sim.world_time(0), sim.world_time(1)) == (pytest.approx(0.04), 0.0)
    sim.reset_worlds([1], [5])
    assert sim.state_hash(1) == start[0]
    sim.save_world(0, shelf=1)
    sim.fork_world(0, [2])
    assert sim.state_hash(2) == other and sim.world_time(2) == sim.world_time(0)
    sim.drive_body(sim.body("pusher", 2), (0.3, 0, 0))
    sim.advance(10)
    later = sim.state_hash(0)
    sim.restore_world(1, [0, 1])
    assert sim.state_hash(0) == sim.state_hash(1) == other
    sim.advance(10)
    assert sim.state_hash(0) == sim.state_hash(1) == later != sim.state_hash(2)
    with pytest.raises(ValueError, match="shelf 0 is empty"):
        sim.restore_world(0, [0])
    with pytest.raises(ValueError, match="no shelf 2"):
        sim.save_world(0, 2)
    with pytest.raises(ValueError, match="with 1 seeds"):
        sim.reset_worlds([0, 1], [1])


def test_a_body_is_placed_at_once(sim):
    sim.place_body("pusher", (0.1, 0.0, 0.05), (0.0, 0.0, 1.0, 1.0))
    np.testing.assert_allclose(sim.body_state("pusher").position, [0.1, 0.0, 0.05])
    np.testing.assert_allclose(sim.body_state("pusher").rotation, [0, 0, np.sqrt(0.5), np.sqrt(0.5)])
    np.testing.assert_array_equal(sim.body_state("pusher").velocity, 0.0)
    # Grains feel it as one that has always stood there.
    standing = talus.parse_scene(SCENE.replace("[-0.1, 0, 0.05]", "[0.1, 0, 0.05]\nrotation = [0, 0, 90]"))
    other = talus.Simulation(standing, device="cpu")
    sim.advance(60)
    other.advance(60)
    assert sim.state_hash() == other.state_hash()
    # Grains that lie still, and had no body near, are moved out at once, and not thrown.
    resting = SCENE.replace("density = 2000.0", "density = 2000.0\nrolling_friction = 0.1")
    still = talus.Simulation(talus.parse_scene(resting), device="cpu")
    still.advance(600)
    low = np.argsort(still.grains().position[:, 2])[20]
    assert np.linalg.norm(still.grains().velocity, axis=1).max() < 1e-3
    place = still.grains().position[low]
    still.place_body("pusher", place)
    assert np.linalg.norm(still.grains().position[low] - place) > still.grains().radius[low]
    still.advance(1)
    assert np.linalg.norm(still.grains().velocity[low]) < 0.5
    with pytest.raises(ValueError, match="joint"):
        sim.place_body("gate", (0, 0, 0))


CAMERAS = """
[[depth_camera]]
name = "eye"
body = "pusher"
position = [0, 0, 0.1]
target = [0.1, 0, 0.1]
size = [12, 8]
far = 0.5
[[depth_camera]]
name = "map"
position = [0, 0, 0.6]
target = [0, 0, 0]
projection = "orthographic"
size = [40, 20]
width = 0.4
far = 1.0
values = "height"
"""


def test_depth_cameras_see_every_world():
    scene = talus.parse_scene(SCENE + CAMERAS, overrides=["scene.worlds=2"])
    assert scene.depth_cameras == ["eye", "map"]
    sim = talus.Simulation(scene, device="cpu")
    sim.advance(100)
    eye, heights = sim.depth("eye"), sim.depth(1)
    assert eye.shape == (2, 8, 12) and heights.shape == (2, 20, 40)
    assert eye.dtype == heights.dtype == np.float32
    assert 0.0 < eye.min() < eye.max() <= 0.5
    assert not np.array_equal(heights[0], heights[1])
    for world in range(2):  # the top of grains, or else of a body
        assert heights[world].max() <= max(0.15, sim.measure(world).height + 1e-4)
    assert heights.min() == pytest.approx(0.02, abs=1e-4)  # the floor
    sim.place_body("pusher", (0.0, 0.0, 0.3))
    assert sim.depth("map")[0, 10, 20] == pytest.approx(0.325, abs=1e-4)
    np.testing.assert_array_equal(sim.depth("map")[1], heights[1])
    with pytest.raises(ValueError, match="no depth camera nose"):
        sim.depth("nose")
    with pytest.raises(IndexError, match="2 depth cameras"):
        sim.depth(2)


def test_pictures(sim):
    picture = sim.render(160, 90)
    assert picture.shape == (90, 160, 3)
    assert picture.dtype == np.uint8
    assert picture.std() > 5.0
    np.testing.assert_array_equal(sim.render(160, 90), picture)
    other = sim.render(160, 90, eye=(0.0, -1.0, 0.3), target=(0, 0, 0.3))
    assert np.abs(other.astype(int) - picture).mean() > 1.0
    assert sim.render(80, 120).shape == (120, 80, 3)
    with pytest.raises(ValueError, match="pixels"):
        sim.render(4, 4)


def test_run_loops_with_a_bar(sim, capsys):
    heights = talus.run(sim, every=0.1, each=lambda s: s.measure().height)
    assert sim.time == pytest.approx(0.4)
    assert len(heights) == 4
    assert heights[-1] < heights[0]
    assert "0.40/0.40 s" in capsys.readouterr().err
    talus.run(sim, 0.02, progress=False)
    assert sim.step == 105
    assert capsys.readouterr().err == ""
    with pytest.raises(ValueError, match="every"):
        talus.run(sim, 0.1, every=0.0)


def test_a_device_gives_copies(scene):
    device = next(device for device in talus.devices() if device.usable)
    sim = talus.Simulation(scene, device=str(device.index))
    assert sim.device.name == device.name
    sim.advance(5)
    memory = sim.grain_memory()
    assert not memory.in_place
    grains = sim.grains()
    np.testing.assert_array_equal(memory.position[np.argsort(memory.id)], grains.position)
    before = memory.position.copy()
    sim.advance(5)
    np.testing.assert_array_equal(memory.position, before)
    assert sim.render(80, 60).std() > 5.0


def test_ground_becomes_grains_where_a_body_digs():
    scene = talus.Scene({
        "time": {"dt": 0.002},
        "domain": {"min": [0, 0, 0], "max": [0.4, 0.1, 0.2], "y": "periodic"},
        "material": [{"name": "sand"}, {"name": "loam", "density": 2000.0}],
        "soil": {"material": "sand", "radius": 0.005, "height": 0.05, "layer": [{"material": "loam", "thickness": 0.02}]},
        "body": [{"name": "blade", "box": {"size": [0.01, 0.1, 0.08]}, "position": [0.12, 0.05, 0.075], "velocity": [0.2, 0, 0]}],
    })
    sim = talus.Simulation(scene, device="cpu")
    before = sim.soil
    assert before["live_grains"] == 0 and before["mass"] == before["grid_mass"]
    heights = sim.soil_heights()
    assert heights.shape == (4, 16) and np.allclose(heights, 0.05, rtol=0.05)
    sim.advance(20)
    assert sim.soil["live_grains"] > 100 and sim.soil["quanta"] == before["quanta"]
    sand, loam = sim.soil["materials"]["sand"], sim.soil["materials"]["loam"]
    assert loam["quanta"] == before["materials"]["loam"]["quanta"] and loam["grid_mass"] < loam["mass"]
    assert loam["quanta"] / sand["quanta"] == pytest.approx(2 / 3, rel=0.1)

#!/usr/bin/env python3
"""The C interface from Python's ctypes, as other languages bind it: no header, no compiler, the standard library alone.

    test_ctypes.py libtalus.so TALUS_PROGRAM
"""
import ctypes
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest
from ctypes import POINTER, byref, c_char_p, c_double, c_float, c_int32, c_uint32, c_uint64, c_void_p

OK, INVALID_ARGUMENT, SCENE, DEVICE, CHECKPOINT, TOO_SMALL, UNAVAILABLE = 0, 1, 2, 3, 7, 9, 10
ALL_WORLDS = 0xFFFFFFFF
KIND_BODY = 1

SCENE_TEXT = """
[scene]
title = "Grains on a slider"
[time]
dt = 0.004
end = 1.0
[domain]
min = [-0.2, -0.2, 0.0]
max = [0.2, 0.2, 0.6]
[[material]]
name = "sand"
[[grains]]
material = "sand"
radius = [0.01, 0.012]
count = 60
fill.box = { min = [-0.15, -0.15, 0.1], max = [0.15, 0.15, 0.5] }
[[body]]
name = "slider"
box.size = [0.1, 0.1, 0.04]
position = [0, 0, 0.02]
"""


class Options(ctypes.Structure):
    _fields_ = [
        ("size", c_uint32), ("threads", c_int32), ("device", c_char_p), ("verify", c_uint32), ("validation", c_uint32),
        ("no_timing", c_uint32), ("lanes", c_uint32), ("slice", c_double), ("grid_cells", c_uint32),
        ("contact_slots", c_uint32), ("shelves", c_uint32), ("reserved", c_uint32),
    ]  # fmt: skip


class GrainArrays(ctypes.Structure):
    _fields_ = [
        ("size", c_uint32), ("reserved", c_uint32), ("capacity", c_uint64), ("count", c_uint64),
        ("ids", POINTER(c_uint32)), ("positions", POINTER(c_float)), ("velocities", POINTER(c_float)),
        ("radii", POINTER(c_float)), ("materials", POINTER(c_uint32)), ("worlds", POINTER(c_uint32)),
        ("spins", POINTER(c_float)),
    ]  # fmt: skip


class GrainView(ctypes.Structure):
    _fields_ = [
        ("size", c_uint32), ("stride", c_uint32), ("count", c_uint64), ("grains", POINTER(c_float)),
        ("ids", POINTER(c_uint32)), ("materials", POINTER(c_uint32)), ("spins", POINTER(c_float)),
    ]  # fmt: skip


class Pose(ctypes.Structure):
    _fields_ = [("position", c_double * 3), ("rotation", c_double * 4)]


class Twist(ctypes.Structure):
    _fields_ = [("velocity", c_double * 3), ("spin", c_double * 3)]


class Failed(Exception):
    def __init__(self, result, sentence):
        super().__init__(sentence)
        self.result = result


talus = ctypes.CDLL(sys.argv.pop(1))
PROGRAM = sys.argv.pop(1)
talus.talus_last_error.restype = c_char_p
talus.talus_result_name.restype = c_char_p
talus.talus_version_text.restype = c_char_p


def call(name, *arguments):
    result = getattr(talus, name)(*arguments)
    if result != OK:
        raise Failed(result, talus.talus_last_error().decode())


class Handle:
    """What a function hands out by its last argument; freed with the object."""

    def __init__(self, free, name, *arguments):
        self.pointer, self.free = c_void_p(), free
        call(name, *arguments, byref(self.pointer))

    @property
    def _as_parameter_(self):
        return self.pointer

    def __del__(self):
        if self.pointer:
            getattr(talus, self.free)(self.pointer)


def scene_of(text, name=b"slider.toml"):
    return Handle("talus_scene_free", "talus_scene_parse", text.encode(), name, None, c_uint64(0))


def simulation_of(scene, **options):
    wanted = Options(ctypes.sizeof(Options), device=b"cpu", **options)
    return Handle("talus_simulation_free", "talus_simulation_create", scene, byref(wanted))


def hash_of(simulation):
    value = c_uint64()
    call("talus_state_hash", simulation, c_uint32(ALL_WORLDS), byref(value))
    return f"{value.value:016x}"


def grains_of(simulation):
    arrays = GrainArrays(ctypes.sizeof(GrainArrays))
    call("talus_read_grains", simulation, byref(arrays))
    n = arrays.count
    ids, positions, radii = (c_uint32 * n)(), (c_float * (3 * n))(), (c_float * n)()
    arrays = GrainArrays(ctypes.sizeof(GrainArrays), capacity=n, ids=ids, positions=positions, radii=radii)
    call("talus_read_grains", simulation, byref(arrays))
    return list(ids), [tuple(positions[3 * k : 3 * k + 3]) for k in range(n)], list(radii)


class TestFromPython(unittest.TestCase):
    def test_the_state_is_that_of_the_program(self):
        with tempfile.TemporaryDirectory() as folder:
            file, report = pathlib.Path(folder, "slider.toml"), pathlib.Path(folder, "report.json")
            file.write_text(SCENE_TEXT)
            subprocess.run(
                [PROGRAM, "run", file, "--device", "cpu", "--steps", "50", "--report", report], check=True, stdout=subprocess.DEVNULL
            )
            expected = json.loads(report.read_text())
            from_file = Handle("talus_scene_free", "talus_scene_load", str(file).encode(), None, c_uint64(0))
        for scene in (scene_of(SCENE_TEXT), from_file):
            simulation = simulation_of(scene)
            call("talus_advance", simulation, c_uint64(50))
            self.assertEqual(hash_of(simulation), expected["state_hash"])
            self.assertEqual(len(grains_of(simulation)[0]), expected["grains"])
        self.assertEqual(expected["grains"], 60)

    def test_commands_and_borrowed_grains(self):
        simulation = simulation_of(scene_of(SCENE_TEXT), threads=1)
        body = c_uint32()
        call("talus_find", simulation, c_uint32(KIND_BODY), b"slider", c_uint32(0), byref(body))
        call("talus_drive_body", simulation, body, byref(Twist((0.5, 0, 0), (0, 0, 0))), None)
        call("talus_advance", simulation, c_uint64(50))
        pose, twist = Pose(), Twist()
        call("talus_body_state", simulation, body, byref(pose), byref(twist))
        self.assertAlmostEqual(pose.position[0], 0.1, places=6)  # 0.5 m/s for 0.2 s
        self.assertAlmostEqual(twist.velocity[0], 0.5, places=9)
        self.assertEqual(pose.rotation[3], 1)

        view = GrainView(ctypes.sizeof(GrainView))
        call("talus_view_grains", simulation, byref(view))
        self.assertEqual(view.stride, 32)
        seen = {}
        for slot in range(view.count):
            x, y, z, radius = view.grains[8 * slot : 8 * slot + 4]
            if radius > 0:
                seen[view.ids[slot]] = ((x, y, z), radius)
        ids, positions, radii = grains_of(simulation)
        self.assertEqual(seen, {i: (p, r) for i, p, r in zip(ids, positions, radii)})
        self.assertTrue(all(p[2] > 0 for p in positions))

    def test_a_checkpoint_in_memory_is_resumed_to_the_same_bits(self):
        scene = scene_of(SCENE_TEXT)
        first, second = simulation_of(scene), simulation_of(scene)
        call("talus_advance", first, c_uint64(20))
        checkpoint = Handle("talus_checkpoint_free", "talus_checkpoint_create", first)
        data, size = c_void_p(), c_uint64()
        call("talus_checkpoint_bytes", checkpoint, byref(data), byref(size))
        kept = ctypes.string_at(data, size.value)
        call("talus_advance", first, c_uint64(20))
        call("talus_resume_bytes", second, kept, c_uint64(len(kept)))
        call("talus_advance", second, c_uint64(20))
        self.assertEqual(hash_of(first), hash_of(second))
        with self.assertRaisesRegex(Failed, "ends too early") as failure:
            call("talus_resume_bytes", second, kept[:-1], c_uint64(len(kept) - 1))
        self.assertEqual(failure.exception.result, CHECKPOINT)

    def test_errors_say_where_and_what(self):
        with self.assertRaises(Failed) as failure:
            scene_of(SCENE_TEXT.replace('material = "sand"', 'material = "sond"'))
        self.assertEqual(failure.exception.result, SCENE)
        line = SCENE_TEXT.split("\n").index('material = "sand"') + 1
        self.assertRegex(str(failure.exception), rf"^slider\.toml:{line}:\d+: .*sond")
        with self.assertRaises(Failed) as failure:
            wanted = Options(ctypes.sizeof(Options), device=b"no such device")
            Handle("talus_simulation_free", "talus_simulation_create", scene_of(SCENE_TEXT), byref(wanted))
        self.assertEqual(failure.exception.result, DEVICE)
        self.assertEqual(talus.talus_result_name(c_int32(DEVICE)), b"TALUS_ERROR_DEVICE")

    def test_misuse_ends_in_an_error(self):
        scene = scene_of(SCENE_TEXT)
        simulation = simulation_of(scene)
        two = (c_uint32 * 2)()
        arrays = GrainArrays(ctypes.sizeof(GrainArrays), capacity=2, ids=two)
        misuse = [
            (INVALID_ARGUMENT, "talus_advance", None, c_uint64(1)),
            (INVALID_ARGUMENT, "talus_advance", scene, c_uint64(1)),  # a handle of another type
            (INVALID_ARGUMENT, "talus_state_hash", simulation, c_uint32(0), None),
            (INVALID_ARGUMENT, "talus_state_hash", simulation, c_uint32(1), byref(c_uint64())),
            (INVALID_ARGUMENT, "talus_body_state", simulation, c_uint32(1), byref(Pose()), byref(Twist())),
            (INVALID_ARGUMENT, "talus_read_grains", simulation, byref(GrainArrays(8))),
            (TOO_SMALL, "talus_read_grains", simulation, byref(arrays)),
        ]
        for result, name, *arguments in misuse:
            with self.subTest(name), self.assertRaises(Failed) as failure:
                call(name, *arguments)
            self.assertEqual(failure.exception.result, result)
            self.assertTrue(str(failure.exception))
        self.assertEqual((arrays.count, list(two)), (60, [0, 0]))
        freed = simulation_of(scene)
        call("talus_simulation_free", freed)
        with self.assertRaisesRegex(Failed, "freed"):
            call("talus_advance", freed, c_uint64(1))
        call("talus_advance", simulation, c_uint64(1))  # unharmed


if __name__ == "__main__":
    print("libtalus", talus.talus_version_text().decode())
    unittest.main()

#!/usr/bin/env python3
"""The picture of a heap beside Blender's path tracer, Cycles: the same grains, stones, minerals, camera, sun and sky.

    pip install bpy
    python3 bench/peers/path_traced.py build/talus FOLDER [--scene SCENE] [--time T] [--set KEY=VALUE].. [--size WxH] [--samples N]

FOLDER gets talus.png and cycles.png. The scene has grains of one material on a floor, at z = 0, and no bodies; `camera.eye` and
`camera.target` are given. What both know is written here once more, after shaders/shared/draw_ball.glsl (stones), finish.h (minerals), sky.h
(light). The fine noise of normals, worn edges and the patches of two tones, which Talus draws on stones, and the mottles of its ground, Cycles lacks.
"""
import argparse
import csv
import math
import pathlib
import struct
import subprocess
import tomllib
import zlib

import bpy
import numpy as np

FACETS, AWAY, OUTLINE = 6, (0.60, 0.95), 0.922
TURBIDITY = 3.0
SUN_DISC = 0.00465  # tangent of half its angle
GROUND = (0.40, 0.395, 0.38)
SAND = ((0.72, 0.99944, -0.15944), (0.17, 1.22, 0.45), (0.08, 0.80, 0.25), (0.03, 0.30, 0.60))  # share, gain, paleness
GRAVEL = ((0.50, 1.01600, -0.18307), (0.20, 1.35, 0.30), (0.18, 0.90, 0.00), (0.12, 0.50, 0.20))


def mixed(x):
    x = x.astype(np.uint32)
    x = (x ^ (x >> np.uint32(16))) * np.uint32(0x7FEB352D)
    x = (x ^ (x >> np.uint32(15))) * np.uint32(0x846CA68B)
    return x ^ (x >> np.uint32(16))


def turned(q, v):
    t = 2.0 * np.cross(q[:, :3], v)
    return v + q[:, 3:] * t + np.cross(q[:, :3], t)


def orientations(number):
    word = mixed(number + np.uint32(1))
    q = np.stack([(word >> np.uint32(s) & np.uint32(0xFF)).astype(float) for s in (0, 8, 16, 24)], 1) - 127.3
    return q / np.linalg.norm(q, axis=1, keepdims=True)


def stones(number, directions):
    """Radii of the stones' surfaces along these directions, for balls of radius 1: a row per grain."""
    q = orientations(number) * np.array([-1.0, -1.0, -1.0, 1.0])
    own = np.stack([turned(q, np.broadcast_to(d, (len(number), 3))) for d in directions], 1)  # grain, direction
    radius = np.ones(own.shape[:2])
    for k in range(FACETS):
        word = mixed((number + np.uint32(1)) * np.uint32(FACETS) + np.uint32(k))
        plane = np.stack([(word >> np.uint32(s) & np.uint32(0x3FF)).astype(float) for s in (0, 10, 20)], 1) - 511.3
        plane /= np.linalg.norm(plane, axis=1, keepdims=True)
        away = AWAY[0] + (AWAY[1] - AWAY[0]) * (mixed(word) >> np.uint32(24)).astype(float) / 255.0
        facing = np.einsum("gdk,gk->gd", own, plane)
        radius = np.minimum(radius, np.where(facing > 1e-6, away[:, None] / np.maximum(facing, 1e-6), np.inf))
    return radius / math.sqrt(OUTLINE)


def colors(number, color, minerals):
    bits = mixed(number * np.uint32(0x9E3779B1) + np.uint32(1))
    shade, warmth = ((bits >> np.uint32(s) & np.uint32(0xFF)) / 255.0 - 0.5 for s in (24, 16))
    kind = np.searchsorted(np.cumsum([m[0] for m in minerals])[:-1], (bits & np.uint32(0xFFFF)) / 65536.0, side="right")
    grey = np.dot(color, (0.2126, 0.7152, 0.0722))
    own = np.array([np.clip(m[1] * (np.array(color) * (1 - m[2]) + grey * m[2]), 0.0, 0.9) for m in minerals])[kind]
    return own * (1.0 + 0.36 * shade)[:, None] * (1.0 + 0.14 * warmth[:, None] * np.array([1.0, 0.0, -1.0]))


def perez(cos_z, cos_g):
    t, g = TURBIDITY, np.arccos(np.clip(cos_g, -1.0, 1.0))
    return (1 + (0.1787 * t - 1.4630) * np.exp((-0.3554 * t + 0.4275) / cos_z)) * (
        1 + (-0.0227 * t + 5.3251) * np.exp((0.1206 * t - 2.5771) * g) + (-0.0670 * t + 0.3703) * cos_g**2)


def sky(way, sun):
    t = TURBIDITY
    zenith = (4.0453 * t - 4.9710) * math.tan((4 / 9 - t / 120) * (math.pi - 2 * math.acos(sun[2]))) - 0.2155 * t + 2.4192
    luminance = zenith / perez(1.0, sun[2]) * perez(np.maximum(way[..., 2], 0.01), way @ sun)
    i = 1.0 / np.clip(6.5 + 30.1 * luminance**-1.2, 7.0, 25.0)
    x = 0.237040 + i * (0.24748 + i * (1.9018 - 2.0064 * i))
    y = -0.275 + x * (2.870 - 3.000 * x)
    xyz = np.stack([x, y, 1 - x - y], -1) * (luminance / y)[..., None]
    to_rgb = np.array([[3.2406, -1.5372, -0.4986], [-0.9689, 1.8758, 0.0415], [0.0557, -0.2040, 1.0570]])
    return np.maximum(xyz @ to_rgb.T, 0.0)


def sun_light(sun):
    height = sun[2]
    mass = 1.0 / (height + 0.50572 * (math.degrees(math.asin(height)) + 6.07995) ** -1.6364)
    wavelength = np.array([0.610, 0.550, 0.465])
    return 128.0 * np.exp(-(0.008735 * wavelength**-4.08 + (0.04608 * TURBIDITY - 0.04586) * wavelength**-1.3) * mass)


def directions(width, height):
    """Of the pixels of a panorama as Blender has it: its middle looks along -y turned by 90 degrees, that is along x."""
    u, v = (np.arange(width) + 0.5) / width, (np.arange(height) + 0.5) / height
    around, up = (u - 0.5) * -2 * math.pi, (v - 0.5) * math.pi
    return np.stack([np.cos(up)[:, None] * np.cos(around), np.cos(up)[:, None] * np.sin(around),
                     np.broadcast_to(np.sin(up)[:, None], (height, width))], -1), np.cos(up)


def unit(v):
    return np.array(v) / np.linalg.norm(v)


def read(folder):
    file = sorted(folder.glob("grains_*.csv"))[-1]
    with file.open() as lines:
        rows = [r for r in csv.DictReader(lines)]
    return (np.array([int(r["id"]) for r in rows], np.uint32), np.array([[float(r[a]) for a in "xyz"] for r in rows]),
            np.array([float(r["radius"]) for r in rows]))


def developed(color):
    """8 bits, sRGB: the curve of shaders/draw/draw_develop.frag."""
    start, room, desaturation = 0.76, 0.24, 0.15
    peak = np.maximum(color.max(-1, keepdims=True), 1e-9)
    compressed = np.where(peak < start, peak, 1.0 - room * room / (peak + room - start))
    color = color * compressed / peak
    color = compressed + (color - compressed) / (desaturation * (peak - compressed) + 1.0)
    color = np.clip(color, 0.0, 1.0)
    return np.round(255 * np.where(color <= 0.0031308, 12.92 * color, 1.055 * color ** (1 / 2.4) - 0.055)).astype(np.uint8)


def write_png(file, rgb):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + row.tobytes() for row in rgb)
    file.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", rgb.shape[1], rgb.shape[0], 8, 2, 0, 0, 0)) +
                     chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b""))


def draw(scene, folder, size, samples):
    number, place, radius = read(folder / "grains")
    material = scene["material"][0]
    minerals = GRAVEL if material.get("preset") == "gravel" else SAND
    color = material.get("color", (0.43, 0.42, 0.40) if minerals is GRAVEL else (0.60, 0.46, 0.28))
    eye, target = np.array(scene["camera"]["eye"]), np.array(scene["camera"]["target"])

    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=4, radius=1.0)
    ball = bpy.context.object.data
    around = np.array([v.co for v in ball.vertices])
    around /= np.linalg.norm(around, axis=1, keepdims=True)
    faces = np.array([p.vertices for p in ball.polygons])
    bpy.data.objects.remove(bpy.context.object)
    far = stones(number, around) * radius[:, None]
    vertices = (place[:, None, :] + far[:, :, None] * around[None]).reshape(-1, 3)
    triangles = (faces[None] + (np.arange(len(number)) * len(around))[:, None, None]).reshape(-1, 3)
    mesh = bpy.data.meshes.new("grains")
    mesh.vertices.add(len(vertices))
    mesh.vertices.foreach_set("co", vertices.ravel())
    mesh.loops.add(triangles.size)
    mesh.loops.foreach_set("vertex_index", triangles.ravel())
    mesh.polygons.add(len(triangles))
    mesh.polygons.foreach_set("loop_start", np.arange(0, triangles.size, 3))
    mesh.update(calc_edges=True)
    tint = mesh.color_attributes.new("tint", "FLOAT_COLOR", "POINT")
    rgba = np.concatenate([colors(number, color, minerals), np.ones((len(number), 1))], 1)
    tint.data.foreach_set("color", np.repeat(rgba, len(around), 0).astype(np.float32).ravel())
    grains = bpy.data.objects.new("grains", mesh)
    bpy.context.collection.objects.link(grains)

    def principled(name, roughness):
        made = bpy.data.materials.new(name)
        made.use_nodes = True
        node = made.node_tree.nodes["Principled BSDF"]
        node.inputs["Roughness"].default_value, node.inputs["IOR"].default_value = roughness, 1.54
        return made, node

    stone, node = principled("stone", 0.7 if minerals is GRAVEL else 0.55)
    attribute = stone.node_tree.nodes.new("ShaderNodeAttribute")
    attribute.attribute_name = "tint"
    stone.node_tree.links.new(attribute.outputs["Color"], node.inputs["Base Color"])
    if minerals is SAND:
        node.inputs["Subsurface Weight"].default_value, node.inputs["Subsurface Scale"].default_value = 0.3, float(radius.mean())
    grains.data.materials.append(stone)
    bpy.ops.mesh.primitive_plane_add(size=200.0)
    floor, node = principled("floor", 0.8)
    node.inputs["Base Color"].default_value = (*GROUND, 1.0)
    bpy.context.object.data.materials.append(floor)

    # The light comes from the left of the picture and a little from this side.
    right = unit(np.cross(target - eye, (0, 0, 1)))
    sun = unit(-0.72 * right + 0.12 * np.cross(right, (0, 0, 1)) + np.array([0, 0, 0.70]))
    ways, level = directions(1024, 512)
    light = sky(ways, sun)
    upward = np.maximum(ways[..., 2], 0.0) * level[:, None]
    exposure = 1.0 / ((sun_light(sun) * sun[2] + (light * upward[..., None]).sum((0, 1)) * 2 * math.pi**2 / upward.size) / math.pi)
    panorama = bpy.data.images.new("sky", 1024, 512, float_buffer=True)
    panorama.colorspace_settings.name = "Linear Rec.709"
    panorama.pixels.foreach_set(np.concatenate([light * exposure, np.ones((512, 1024, 1))], -1).astype(np.float32).ravel())
    world = bpy.data.worlds.new("sky")
    world.use_nodes = True
    texture = world.node_tree.nodes.new("ShaderNodeTexEnvironment")
    texture.image = panorama
    world.node_tree.links.new(texture.outputs["Color"], world.node_tree.nodes["Background"].inputs["Color"])
    bpy.context.scene.world = world
    strength = sun_light(sun) * exposure  # W/m2, as radiance 1 of the sky gives pi
    lamp = bpy.data.lights.new("sun", "SUN")
    lamp.energy, lamp.color, lamp.angle = float(strength.max()), strength / strength.max(), 2 * math.atan(SUN_DISC)
    lamp_object = bpy.data.objects.new("sun", lamp)
    from mathutils import Vector
    lamp_object.rotation_euler = Vector(sun).to_track_quat("Z", "Y").to_euler()
    bpy.context.collection.objects.link(lamp_object)

    camera = bpy.data.cameras.new("camera")
    camera.sensor_fit, camera.angle = "VERTICAL", math.radians(scene["camera"].get("fov", 40.0))
    camera_object = bpy.data.objects.new("camera", camera)
    camera_object.location = eye
    camera_object.rotation_euler = Vector(eye - target).to_track_quat("Z", "Y").to_euler()
    bpy.context.collection.objects.link(camera_object)
    made = bpy.context.scene
    made.camera = camera_object
    made.render.engine = "CYCLES"
    made.cycles.samples, made.cycles.use_denoising, made.cycles.max_bounces = samples, True, 12
    made.render.resolution_x, made.render.resolution_y = size
    made.render.image_settings.file_format, made.render.image_settings.color_depth = "OPEN_EXR", "32"
    made.render.filepath = str(folder / "cycles.exr")
    bpy.ops.render.render(write_still=True)
    light = bpy.data.images.load(str(folder / "cycles.exr"))
    pixels = np.empty(size[0] * size[1] * 4, np.float32)
    light.pixels.foreach_get(pixels)
    write_png(folder / "cycles.png", developed(pixels.reshape(size[1], size[0], 4)[::-1, :, :3]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("talus", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--scene", type=pathlib.Path, default=pathlib.Path(__file__).parents[2] / "scenes" / "pile.toml")
    parser.add_argument("--time", type=float, default=3.5)
    parser.add_argument("--set", action="append", default=[])
    parser.add_argument("--size", default="960x540")
    parser.add_argument("--samples", type=int, default=64)
    options = parser.parse_args()
    folder = options.folder.resolve()
    (folder / "grains").mkdir(parents=True, exist_ok=True)
    scene = tomllib.loads(options.scene.read_text())
    for setting in options.set:
        key, value = setting.split("=", 1)
        table, name = key.split(".")
        scene.setdefault(table, {})[name] = tomllib.loads(f"x = {value}")["x"]
    state = folder / "state"
    common = [options.scene, "--device", "cpu", "--time", str(options.time), *(a for s in options.set for a in ("--set", s))]
    if not state.exists():
        subprocess.run([options.talus, "run", *common, "--save", state], check=True)
    subprocess.run([options.talus, "run", *common, "--resume", state, "--out", folder / "grains", "--format", "csv"], check=True)
    subprocess.run([options.talus, "render", *common, "--resume", state, "--out", folder / "frames", "--size", options.size, "--fps", "0.01", "--set",
                    'output.quality="film"'], check=True)
    (folder / "frames" / "final.png").replace(folder / "talus.png")
    draw(scene, folder, [int(n) for n in options.size.split("x")], options.samples)


if __name__ == "__main__":
    main()

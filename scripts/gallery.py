#!/usr/bin/env python3
"""Draws the pictures of docs/gallery.md and docs/machines.md, and measures the figures of the table of the former.

gallery.py TALUS [SCENE]...   TALUS: the program; SCENE: names as in `scenes` below, all without any

Each scene runs on the CPU path from one of its times to the next. Pictures are drawn at twice their size. The
figures are those of the run up to the last of them, without drawing, from its reports. Needs ffmpeg.
"""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

project = Path(__file__).resolve().parent.parent
pictures = project / "docs" / "gallery"

few_fine = [
    "emitter.0.count=3000",
    "emitter.0.rate=6000",
    "body.plug.keyframes=[{time=0.9,position=[0,0,0]},{time=1.3,position=[0,0,-0.69]}]",
]
small_dune = ["grains.0.radius=0.08", "upsampling.radius=[0.0196,0.0238]"]

# Times [s] of the pictures from left to right, and what differs from the scene's file.
scenes = {
    "hourglass": ([2.0, 5.0, 8.0], []),
    "silo": ([1.0, 2.0, 4.0], []),
    "stones": ([1.0, 3.0, 8.0], []),
    "gear_tower": ([0.2, 0.5, 1.5], []),
    "city": ([1.0, 2.0, 4.0], []),
    "animal": ([1.0, 2.0, 4.0], []),
    "squirrel": ([0.1, 0.3, 0.75], []),
    "cloth_catch": ([0.1, 0.3, 4.0], []),
    "cloth_on_sphere": ([0.2, 0.4, 2.0], []),
    "cloth_hang": ([0.5, 0.7, 1.0], []),
    "sandcastle": ([1.6, 3.2, 6.4], []),
    "squirrel_fine": ([0.1, 0.3, 0.7], []),
    "excavator": ([1.6, 3.2, 4.0], []),
    "hourglass_fine": ([0.8, 1.4, 3.0], few_fine),
    "dune": ([0.2, 0.5, 1.0], small_dune),
    "bulldozer_ridge": ([2.0, 3.6, 5.4], []),
    "excavator_dig": ([2.0, 4.5, 6.6], []),
    "robot_scoop": ([2.4, 4.7, 7.4], []),
    "wheel_and_plank": ([2.0, 3.6, 5.0], []),
    "boat": ([0.1, 4.0, 8.5], []),
}


def run(*arguments):
    subprocess.run([str(a) for a in arguments], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def processor():
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return re.sub(r"\(R\)|\(TM\)", "", line.split(":", 1)[1]).strip()
    return "an unknown processor"


def draw(talus, name, scratch):
    """The pictures of a scene beside each other in one file; returns its line of the table."""
    times, changes = scenes[name]
    scene = project / "scenes" / f"{name}.toml"
    common = ["--device", "cpu", *(word for change in changes for word in ("--set", change))]
    state, drawn, seconds, report = None, [], 0.0, {}
    for time in times:
        before, state = state, scratch / f"{name}-{time}.talus"
        resume = ["--resume", before] if before else []
        told = scratch / "report.json"
        run(talus, "run", scene, *common, "--time", time, *resume, "--save", state, "--report", told)
        report = json.loads(told.read_text())
        seconds += report["wall_s"]
        out = scratch / f"{name}-{time}"
        run(talus, "render", scene, *common, "--time", time, "--resume", state, "--fps", 0.001, "--size", "840x640",
            "--quality", "good", "--out", out)
        drawn += ["-i", out / "final.png"]
    pictures.mkdir(exist_ok=True)
    run("ffmpeg", "-y", "-loglevel", "error", *drawn, "-filter_complex",
        f"hstack=inputs={len(times)},scale=iw/2:ih/2:flags=area", "-q:v", 3, pictures / f"{name}.jpg")
    fine = f"{report['fine_grains']:,}" if report["fine_grains"] else "-"
    return (f"| {name} | {report['method']} | {report['grains']:,} | {fine} | {times[-1]:g} | {seconds:.3g} | "
            f"{times[-1] / seconds:.2g} |")


def main():
    talus, names = Path(sys.argv[1]).resolve(), sys.argv[2:] or list(scenes)
    lines = {}
    with tempfile.TemporaryDirectory() as scratch:
        for name in names:
            lines[name] = draw(talus, name, Path(scratch))
            print(lines[name], flush=True)
    print(f"on {processor()}")


if __name__ == "__main__":
    main()

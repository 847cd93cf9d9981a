#!/usr/bin/env python3
"""The force on tools in ground that becomes grains around them, beside the same ground that is grains all over (soil.margin).

    python3 bench/peers/soil.py build/talus FOLDER [--case blade bucket] [--margins 4 8 12] [--seeds N]

A channel of 120 x 30 x 20 mean radii, periodic across, friction 0.25. blade: across the channel, 5 radii deep, goes 50 radii at 0.7 sqrt(g r).
bucket: a plate of 12 radii with a back of 11 at the end of an arm of 20 turns by 140 degrees, 7 radii deep, its edge as fast. Each run is repeated with speeds that
differ by 1e-4, and so is the run with grains all over, whose differences tell what chance does. force: mean along the channel of the second half of the way [N]; rms:
of the difference to the mean run with grains all over, smoothed over 5.6 radii of way, by its mean; grains: mean share of those of the run all over, with the fixed ones;
time: wall time by that of the run all over.
"""
import argparse
import csv
import json
import math
import pathlib
import subprocess

GRAVITY, R = 9.81, 0.005  # m/s2, m
T, SPEED = math.sqrt(R / GRAVITY), 0.7 * math.sqrt(GRAVITY * R)  # s, m/s
ALL = 1e6  # margin, in radii

GROUND = """[scene]
title = "Ground"
[time]
dt = 0.002
end = {end}
[domain]
min = [0.0, 0.0, 0.0]
max = [0.6, 0.15, 0.3]
y = "periodic"
[[material]]
name = "sand"
friction = 0.25
[soil]
material = "sand"
radius = [0.0045, 0.0055]
height = 0.1
margin = {margin}
"""


def blade(speed):
    """Body and duration [s]."""
    body = f'[[body]]\nname = "tool"\nbox = {{ size = [0.01, 0.15, 0.1] }}\nposition = [0.1, 0.075, 0.125]\nvelocity = [{speed}, 0.0, 0.0]\n'
    return body, 50 * R / speed


def bucket(speed):
    """Turns about y, from behind to before."""
    arm, turn = 20 * R, 140.0
    time = math.radians(turn) * arm / speed
    plate = f"{{ box = {{ size = [{2 * R}, {20 * R}, {12 * R}] }}, position = [0, 0, {-14 * R}] }}"
    back = f"{{ box = {{ size = [{11 * R}, {20 * R}, {2 * R}] }}, position = [{4.5 * R}, 0, {-9 * R}] }}"
    joint = f'joint = {{ type = "revolute", axis = [0, -1, 0], value = [[0, -70], [{time}, 70]], interpolation = "linear" }}'
    joint = joint.replace("joint = {", f"joint = {{ origin = [0.3, 0.075, {0.1 + arm - 7 * R}],", 1)
    return f'[[body]]\nname = "tool"\n{joint}\nparts = [{plate}, {back}]\n', time


CASES = {"blade": blade, "bucket": bucket}


def run(program, folder, case, margin, speed):
    """Forces along x of all rows, mean number of grains, and the time that it took [N, 1, s]."""
    body, end = CASES[case](speed)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "scene.toml").write_text(GROUND.format(end=end, margin=margin) + body)
    subprocess.run([program, "run", folder / "scene.toml", "--device", "cpu", "--metrics", folder / "metrics.csv", "--metrics-every", "0.01", "--report",
                    folder / "report.json"], check=True, capture_output=True)
    rows = list(csv.DictReader((folder / "metrics.csv").open()))
    return [float(row["tool.force_x"]) for row in rows], sum(float(row["grains"]) for row in rows) / len(rows), json.loads((folder / "report.json").read_text())["wall_s"]


def smoothed(force):
    """Over 5.6 radii of way."""
    half = round(5.6 * R / SPEED / 0.01) // 2
    return [sum(force[max(k - half, 0):k + half + 1]) / len(force[max(k - half, 0):k + half + 1]) for k in range(len(force))]


def mean(values):
    """Of the second half."""
    later = values[len(values) // 2:]
    return sum(later) / len(later)


def main():
    """Prints a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="talus")
    parser.add_argument("folder", type=pathlib.Path, help="where scenes and reports go")
    parser.add_argument("--case", nargs="+", choices=list(CASES), default=list(CASES))
    parser.add_argument("--margins", nargs="+", type=float, default=[4.0, 8.0, 12.0])
    parser.add_argument("--seeds", type=int, default=2)
    options = parser.parse_args()
    print("| case | margin | force | by all grains | rms | grains | time |\n|---|---|---|---|---|---|---|", flush=True)
    for case in options.case:
        runs = {margin: [run(options.program, options.folder / f"{case}_{margin:g}_{k}", case, margin, SPEED * (1 + 1e-4 * k)) for k in range(options.seeds)]
                for margin in [ALL, *options.margins]}
        every = [sum(forces) / len(forces) for forces in zip(*(smoothed(force) for force, _, _ in runs[ALL]))]
        force_all = mean(every)
        for margin, of_margin in runs.items():
            for k, (force, grains, time) in enumerate(of_margin):
                rms = math.sqrt(mean([(a - b) ** 2 for a, b in zip(smoothed(force), every)]))
                print(f"| {case} | {'all' if margin == ALL else f'{margin:g}'} | {mean(force):.3g} | {mean(force) / force_all - 1:+.1%} | {rms / abs(force_all):.1%} "
                      f"| {grains / runs[ALL][k][1]:.2f} | {time / runs[ALL][k][2]:.2f} |", flush=True)


if __name__ == "__main__":
    main()

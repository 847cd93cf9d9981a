#!/usr/bin/env python3
"""The same runs of dem with sleep and without, for each seed, so that what sleep changes can be told from what chance does.

    python3 bench/peers/sleep.py build/talus FOLDER [--case NAME].. [--friction MU] [--rolling MU_R] [--seeds N]

heap: angle of 1500 grains that trickle on a rough floor [degrees]. hold: the same 10 s later. face: a bed 38 radii high whose side wall vanishes at
rest: how far its centre of mass goes along and down [radii]. truck: a box of grains that starts by 0.25 g and brakes by 0.4 g: their centre of mass in
the box [radii]. tray: the slope at which 1 % and 5 % of a bed on a rough tray that tilts slowly have gone by a radius [degrees]. silo: grains that leave through a slot
that opens when all are at rest, in the second that begins 0.2 s later. blade: mean force on the blade of blade.py [N]. Each line has mean and standard error of
both, those of the differences in pairs, and work: grain-substeps with sleep by those without.
"""
import argparse
import dataclasses
import json
import math
import pathlib

import angles
import blade
import silo
from grains import GRAVITY, Grains, filled, floor_of_grains, points, scene, talus

R = 0.005  # m
T = math.sqrt(R / GRAVITY)  # s
PERIODIC = 'y = "periodic"'


def moving(name, parts, keys):
    """A body whose keyframes are (time [s], place [m], rotation [degrees])."""
    frames = ", ".join(f"{{ time = {t}, position = {list(place)}, rotation = {list(turn)} }}" for t, place, turn in keys)
    return f'[[body]]\nname = "{name}"\ninterpolation = "linear"\nkeyframes = [{frames}]\n{parts}\n'


def box(low, high):
    """A part of a body, by its corners [radii]."""
    return f"{{ box = {{ min = {[R * c for c in low]}, max = {[R * c for c in high]} }} }}"


def centre(state):
    """Of mass, of equal grains [radii]."""
    return [sum(getattr(s, axis) for s in state) / len(state) / R for axis in "xyz"]


def heap(options, folder, grains, seed, hold=0.0):
    """Angle of a poured heap."""
    return [angles.heap_figures(angles.poured(options, folder, grains, "dem", seed, hold)[-1], grains)[0]]


def face(options, folder, grains, seed):
    """A wall at x = 40 radii is gone at once, when the bed behind it has come to rest."""
    opens, tall = 90 * T, 60
    wall = moving("wall", f"parts = [{box((40, -8, 0), (44, 8, tall))}]",
                  [(0, (0, 0, 0), (0, 0, 0)), (opens, (0, 0, 0), (0, 0, 0)), (opens + 0.02, (0, 0, tall * R), (0, 0, 0)), (opens + 5, (0, 0, tall * R), (0, 0, 0))])
    lower, upper = (0.0, -6.25 * R, 0.0), (220 * R, 6.25 * R, 60 * R)
    fill = filled(R, 2400, f"box = {{ min = [0, {-6.25 * R}, 0], max = [{40 * R}, {6.25 * R}, {60 * R}] }}")
    states = talus(options.program, folder, scene("dem", grains, (lower, upper, PERIODIC), opens + 120 * T, fill + wall, seed), opens)
    before, after = centre(states[1]), centre(states[-1])
    return [after[0] - before[0], before[2] - after[2]]


def truck(options, folder, grains, seed):
    """A box without a lid is at rest, gains speed for 20 T, keeps it and brakes for 12.5 T."""
    starts, half, floor, rim = 80 * T, 30, 2, 40
    sides = [box((-half - 2, -10, 0), (half + 2, 10, floor)), box((-half - 2, -10, 0), (-half, 10, rim)), box((half, -10, 0), (half + 2, 10, rim))]
    x, speed, keys = 0.0, 0.0, [(0, (0, 0, 0), (0, 0, 0))]
    for step in range(66):  # of T
        rate = 0.25 if step < 20 else 0.0 if step < 40 else -0.4 if step < 52.5 else 0.0
        keys.append((starts + step * T, (x * R, 0, 0), (0, 0, 0)))
        x, speed = x + speed + 0.5 * rate, max(speed + rate, 0.0)
    end = starts + 100 * T
    keys.append((end, (x * R, 0, 0), (0, 0, 0)))
    lower, upper = (-40 * R, -8 * R, 0.0), ((x + 60) * R, 8 * R, 60 * R)
    fill = filled(R, 1500, f"box = {{ min = [{-half * R}, {-8 * R}, {floor * R}], max = [{half * R}, {8 * R}, {50 * R}] }}")
    last = talus(options.program, folder, scene("dem", grains, (lower, upper, PERIODIC), end, fill + moving("truck", f"parts = [{', '.join(sides)}]", keys), seed), end)[-1]
    middle = centre(last)
    return [middle[0] - x, middle[2]]


def tray(options, folder, grains, seed):
    """A tray with a floor of grains that it carries is tilted about y by 0.1 degrees in T; grains that leave it fall."""
    starts, most, half = 80 * T, 48.0, 40
    plate = f"parts = [{box((-half, -20, -2), (half, 20, 0))}, {box((-half, -20, 0), (-half + 2, 20, 12))}, {box((half - 2, -20, 0), (half, 20, 12))}]"
    length = most / 0.1 * T
    keys = [(0, (0, 0, 0), (0, 0, 0)), (starts, (0, 0, 0), (0, 0, 0)), (starts + length, (0, 0, 0), (0, most, 0))]
    # Ribs of a radius stand for the grains of a rough floor.
    ribs = "".join(f", {{ cylinder = {{ radius = {R}, height = {40 * R}, rotation = [90, 0, 0], position = [{3 * k * R}, 0, 0] }} }}" for k in range(-11, 12))
    body = moving("tray", plate[:-1] + ribs + "]", keys)
    lower, upper = (-80 * R, -10 * R, -80 * R), (80 * R, 10 * R, 60 * R)
    fill = filled(R, 1500, f"box = {{ min = [{(2 - half) * R}, {-10 * R}, {R}], max = [{(half - 2) * R}, {10 * R}, {40 * R}] }}")
    every = starts / 80 * 2
    states = talus(options.program, folder, scene("dem", grains, (lower, upper, PERIODIC), starts + length, fill + body, seed), every)
    first = {s.number: (s.x, s.y, s.z) for s in states[40]}
    slopes = []
    for share in (0.01, 0.05):
        for k, state in enumerate(states[40:]):
            slope = math.radians(min(0.1 * 2 * k, most))
            back = [(s.x * math.cos(slope) - s.z * math.sin(slope), s.x * math.sin(slope) + s.z * math.cos(slope), s.number) for s in state]
            if sum(math.hypot(x - first[n][0], z - first[n][2]) > R for x, z, n in back) > share * len(back):
                break
        slopes.append(math.degrees(slope))
    return slopes


def opened(options, folder, grains, seed):
    """The slot of silo.py, closed until the grains have come to rest."""
    slot, opens = 5.0, 80 * T
    half, y = 0.5 * silo.WIDE * R, 0.5 * silo.DEEP * R
    plates = silo.plate("left", -2 * half, -slot * R)[0] + silo.plate("right", slot * R, 2 * half)[0]
    gate = moving("gate", f"parts = [{box((-slot, -20, silo.FLOOR - silo.PLATE), (slot, 20, silo.FLOOR))}]",
                  [(0, (0, 0, 0), (0, 0, 0)), (opens, (0, 0, 0), (0, 0, 0)), (opens + 0.05, (0, 0, -0.3), (0, 0, 0)), (opens + 9, (0, 0, -0.3), (0, 0, 0))])
    sink = f'[[sink]]\nname = "below"\nbox = {{ min = [{-2 * half}, {-2 * y}, {-R}], max = [{2 * half}, {2 * y}, {0.5 * silo.FLOOR * R}] }}\n'
    fill = filled(R, silo.COUNT, f"box = {{ min = [{-half}, {-y}, {silo.FLOOR * R}], max = [{half}, {y}, {silo.top(silo.COUNT)}] }}")
    lower, upper = (-half, -y, 0.0), (half, y, silo.top(silo.COUNT))
    states = talus(options.program, folder, scene("dem", grains, (lower, upper, PERIODIC), opens + 1.2, fill + plates + gate + sink, seed), opens / 100)
    later = [sum(s.z > (silo.FLOOR - silo.PLATE) * R for s in state) for state in states]
    return [later[100 + round(0.2 / (opens / 100))] - later[-1]]


def draught(options, folder, grains, seed):
    """Mean force on a blade."""
    loose = blade.start(options, folder.parent / "start", dataclasses.replace(grains, sleep=False), seed)
    return [blade.by_talus(options, folder, grains, loose, "dem")[0]]


CASES = {
    "heap": (heap, ["angle"]),
    "hold": (lambda *given: heap(*given, 10.0), ["angle"]),
    "face": (face, ["along", "down"]),
    "truck": (truck, ["along", "up"]),
    "tray": (tray, ["slope at 1 %", "slope at 5 %"]),
    "silo": (opened, ["grains"]),
    "blade": (draught, ["force"]),
}


def with_error(values):
    """Mean and its standard error."""
    mean = sum(values) / len(values)
    error = math.sqrt(sum((v - mean) ** 2 for v in values) / max(len(values) - 1, 1) / len(values))
    return f"{mean:.4g} +- {error:.2g}"


def work_of(folder):
    """Grain-substeps of the run in a folder."""
    report = json.loads((folder / "report.json").read_text())
    return report["grain_updates"] or report["particle_steps_per_s"] * report["wall_s"] * report["substeps"]


def main():
    """Prints a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="talus")
    parser.add_argument("folder", type=pathlib.Path, help="where scenes and states go")
    parser.add_argument("--case", choices=list(CASES), nargs="+", default=list(CASES))
    parser.add_argument("--friction", type=float, default=0.5)
    parser.add_argument("--rolling", type=float, default=0.1)
    parser.add_argument("--seeds", type=int, default=6)
    options = parser.parse_args()
    print("| case | figure | without | with | difference | work |\n|---|---|---|---|---|---|", flush=True)
    for case in options.case:
        run, names = CASES[case]
        found, work = {}, {}
        for sleep in (False, True):
            grains = Grains(R, options.friction, options.rolling, sleep=sleep)
            folders = [options.folder / f"{case}_{seed}" / ("with" if sleep else "without") for seed in range(1, options.seeds + 1)]
            found[sleep] = [run(options, folder, grains, seed) for seed, folder in enumerate(folders, 1)]
            work[sleep] = sum(map(work_of, folders))
        for k, name in enumerate(names):
            off, on = ([figures[k] for figures in found[sleep]] for sleep in (False, True))
            print(f"| {case} | {name} | {with_error(off)} | {with_error(on)} | {with_error([b - a for a, b in zip(off, on)])} | {work[True] / work[False]:.2f} |", flush=True)


if __name__ == "__main__":
    main()

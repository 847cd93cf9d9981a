#!/usr/bin/env python3
"""Grains that rotate, beside LAMMPS from the same positions: a column that collapses on a rough floor, and a bed in a box.

    python3 bench/peers/rotation.py build/talus FOLDER [--case column|bed] [--friction MU].. [--rolling MU_R].. [--method M]..

grains.py says what is equal in both.
"""
import argparse
import math

from grains import Grains, arguments, cone, filled, final, floor_of_grains, lammps, placed, points, scene, speed, table, talus, time_step, wall_contact

RADIUS, COLUMN, COUNT, SETTLING, TIME = 0.005, 0.05, 1500, 1.0, 2.5  # m; half width [m]; number; s; s
SIDE = 0.2  # half width of the rough floor [m]


def bed(state, half):
    """Packing, contacts of a grain and mean overlap [radii] of the grains more than 4 radii from walls and surface."""
    places = [(s.x, s.y, s.z) for s in state]
    top = sorted(z for _, _, z in places)[int(0.9 * len(places))]
    margin = 4.0 * RADIUS
    inner = half - margin
    cells = {}
    for i, p in enumerate(places):
        cells.setdefault(tuple(int(c // (2.0 * RADIUS)) for c in p), []).append(i)
    contacts = overlap = inside = 0
    for i, p in enumerate(places):
        if max(abs(p[0]), abs(p[1])) > inner or not margin < p[2] < top - margin:
            continue
        inside += 1
        cell = [int(c // (2.0 * RADIUS)) for c in p]
        for dx in (-1, 0, 1):
            for dy in (-1, 0, 1):
                for dz in (-1, 0, 1):
                    for j in cells.get((cell[0] + dx, cell[1] + dy, cell[2] + dz), ()):
                        gap = math.dist(p, places[j]) / RADIUS - 2.0
                        if j != i and gap < 0.0:
                            contacts, overlap = contacts + 1, overlap - gap
    volume = (2.0 * inner) ** 2 * (top - 2.0 * margin)
    return inside * 4.0 / 3.0 * math.pi * RADIUS**3 / volume, contacts / inside, overlap / contacts


def domain(half):
    """Walls at +-half [m], for Talus and for LAMMPS."""
    return ((-half, -half, 0.0), (half, half, 1.0), ""), ((-half, -half, 0.0), (half, half, 1.0), "f f f")


def start(options, folder, grains, seed):
    """Where grains are at the start: settled between walls and set down on the floor, or a lattice that falls."""
    settles = options.case == "column"
    time = SETTLING if settles else 0.0
    fill = filled(RADIUS, COUNT, f"box = {{ min = [{-COLUMN}, {-COLUMN}, 0.01], max = [{COLUMN}, {COLUMN}, 0.6] }}")
    state = final(options.program, folder, scene("dem", grains, domain(COLUMN)[0], time, fill, seed), time or 1.0)
    return [(s.x, s.y, s.z + (2.5 * RADIUS if settles else 0.0)) for s in state]


def end(options, folder, grains, loose, method):
    """The grains at the end."""
    half, base = (SIDE, floor_of_grains(SIDE, RADIUS)) if options.case == "column" else (COLUMN, [])
    ours, theirs = domain(half)
    at_start = placed(options.program, folder / "placed", scene("dem", grains, ours, 0.0, points(loose, RADIUS) + points(base, RADIUS, True)))
    loose = [(s.x, s.y, s.z) for s in at_start if s.number < len(loose)]
    if method != "lammps":
        state = talus(options.program, folder, scene(method, grains, ours, TIME, points(loose, RADIUS) + points(base, RADIUS, True)), TIME)[-1]
        return [s for s in state if s.number < len(loose)]
    law = wall_contact(grains)
    walls = (f"fix floor loose wall/gran {law} zplane 0 NULL\nfix sides_x loose wall/gran {law} xplane {-half} {half}\n"
             f"fix sides_y loose wall/gran {law} yplane {-half} {half}\n")
    return lammps(folder, grains, theirs, loose, base, walls, f"run {math.ceil(TIME / time_step(grains))}\n")


def main():
    """Prints a line per program, friction and rolling friction."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--case", choices=["column", "bed"], default="column")
    arguments(parser)
    options = parser.parse_args()

    def measure(friction, rolling, method, seed):
        grains = Grains(RADIUS, friction, rolling)
        folder = options.folder / f"{options.case}_{friction}_{rolling}_{seed}"
        loose = start(options, folder / "start", grains, seed)
        state = end(options, folder / method, grains, loose, method)
        return *(cone(state, 1.7 * RADIUS, RADIUS) if options.case == "column" else bed(state, COLUMN)), speed(state)

    head = ["angle [deg]", "r90 [m]"] if options.case == "column" else ["packing", "contacts", "overlap [r]"]
    table(options, head + ["speed rms [m/s]"], measure)


if __name__ == "__main__":
    main()

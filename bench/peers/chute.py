#!/usr/bin/env python3
"""Speed of a steady flow down a rough plane, beside LAMMPS from the same positions: friction of a dense flow without walls and without a free course.

    python3 bench/peers/chute.py build/talus FOLDER [--angle DEG].. [--friction MU].. [--rolling MU_R].. [--method M]..

594 grains of 5 mm, nine layers on fixed ones, periodic along and across. They begin at rest on a shaken lattice. Figures are the mean speed along the
plane in the second half of 5 s, by the root of g d. Methods: lammps, dem, vts and sp at substeps of 1/1600 s, with equal springs; and variants of
LAMMPS with more damping, lammps_inelastic, lammps_slip_damped and lammps_overdamped, which grains.py describes.
"""
import argparse
import math
import random

from grains import DAMPING, GRAVITY, Grains, arguments, damped, dump, lammps, points, scene, table, talus, time_step

R = 0.005
LONG, WIDE, TALL, LAYERS = 24, 14, 80, 9  # radii, radii, radii, number
TIME, EVERY = 5.0, 0.1  # s


def layer(along, across, height, shake, chance):
    """Places on a rectangular lattice that is shaken by as many radii along, across and in height [m]."""
    return [tuple(c + R * chance.uniform(-s, s) for c, s in zip((LONG * R * ((i + 0.5) / along - 0.5), WIDE * R * ((j + 0.5) / across - 0.5), height), shake))
            for i in range(along) for j in range(across)]


def flow(options, folder, grains, method, angle, seed):
    """Mean speed along the plane in the second half of the time, by the root of g d."""
    chance = random.Random(seed)
    base = layer(10, 6, 1.5 * R, (0.2, 0.2, 0.5), random.Random(7))
    loose = [place for k in range(LAYERS) for place in layer(11, 6, (4.2 + 2.2 * k) * R, (0.07, 0.1, 0.0), chance)]
    lower, upper = (-0.5 * LONG * R, -0.5 * WIDE * R, 0.0), (0.5 * LONG * R, 0.5 * WIDE * R, TALL * R)
    down = (math.sin(math.radians(angle)), 0.0, -math.cos(math.radians(angle)))
    if method in DAMPING:
        dt = time_step(grains)
        walls = f"dump states all custom {round(EVERY / dt)} {folder / 'states.txt'} id type x y z vx vy vz omegax omegay omegaz\n"
        lammps(folder, grains, (lower, upper, "p p f"), loose, base, walls, f"thermo 100000\nrun {math.ceil(TIME / dt)}\n", down=down)
        states = dump(folder / "states.txt")
    else:
        keys = f'x = "periodic"\ny = "periodic"\ngravity = {[GRAVITY * c for c in down]}'
        states = talus(options.program, folder, scene(method, grains, (lower, upper, keys), TIME, points(loose, R) + points(base, R, True)), EVERY)
    late = states[len(states) // 2:]
    return sum(s.v[0] for state in late for s in state if s.number < len(loose)) / len(late) / len(loose) / math.sqrt(GRAVITY * 2.0 * R)


def main():
    """Prints a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--angle", type=float, nargs="+", default=[24.0, 26.0], help="of the plane [degrees]")
    arguments(parser, (*DAMPING, "dem", "vts", "sp"))
    options = parser.parse_args()

    def measure(friction, rolling, method, seed):
        grains = damped(Grains(R, friction, rolling, restitution=options.restitution, iterations=options.iterations), method)
        return [flow(options, options.folder / f"chute_{friction}_{rolling}_{seed}_{angle:g}" / method, grains, method, angle, seed) for angle in options.angle]

    table(options, [f"speed at {angle:g} degrees" for angle in options.angle], measure)


if __name__ == "__main__":
    main()

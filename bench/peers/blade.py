#!/usr/bin/env python3
"""The force on a blade that goes 1 m through a bed, beside LAMMPS from the same positions.

    python3 bench/peers/blade.py build/talus FOLDER [--friction MU].. [--rolling MU_R].. [--method M]..

5000 grains of 5 mm in a bed 7 radii deep and 20 wide, periodic across. The blade is 10 radii wide, goes 4 radii deep and 0.3 m/s fast. Figures are
means over the last 0.8 m: the force against the way, and the share of it that lifts. Methods: lammps, dem, vts and sp at substeps of 1/1600 s, with equal
springs; lammps_stiff, with 16 times the stiffness; variants of LAMMPS with more damping (grains.py: DAMPING); and M:OVERLAP, such as dem:0.015, a method with the substeps that Talus chooses for a mean overlap [radii].
"""
import argparse
import math

from grains import Grains, arguments, damped, filled, final, lammps, points, scene, table, talus, time_step, wall_contact

R, COUNT = 0.005, 5000
LONG, WIDE, TALL = 250, 20, 60  # of the bed [radii]
BLADE_WIDE, BLADE_THICK, BLADE_TALL, CLEAR, FROM = 10, 3, 30, 3.0, -112.0  # radii; CLEAR: between floor and blade; FROM: x of its middle
SPEED, WAY, COUNTED, EVERY = 0.3, 1.0, 0.8, 0.02  # m/s, m, m, s


def start(options, folder, grains, seed):
    """Places of the grains that have settled around the blade."""
    lower, upper = corners()
    fill = filled(R, COUNT, f"box = {{ min = {list(lower)}, max = {list(upper)} }}")
    settled = final(options.program, folder, scene("dem", grains, (lower, upper, 'y = "periodic"'), 1.0, fill + blade(), seed), 1.0)
    return [(s.x, s.y, s.z) for s in settled]


def corners():
    """Of the bed's box [m]."""
    return (-0.5 * LONG * R, -0.5 * WIDE * R, 0.0), (0.5 * LONG * R, 0.5 * WIDE * R, TALL * R)


def blade(motion=""):
    """The blade as a body."""
    size = [BLADE_THICK * R, BLADE_WIDE * R, BLADE_TALL * R]
    return f'[[body]]\nname = "blade"\nposition = [{FROM * R}, 0, {(CLEAR + 0.5 * BLADE_TALL) * R}]\nbox = {{ size = {size} }}\n{motion}'


def mean_force(rows):
    """Of rows of time, force along x and z: the force against the way [N], and the lifting one by it."""
    end = WAY / SPEED
    counted = [r for r in rows if end - COUNTED / SPEED < r[0] <= end]
    along, up = (sum(r[k] for r in counted) / len(counted) for k in (1, 2))
    return -along, up / -along


def by_talus(options, folder, grains, loose, method):
    """Forces of a run of Talus."""
    lower, upper = corners()
    text = scene(method, grains, (lower, upper, 'y = "periodic"'), WAY / SPEED, points(loose, R) + blade(f"velocity = [{SPEED}, 0, 0]\n"))
    _, rows = talus(options.program, folder, text, WAY / SPEED, EVERY)
    return mean_force([(r["time"], r["blade.force_x"], r["blade.force_z"]) for r in rows])


def by_lammps(folder, grains, loose, substep):
    """Forces of a run of LAMMPS."""
    dt, law = time_step(grains, substep), wall_contact(grains, substep=substep)
    lower, upper = corners()
    x, half, y, z = FROM * R, 0.5 * BLADE_THICK * R, 0.5 * BLADE_WIDE * R, CLEAR * R
    walls = (f"fix floor loose wall/gran {law} zplane 0 NULL\nfix sides loose wall/gran {law} xplane {lower[0]} {upper[0]}\n"
             f"variable way equal {SPEED}*step*dt\n"
             f"region blade block {x - half} {x + half} {-y} {y} {z} {z + BLADE_TALL * R} side out move v_way NULL NULL units box\n"
             f"fix blade loose wall/gran/region {law} region blade contacts\n"
             f"compute force loose reduce sum f_blade[2] f_blade[4]\n"
             f"fix force loose ave/time 1 {round(EVERY / dt)} {round(EVERY / dt)} c_force[1] c_force[2] file {folder / 'force.txt'}\n")
    lammps(folder, grains, (lower, upper, "f p f"), loose, [], walls, f"thermo 5000\nrun {math.ceil(WAY / SPEED / dt)}\n", substep)
    rows = [list(map(float, line.split())) for line in (folder / "force.txt").read_text().split("\n") if line and line[0] != "#"]
    return mean_force([(r[0] * dt, -r[1], -r[2]) for r in rows])


def main():
    """Prints a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments(parser)
    options = parser.parse_args()

    def measure(friction, rolling, method, seed):
        grains = Grains(R, friction, rolling)
        folder = options.folder / f"blade_{friction}_{rolling}_{seed}"
        loose = start(options, folder / "start", grains, seed)
        if method.startswith("lammps"):
            return by_lammps(folder / method, damped(grains, method), loose, grains.substep / 4.0 if method == "lammps_stiff" else None)
        name, _, overlap = method.partition(":")
        if overlap:
            grains = Grains(R, friction, rolling, None, float(overlap))
        return by_talus(options, folder / method.replace(":", "_"), grains, loose, name)

    table(options, ["force [N]", "lifting share"], measure)


if __name__ == "__main__":
    main()

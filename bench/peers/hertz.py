#!/usr/bin/env python3
"""Contacts by Hertz and Mindlin beside LAMMPS: pairs that meet obliquely, and a cloud that meets in its middle.

    python3 bench/peers/hertz.py build/talus FOLDER [--case pairs|cloud].. [--restitution E].. [--young PA]..

LAMMPS has hertz/material with mindlin_rescale/force, which is Thornton's rule on unloading as in Talus, and Tsuji's damping, that across
the contact by sqrt(k_t / k_n) of that along it. It finds the damping from the restitution by a polynomial whose grains rebound by more than
that (0.86 for 0.8), so that it is asked for the restitution whose damping is that of Talus. Both take the same steps, a hundredth of an
impact. Unequal: LAMMPS takes the whole radius as the lever of a spin where it finds the slip, Talus the distance of the contact; and a spring
that slides holds in LAMMPS what the damper leaves of the bound of friction, in Talus all of it.
"""
import argparse
import math
import pathlib
import random
import subprocess

from grains import DENSITY, dump, talus

RADIUS, POISSON, FRICTION, SPEED = 0.005, 0.25, 0.3, 1.0  # m, 1, 1, m/s
CLOUD = 3.0 * RADIUS / SPEED  # s; later, small differences have grown from collision to collision to those of other places at the start
ANGLES = range(5, 86, 5)  # degrees, of incidence
MASS = DENSITY * 4.0 / 3.0 * math.pi * RADIUS**3  # kg


def impact_time(young):
    """How long two grains touch that meet at SPEED [s] (Hertz 1882)."""
    modulus = 0.5 * young / (1.0 - POISSON**2)
    return 2.87 * ((0.5 * MASS) ** 2 / (0.5 * RADIUS * modulus**2 * SPEED)) ** 0.2


def pairs():
    """Grains as (position, velocity): of each pair one moves towards one at rest, at SPEED along the normal."""
    grains = []
    for k, angle in enumerate(ANGLES):
        y = 6.0 * RADIUS * k
        grains.append(((0.0, y, RADIUS * 1.001), (SPEED * math.tan(math.radians(angle)), 0.0, -SPEED)))
        grains.append(((0.0, y, -RADIUS), (0.0, 0.0, 0.0)))
    return grains


def cloud():
    """Grains that fly to the middle from a shell, so that each meets some others."""
    chance, places = random.Random(1), []
    while len(places) < 60:
        p = [chance.uniform(-8.0, 8.0) * RADIUS for _ in range(3)]
        if 5.0 * RADIUS < math.hypot(*p) < 8.0 * RADIUS and all(math.dist(p, q) > 2.02 * RADIUS for q in places):
            places.append(p)
    return [(tuple(p), tuple(-SPEED * c / (8.0 * RADIUS) for c in p)) for p in places]


def scene(grains, young, dt, time, restitution):
    """The scene of Talus; a step is a substep."""
    tables = "".join(f'[[grains]]\nmaterial = "ball"\nradius = {RADIUS}\nvelocity = {list(v)}\nfill = {{ points = [{list(p)}] }}\n' for p, v in grains)
    return f"""[time]
dt = {dt}
end = {time}
[domain]
min = [-1, -1, -1]
max = [1, 1, 1]
x = "open"
y = "open"
z = "open"
gravity = [0, 0, 0]
[solver]
contact = "hertz"
substeps = 1
[[material]]
name = "ball"
density = {DENSITY}
friction = {FRICTION}
young_modulus = {young}
poisson_ratio = {POISSON}
restitution = {restitution}
{tables}"""


def damping_of(restitution):
    """The damping ratio of a contact that lets go where its force would pull (Schwager and Poeschel 2007)."""
    low, high = 0.0, 0.99
    for _ in range(60):
        z = 0.5 * (low + high)
        w = math.sqrt(1.0 - z * z)
        rebounds = math.exp(-z / w * (math.pi - math.atan2(2.0 * z * w, 1.0 - 2.0 * z * z)))
        low, high = (z, high) if rebounds > restitution else (low, z)
    return low


def asked_of_lammps(restitution):
    """The restitution whose damping in LAMMPS (Tsuji's alpha, its polynomial) is sqrt(5) times the damping ratio."""
    wanted, low, high = math.sqrt(5.0) * damping_of(restitution), 0.0, 1.0
    for _ in range(60):
        e = 0.5 * (low + high)
        alpha = 1.2728 - 4.2783 * e + 11.087 * e**2 - 22.348 * e**3 + 27.467 * e**4 - 18.022 * e**5 + 4.8218 * e**6
        low, high = (e, high) if alpha > wanted else (low, e)
    return low


def lammps(folder, grains, young, dt, steps, restitution):
    """The states of LAMMPS at the end."""
    lines = [f"{len(grains)} atoms\n1 atom types\n-1 1 xlo xhi\n-1 1 ylo yhi\n-1 1 zlo zhi\n\nAtoms\n"]
    lines += [f"{i} 1 {2 * RADIUS} {DENSITY} {x:.17g} {y:.17g} {z:.17g}" for i, ((x, y, z), _) in enumerate(grains, 1)]
    lines += ["\nVelocities\n"] + [f"{i} {v[0]:.17g} {v[1]:.17g} {v[2]:.17g} 0 0 0" for i, (_, v) in enumerate(grains, 1)]
    (folder / "grains.data").write_text("hertz.py\n\n" + "\n".join(lines) + "\n")
    across = math.sqrt(2.0 * (1.0 - POISSON) / (2.0 - POISSON))
    law = f"hertz/material {young} {asked_of_lammps(restitution)} {POISSON} tangential mindlin_rescale/force NULL {across} {FRICTION} damping tsuji limit_damping"
    command = ["lmp", "-log", folder / "log.lammps", "-in", pathlib.Path(__file__).with_name("hertz.lammps")]
    for name, value in {"data": folder / "grains.data", "final": folder / "final.txt", "law": law, "dt": dt, "steps": steps, "skin": 0.5 * RADIUS}.items():
        command += ["-var", name, str(value)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(done.stdout[-2000:] + done.stderr[-2000:])
    return dump(folder / "final.txt")[-1]


def energy(states):
    """Kinetic energy by mass of a grain [J/kg]."""
    return sum(0.5 * math.hypot(*s.v) ** 2 + 0.2 * (RADIUS * math.hypot(*s.w)) ** 2 for s in states)


def apart(ours, theirs, vector):
    """Sum of the differences by that of the magnitudes."""
    return sum(math.dist(vector(a), vector(b)) for a, b in zip(ours, theirs)) / sum(math.hypot(*vector(b)) for b in theirs)


def main():
    """Prints a line per case and restitution."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="talus")
    parser.add_argument("folder", type=pathlib.Path, help="where scenes, inputs and states go")
    parser.add_argument("--case", nargs="+", choices=["pairs", "cloud"], default=["pairs", "cloud"])
    parser.add_argument("--restitution", type=float, nargs="+", default=[1.0, 0.8, 0.5])
    parser.add_argument("--young", type=float, nargs="+", default=[1e8, 1e10], help="Young's modulus [Pa]")
    options = parser.parse_args()
    print("| case | modulus [Pa] | restitution | velocities apart | spins apart | energy left, Talus | LAMMPS |\n|---|---|---|---|---|---|---|")
    for case in options.case:
        grains = pairs() if case == "pairs" else cloud()
        before = sum(0.5 * math.hypot(*v) ** 2 for _, v in grains)
        for young in options.young:
            dt = impact_time(young) / 100.0
            steps = round(4.0 * impact_time(young) / dt if case == "pairs" else CLOUD / dt)
            for restitution in options.restitution:
                folder = options.folder / f"{case}_{young}_{restitution}"
                folder.mkdir(parents=True, exist_ok=True)
                ours = talus(options.program, folder, scene(grains, young, dt, steps * dt, restitution), steps * dt)[-1]
                theirs = lammps(folder, grains, young, dt, steps, restitution)
                print(f"| {case} | {young:g} | {restitution} | {apart(ours, theirs, lambda s: s.v):.2%} | {apart(ours, theirs, lambda s: s.w):.2%} | "
                      f"{energy(ours) / before:.4f} | {energy(theirs) / before:.4f} |", flush=True)


if __name__ == "__main__":
    main()

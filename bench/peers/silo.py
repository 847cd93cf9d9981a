#!/usr/bin/env python3
"""Discharge of a silo through a slot in its floor, beside LAMMPS from the same positions, and Beverloo's law.

    python3 bench/peers/silo.py build/talus FOLDER [--slot D].. [--count N] [--substep H] [--friction MU].. [--rolling MU_R].. [--method M]..

2500 grains of 5 mm radius in a silo 16 diameters wide and 6.25 deep, periodic along the slot; with another --count they lie as much deeper. The rate is
the mean while 375 to 1250 grains leave, so that more than the width lies on the slot. With three slots or more a line follows with the constants of Beverloo's law for slots,
rate = C n sqrt(g) L (D - k d)^(3/2): n is the number of grains in a volume of the bed, 0.6 of which is grains, and L the length of the slot.

The substep of Talus is 1/4000 s, and LAMMPS has its stiffness. At 1/1600 s grains overlap by up to 0.19 radii at the start, and 5000 grains by up to 0.32. Talus moves grains apart
that a scene places deeper in each other than 0.1 radii, so that it would not start from the positions that LAMMPS starts from.
"""
import argparse
import math

from grains import GRAVITY, Grains, arguments, dump, filled, lammps, mean_of, points, scene, talus, time_step, wall_contact

R, COUNT = 0.005, 2500
FIRST, LAST = 375, 1250  # grains that have left while the rate is measured
WIDE, DEEP, FLOOR, PLATE = 32, 12.5, 30, 4  # radii: width, length of the slot, height of the floor's top, its thickness
TALL_OF_GRAIN = 0.036  # radii, height of the silo above its floor for each grain: so thin they are placed at random
TIME, EVERY = 3.0, 0.02  # s


def plate(name, left, right):
    """A part of the floor between x [m], as a body and as a region of LAMMPS."""
    low, high, y = (FLOOR - PLATE) * R, FLOOR * R, DEEP * R
    body = f'[[body]]\nname = "{name}"\nbox = {{ min = [{left}, {-y}, {low}], max = [{right}, {y}, {high}] }}\n'
    return body, f"region {name} block {left} {right} {-y} {y} {low} {high} side out units box\n"


def top(count):
    """Height of the silo [m]."""
    return (FLOOR + TALL_OF_GRAIN * count) * R


def start(options, folder, grains, seed):
    """Places of the grains that have settled on a floor without a slot."""
    half, y = 0.5 * WIDE * R, 0.5 * DEEP * R
    fill = filled(R, options.count, f"box = {{ min = [{-half}, {-y}, {FLOOR * R}], max = [{half}, {y}, {top(options.count)}] }}")
    domain = ((-half, -y, 0.0), (half, y, top(options.count)), 'y = "periodic"')
    settled = talus(options.program, folder, scene("dem", grains, domain, 1.0, fill + plate("floor", -2 * half, 2 * half)[0], seed), 1.0)[-1]
    return [(s.x, s.y, s.z) for s in settled]


def left_over(options, folder, grains, loose, slot, method):
    """Numbers of grains above the floor, EVERY by EVERY."""
    half, y = 0.5 * WIDE * R, 0.5 * DEEP * R
    plates = [plate("left", -2 * half, -slot * R), plate("right", slot * R, 2 * half)]
    lower, upper = (-half, -y, 0.0), (half, y, top(options.count))
    if method != "lammps":
        sink = f'[[sink]]\nname = "below"\nbox = {{ min = [{-2 * half}, {-2 * y}, {-R}], max = [{2 * half}, {2 * y}, {0.5 * FLOOR * R}] }}\n'
        tables = points(loose, R) + "".join(body for body, _ in plates) + sink
        states = talus(options.program, folder, scene(method, grains, (lower, upper, 'y = "periodic"'), TIME, tables), EVERY)
    else:
        dt, law = time_step(grains), wall_contact(grains)
        walls = f"fix sides loose wall/gran {law} xplane {-half} {half}\n" + "".join(region for _, region in plates)
        walls += "".join(f"fix {name} loose wall/gran/region {law} region {name}\n" for name in ("left", "right"))
        walls += f"dump states all custom {round(EVERY / dt)} {folder / 'states.txt'} id type x y z vx vy vz omegax omegay omegaz\n"
        lammps(folder, grains, (lower, upper, "f p f"), loose, [], walls, f"thermo 5000\nrun {math.ceil(TIME / dt)}\n")
        states = dump(folder / "states.txt")
    return [sum(s.z > (FLOOR - PLATE) * R for s in state) for state in states]


def rate(numbers):
    """Grains per second while the FIRST to the LAST leave."""
    out = [numbers[0] - number for number in numbers]
    first, last = (next((k for k, left in enumerate(out) if left >= bound), None) for bound in (FIRST, LAST))
    if last is None:
        return float("nan")
    return (out[last] - out[first]) / ((last - first) * EVERY)


def beverloo(slots, rates):
    """C and k of Beverloo's law by least squares of rate^(2/3), which is linear in the slot."""
    powers = [r ** (2.0 / 3.0) for r in rates]
    widths = [2.0 * s * R for s in slots]
    mean_w, mean_p = sum(widths) / len(widths), sum(powers) / len(powers)
    slope = sum((w - mean_w) * (p - mean_p) for w, p in zip(widths, powers)) / sum((w - mean_w) ** 2 for w in widths)
    none = mean_w - mean_p / slope  # where the line crosses 0 [m]
    number = 0.6 / (4.0 / 3.0 * math.pi * R**3)
    return slope**1.5 / (number * math.sqrt(GRAVITY) * DEEP * R), none / (2.0 * R)


def main():
    """Prints a line per friction, rolling friction and program, with the rate of each slot."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--slot", type=float, nargs="+", default=[5.0], help="widths of the slot in diameters")
    parser.add_argument("--count", type=int, default=COUNT, help="grains")
    parser.add_argument("--substep", type=float, default=1.0 / 4000.0, help="of Talus [s], to which the springs of both belong")
    arguments(parser)
    options = parser.parse_args()
    slots = " | ".join(f"rate at {slot:g} d [1/s]" for slot in options.slot)
    fitted = len(options.slot) > 2
    print(f"| friction | rolling | program | {slots} |{' C | k |' if fitted else ''}\n|" + "---|" * (3 + len(options.slot) + 2 * fitted), flush=True)
    for friction in options.friction:
        for rolling in options.rolling:
            grains = Grains(R, friction, rolling, options.substep)
            folder = options.folder / f"silo_{options.count}_{friction}_{rolling}"
            starts = [start(options, folder / f"start_{seed}", grains, seed) for seed in range(1, options.seeds + 1)]
            for method in options.method:
                rates = [[rate(left_over(options, folder / f"{slot:g}_{seed}_{method}", grains, loose, slot, method)) for seed, loose in enumerate(starts, 1)]
                         for slot in options.slot]
                law = " {:.3g} | {:.3g} |".format(*beverloo(options.slot, [sum(r) / len(r) for r in rates])) if fitted else ""
                print(f"| {friction} | {rolling} | {method} | " + " | ".join(mean_of(r) for r in rates) + f" |{law}", flush=True)


if __name__ == "__main__":
    main()

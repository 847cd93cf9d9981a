#!/usr/bin/env python3
"""The angles that grains are calibrated by, beside LAMMPS: a poured heap, a lifted cylinder, a drum that turns.

    python3 bench/peers/angles.py build/talus FOLDER --case poured|lifted|drum|hold [--friction MU].. [--rolling MU_R].. [--method M]..

poured: 1500 grains trickle on a rough floor, from a few radii above the top of the heap. lifted: a cylinder of 12 radii with 1500 grains on a
rough floor is lifted by 0.1 m/s. drum: 1000 grains in a drum of 20 radii with ribs, half full, Froude number 0.005; the angle is that of the
grains' centre of mass, seen from the axis. hold: the poured heap, 40 s later. Speeds and times are for grains of 5 mm; with others they go by the
root of the radius. Beside lammps there are its variants with more damping (grains.py: DAMPING). With --auto, for runs of Talus alone, a step is 4 ms in as many substeps as Talus chooses.
"""
import argparse
import math
import random

from grains import DAMPING, GRAVITY, Grains, arguments, cone, damped, dump, fastest, filled, final, floor_of_grains, lammps, placed, points, scene, speed, table, talus, time_step, wall_contact

COUNT = 1500
HALF = 40  # the rough floor is +-40 radii
TUBE, TUBE_HEIGHT = 12, 52  # radii
POUR_RATE, POUR_SPEED, POUR_LEVELS = 200.0, 0.3, 30  # 1/s, m/s, heights from which grains trickle
DRUM, DRUM_LENGTH, RIBS, FROUDE, DRUM_COUNT = 20, 12.5, 20, 0.005, 1000  # radii, radii, number, omega^2 R/g, grains
DRUM_STEADY, DRUM_TIME, DRUM_EVERY = 3.0, 6.0, 0.05  # s


def pace(r):
    """Times by those for grains of 5 mm."""
    return math.sqrt(r / 0.005)


def square(r):
    """Domain of the heaps, of Talus and of LAMMPS."""
    half = HALF * r
    return ((-half, -half, 0.0), (half, half, 80 * r), ""), ((-half, -half, 0.0), (half, half, 80 * r), "f f f")


def sides(grains):
    """Walls of LAMMPS at the ends of the floor."""
    law, half = wall_contact(grains), HALF * grains.radius
    return f"fix sides_x loose wall/gran {law} xplane -{half} {half}\nfix sides_y loose wall/gran {law} yplane -{half} {half}\n"


def heap_figures(state, grains):
    """Angle, run-out and speed of a heap. Its first layer lies in the hollows of the rough floor, 2.7 radii high."""
    return *cone(state, 1.7 * grains.radius, grains.radius), speed(state)


def lifted(options, folder, grains, method, seed):
    """A cylinder is lifted from 0.1 s on."""
    r, t = grains.radius, pace(grains.radius)
    base, (domain, box) = floor_of_grains(HALF * r, r), square(r)
    rate, end = 0.1 * t, 3.5 * t  # m/s, s
    bottom, top = 3.1 * r, (3.1 + TUBE_HEIGHT) * r
    middle = 0.5 * (bottom + top)
    body = (f'[[body]]\nname = "tube"\nparts = [{{ cylinder = {{ radius = {(TUBE + 2) * r}, height = {top - bottom} }}, position = [0, 0, {middle}] }}, '
            f'{{ cylinder = {{ radius = {TUBE * r}, height = {top - bottom + 4 * r} }}, position = [0, 0, {middle}], subtract = true }}]\n')
    fill = filled(r, COUNT, f"cylinder = {{ base = [0, 0, {3.1 * r}], radius = {TUBE * r}, height = {48 * r} }}")
    settled = final(options.program, folder.parent / "start", scene("dem", grains, domain, t, fill + points(base, r, True) + body, seed), t)
    loose = [(s.x, s.y, s.z) for s in settled if s.number < COUNT]
    fixed = points(base, r, True) + body
    loose = [(s.x, s.y, s.z) for s in placed(options.program, folder / "placed", scene("dem", grains, domain, 0.0, points(loose, r) + fixed)) if s.number < COUNT]
    if method not in DAMPING:
        motion = (f'interpolation = "linear"\nkeyframes = [{{ time = 0, position = [0, 0, 0] }}, {{ time = {0.1 * t}, position = [0, 0, 0] }}, '
                  f"{{ time = {end}, position = [0, 0, {rate * (end - 0.1 * t)}] }}]\n")
        last = talus(options.program, folder, scene(method, grains, domain, end, points(loose, r) + fixed + motion), end)[-1]
        return [s for s in last if s.number < COUNT]
    dt = time_step(grains)
    walls = (sides(grains) + f"variable rise equal {rate}*(step*dt-{0.1 * t})*(step*dt>{0.1 * t})\n"
             f"region tube cylinder z 0 0 {TUBE * r} {bottom} {top} side in open 1 open 2 move NULL NULL v_rise units box\n"
             f"fix tube loose wall/gran/region {wall_contact(grains)} region tube\n")
    return lammps(folder, grains, box, loose, base, walls, f"thermo 2000\nrun {math.ceil(end / dt)}\n")


def pour_heights(grains, angle):
    """Heights from which grains trickle, by a heap of this angle [degrees] at the end of each part of the time [m]."""
    r = grains.radius
    volume = COUNT * 4.0 / 3.0 * math.pi * r**3 / 0.58
    tops = [(3.0 * volume * (k + 1) / POUR_LEVELS * math.tan(math.radians(angle)) ** 2 / math.pi) ** (1.0 / 3.0) for k in range(POUR_LEVELS)]
    return [top + 7.0 * r for top in tops]


def emitters(grains, heights):
    """[[emitter]] at each height in turn."""
    r, t = grains.radius, pace(grains.radius)
    part = COUNT // POUR_LEVELS
    return "".join(f'[[emitter]]\nmaterial = "sand"\nradius = {r}\nrate = {POUR_RATE / t}\ncount = {part}\nstart = {k * part / POUR_RATE * t}\n'
                   f"velocity = [0, 0, {-POUR_SPEED * t}]\nshape.cylinder = {{ radius = {6 * r}, height = {2.2 * r}, base = [0, 0, {z}] }}\n" for k, z in enumerate(heights))


def pour_lammps(grains, heights, seed, rest):
    """The course of LAMMPS that creates a grain at a time, clear of those before."""
    r, t = grains.radius, pace(grains.radius)
    steps = round(t / POUR_RATE / time_step(grains))
    chance, recent, lines = random.Random(seed), [], []
    for number in range(COUNT):
        z = heights[number * POUR_LEVELS // COUNT] + 1.1 * r
        for _ in range(10000):
            rho, phi = 5.0 * r * math.sqrt(chance.random()), 2.0 * math.pi * chance.random()
            place = (rho * math.cos(phi), rho * math.sin(phi))
            if all(math.dist(place, other) > 2.0 * r for other in recent):
                break
        recent = (recent + [place])[-7:]  # by then the eighth before has fallen two radii
        lines.append(f"create_atoms 1 single {place[0]} {place[1]} {z}\ngroup new id {number_of_atom(number, grains)}\nset group new diameter {2 * r} density 2500\n"
                     f"velocity new set 0 0 {-POUR_SPEED * t}\ngroup loose type 1\ngroup new delete\nrun {steps} post no\n")
    return "thermo 1000000\nthermo_modify norm no\n" + "".join(lines) + f"run {math.ceil(rest / time_step(grains))}\n"


def number_of_atom(number, grains):
    """Number of the atom that is created after the floor and so many grains."""
    return len(floor_of_grains(HALF * grains.radius, grains.radius)) + number + 1


def poured(options, folder, grains, method, seed, hold=0.0):
    """Grains trickle on the floor. A first heap of dem tells the height from which they do."""
    r, t = grains.radius, pace(grains.radius)
    base, (domain, box) = floor_of_grains(HALF * r, r), square(r)
    rest = 2.5 * t
    end = COUNT / POUR_RATE * t + rest

    def heap(how, angle, length):
        return scene(how, grains, domain, length, points(base, r, True) + emitters(grains, pour_heights(grains, angle)), seed)

    def poured_ones(state):
        return [s for s in state if s.number >= len(base)]

    first = final(options.program, folder.parent / "first", heap("dem", 40.0, end), end)
    angle = heap_figures(poured_ones(first), grains)[0]
    if method not in DAMPING:
        return [poured_ones(state) for state in talus(options.program, folder, heap(method, angle, end + hold), end)[1:]]
    return [lammps(folder, grains, box, [], base, sides(grains), pour_lammps(grains, pour_heights(grains, angle), seed, rest))]


def drum(options, folder, grains, method, seed):
    """Slope of the centre of mass while the drum turns steadily [degrees], and how much it varies."""
    r, t = grains.radius, pace(grains.radius)
    inner, half = DRUM * r, 0.5 * DRUM_LENGTH * r
    omega = math.sqrt(FROUDE * GRAVITY / inner)  # rad/s; grains go up at +x
    far = inner + 4 * r
    ribs = [(inner * math.cos(2 * math.pi * k / RIBS), inner * math.sin(2 * math.pi * k / RIBS)) for k in range(RIBS)]
    length = 2 * half + 8 * r
    lying = f"height = {length} }}, rotation = [90, 0, 0]"
    parts = [f"{{ cylinder = {{ radius = {far}, {lying} }}", f"{{ cylinder = {{ radius = {inner}, {lying}, subtract = true }}"]
    parts += [f"{{ cylinder = {{ radius = {r}, {lying}, position = [{x}, 0, {z}] }}" for x, z in ribs]
    body = '[[body]]\nname = "drum"\nparts = [' + ", ".join(parts) + "]\n"
    lower, upper = (-far, -half, -far), (far, half, far)
    domain = (lower, upper, 'y = "periodic"')
    fill = filled(r, DRUM_COUNT, f"cylinder = {{ radius = {inner - r}, height = {2 * half}, rotation = [90, 0, 0] }}")
    settled = final(options.program, folder.parent / "start", scene("dem", grains, domain, t, fill + body, seed), t)
    loose = [(s.x, s.y, s.z) for s in settled]
    end, every = DRUM_TIME * t, DRUM_EVERY * t
    if method not in DAMPING:
        states = talus(options.program, folder, scene(method, grains, domain, end, points(loose, r) + body + f"spin = [0, {-omega}, 0]\n"), every)
    else:
        dt = time_step(grains)
        lines = [f"variable turn equal {-omega}*step*dt", f"region shell cylinder y 0 0 {inner} {-half - 4 * r} {half + 4 * r} side in open 1 open 2 rotate v_turn 0 0 0 0 1 0 units box"]
        lines += [f"region rib{k} cylinder y {x} {z} {r} {-half - 4 * r} {half + 4 * r} side out rotate v_turn 0 0 0 0 1 0 units box" for k, (x, z) in enumerate(ribs)]
        law = wall_contact(grains)  # a fix each, since a surface of several regions has no velocity
        lines += [f"fix {name} loose wall/gran/region {law} region {name}" for name in ["shell"] + [f"rib{k}" for k in range(RIBS)]]
        steps = math.ceil(end / dt)
        lines += [f"dump states all custom {round(every / dt)} {folder / 'states.txt'} id type x y z vx vy vz omegax omegay omegaz"]
        lammps(folder, grains, (lower, upper, "f p f"), loose, [], "\n".join(lines) + "\n", f"thermo 5000\nrun {steps}\n")
        states = dump(folder / "states.txt")
    steady = states[int(DRUM_STEADY / DRUM_EVERY):]
    angles = []
    for state in steady:
        x, z = sum(s.x for s in state) / len(state), sum(s.z for s in state) / len(state)
        angles.append(math.degrees(math.atan2(abs(x), -z)))
    mean = sum(angles) / len(angles)
    return mean, math.sqrt(sum((a - mean) ** 2 for a in angles) / len(angles))


def main():
    """Prints a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--case", choices=["poured", "lifted", "drum", "hold"], default="lifted")
    parser.add_argument("--radius", type=float, default=0.005, help="of the grains [m]")
    parser.add_argument("--auto", action="store_true", help="Talus chooses its substeps")
    arguments(parser)
    options = parser.parse_args()

    def measure(friction, rolling, method, seed):
        grains = damped(Grains(options.radius, friction, rolling, None if options.auto else pace(options.radius) / 1600.0,
                               restitution=options.restitution, iterations=options.iterations), method)
        folder = options.folder / f"{options.case}_{friction}_{rolling}_{seed}" / method
        if options.case == "drum":
            return drum(options, folder, grains, method, seed)
        if options.case == "lifted":
            return heap_figures(lifted(options, folder, grains, method, seed), grains)
        if options.case == "poured":
            return heap_figures(poured(options, folder, grains, method, seed)[-1], grains)
        states = poured(options, folder, grains, method, seed, 40.0)
        start, last = states[0], states[-1]
        return heap_figures(start, grains)[0], heap_figures(last, grains)[0], *fastest(last, grains.radius)

    heads = {"drum": ["angle [deg]", "its deviation [deg]"], "hold": ["angle [deg]", "40 s later [deg]", "greatest speed [m/s]", "greatest surface speed [m/s]"]}
    table(options, heads.get(options.case, ["angle [deg]", "r90 [m]", "speed rms [m/s]"]), measure)


if __name__ == "__main__":
    main()

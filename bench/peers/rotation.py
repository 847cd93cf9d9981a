#!/usr/bin/env python3
"""Grains that rotate, beside LAMMPS from the same positions: a column that collapses on a rough base, and a bed in a box.

    python3 bench/peers/rotation.py build/talus FOLDER [--case column|bed] [--friction MU].. [--rolling MU_R].. [--method M]..

LAMMPS (Debian: apt install lammps) has linear springs of dem's stiffness and damping in a substep of 1/1600 s, with the same
tangential and rolling springs, at a fifteenth of a collision's time. Unequal: its twisting resistance is a law of its own
(marshall), where Talus has one spring for rolling and twisting; a fixed grain is as stiff as a free one there.
"""
import argparse
import csv
import math
import pathlib
import subprocess

RADIUS, DENSITY, SUBSTEP = 0.005, 2500.0, 1.0 / 1600.0  # m, kg/m3, s
KAPPA, ZETA = 0.6, 0.12  # dem's normal spring (shaders/shared/types.h)
TANGENTIAL, TANGENTIAL_DAMPING, ROLLING, ROLLING_DAMPING = 0.2, 0.25, 0.285, 0.5
COLUMN, GRAINS, SETTLING, TIME = 0.05, 1500, 1.0, 2.5  # half width [m]; number; s; s


def scene(method, friction, rolling, half, time, grains, seed=1):
    """A scene in TOML with walls at +-half [m] and `grains` as its tables."""
    iterations = "" if method == "dem" else "iterations = 4\n"
    return f"""
[scene]
seed = {seed}
[time]
dt = {8 * SUBSTEP}
end = {time}
[domain]
min = [{-half}, {-half}, 0]
max = [{half}, {half}, 1.0]
[solver]
method = "{method}"
substeps = 8
{iterations}rotation = true
[[material]]
name = "sand"
density = {DENSITY}
friction = {friction}
rolling_friction = {rolling}
{grains}"""


def talus(program, folder, text, time):
    """Runs a scene and returns positions and velocities of its grains at the end, by their number."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "scene.toml").write_text(text)
    subprocess.run([program, "run", folder / "scene.toml", "--device", "cpu", "--format", "csv", "--out", folder, "--every", str(time)],
                   check=True, capture_output=True)
    last = sorted(folder.glob("grains_*.csv"))[-1]
    with last.open() as file:
        rows = list(csv.DictReader(file))
    return [tuple(float(row[k]) for k in ("x", "y", "z", "vx", "vy", "vz")) for row in rows]


def points(places, fixed):
    """[[grains]] at given places."""
    listed = ", ".join(f"[{x:.9g}, {y:.9g}, {z:.9g}]" for x, y, z in places)
    return f'[[grains]]\nmaterial = "sand"\nradius = {RADIUS}\nfixed = {str(fixed).lower()}\nfill = {{ points = [{listed}] }}\n'


def lammps(folder, loose, base, friction, rolling, half, time):
    """The same from LAMMPS."""
    folder.mkdir(parents=True, exist_ok=True)
    m_eff = 0.5 * DENSITY * 4.0 / 3.0 * math.pi * RADIUS**3
    kn, eta = KAPPA * m_eff / SUBSTEP**2, 2.0 * ZETA * math.sqrt(KAPPA) / SUBSTEP
    dt = math.pi * math.sqrt(m_eff / kn) / 15.0
    lines = [f"{len(loose) + len(base)} atoms\n2 atom types\n{-half} {half} xlo xhi\n{-half} {half} ylo yhi\n0 1 zlo zhi\n\nAtoms\n"]
    for number, (kind, (x, y, z)) in enumerate([(1, p) for p in loose] + [(2, p) for p in base], 1):
        lines.append(f"{number} {kind} {2 * RADIUS} {DENSITY} {x:.9g} {y:.9g} {z:.9g}")
    (folder / "grains.data").write_text("rotation.py\n\n" + "\n".join(lines) + "\n")
    variables = {"grains": folder / "grains.data", "final": folder / "final.txt", "kn": kn, "eta": eta, "kt": TANGENTIAL * kn,
                 "xt": TANGENTIAL_DAMPING, "mu": friction, "kr": ROLLING * kn, "gr": ROLLING_DAMPING * eta * m_eff, "mur": rolling,
                 "side": half, "skin": 0.2 * RADIUS, "dt": dt, "steps": math.ceil(time / dt)}
    command = ["lmp", "-log", "none", "-in", pathlib.Path(__file__).with_name("rotation.lammps")]
    for name, value in variables.items():
        command += ["-var", name, str(value)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(done.stdout[-2000:] + done.stderr[-2000:])
    final = (folder / "final.txt").read_text().split("\n")
    rows = sorted((list(map(float, line.split())) for line in final[9:] if line), key=lambda row: row[0])
    return [tuple(row[1:7]) for row in rows]


def heap(state, floor):
    """Angle of the cone with the moments of the grains above the first layer [degrees], and the radius that holds 90 % [m]."""
    loose = [(x, y, z - floor) for x, y, z, *_ in state if z > floor + 0.9 * RADIUS]
    above = [p for p in loose if p[2] > 2.0 * RADIUS]
    centre = [sum(p[k] for p in above) / len(above) for k in (0, 1)]
    height = 4.0 * (sum(p[2] for p in above) / len(above) - 2.0 * RADIUS)
    rho2 = sum((p[0] - centre[0]) ** 2 + (p[1] - centre[1]) ** 2 for p in above) / len(above)
    out = sorted(math.hypot(p[0], p[1]) for p in loose)
    return math.degrees(math.atan(height / math.sqrt(rho2 * 10.0 / 3.0))), out[int(0.9 * len(out))]


def bed(state, half):
    """Packing, contacts of a grain and mean overlap [radii] of the grains more than 4 radii from walls and surface."""
    places = [(x, y, z) for x, y, z, *_ in state]
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


def speed(state):
    """Root mean square [m/s]."""
    return math.sqrt(sum(vx * vx + vy * vy + vz * vz for *_, vx, vy, vz in state) / len(state))


def mean_of(values):
    """The mean, and half of the range where there are several."""
    mean, spread = sum(values) / len(values), 0.5 * (max(values) - min(values))
    return f"{mean:.4g}" + (f" +- {spread:.2g}" if len(values) > 1 else "")


def start(options, friction, rolling, seed, fill, floor):
    """Where grains are at the start: settled between walls and set down on the base, or a lattice that falls."""
    time = SETTLING if floor > 0.0 else 0.0
    text = scene("dem", friction, rolling, COLUMN, time, fill, seed)
    state = talus(options.program, options.folder / f"{options.case}_{friction}_{rolling}_{seed}" / "start", text, time or 1.0)
    return [(x, y, z + floor) for x, y, z, *_ in state]


def main():
    """Prints a line per program, friction and rolling friction."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="talus")
    parser.add_argument("folder", type=pathlib.Path, help="where scenes, inputs and states go")
    parser.add_argument("--case", choices=["column", "bed"], default="column")
    parser.add_argument("--friction", type=float, nargs="+", default=[0.3, 0.5])
    parser.add_argument("--rolling", type=float, nargs="+", default=[0.0, 0.1, 0.4])
    parser.add_argument("--seeds", type=int, default=3, help="repetitions with other places of the grains at the start")
    parser.add_argument("--method", nargs="+", default=["lammps", "dem", "vts", "sp"])
    options = parser.parse_args()

    fill = f"""[[grains]]
material = "sand"
radius = {RADIUS}
count = {GRAINS}
sampling = "lattice"
spacing = 1.1
fill = {{ box = {{ min = [{-COLUMN}, {-COLUMN}, 0.01], max = [{COLUMN}, {COLUMN}, 0.6] }} }}
"""
    side, floor, base = (0.3, 2.0 * RADIUS, []) if options.case == "column" else (COLUMN, 0.0, [])
    if options.case == "column":
        across = int(side / (2.0 * RADIUS))
        base = [((2 * i + 1) * RADIUS, (2 * j + 1) * RADIUS, RADIUS) for i in range(-across, across) for j in range(-across, across)]
    measured = "angle [deg] | r90 [m]" if base else "packing | contacts | overlap [r]"
    print(f"| friction | rolling | program | {measured} | speed rms [m/s] |\n|" + "---|" * (6 if base else 7))
    for friction in options.friction:
        for rolling in options.rolling:
            starts = [start(options, friction, rolling, seed, fill, floor) for seed in range(1, options.seeds + 1)]
            for method in options.method:
                figures = []
                for seed, loose in enumerate(starts, 1):
                    folder = options.folder / f"{options.case}_{friction}_{rolling}_{seed}" / method
                    if method == "lammps":
                        state = lammps(folder, loose, base, friction, rolling, side, TIME)
                    else:
                        grains = points(loose, False) + (points(base, True) if base else "")
                        state = talus(options.program, folder, scene(method, friction, rolling, side, TIME, grains), TIME)
                    moving = [s for s in state if not base or s[2] > floor + 0.9 * RADIUS]
                    figures.append((*(heap(state, floor) if base else bed(state, COLUMN)), speed(moving)))
                print(f"| {friction} | {rolling} | {method} | " + " | ".join(mean_of(f) for f in zip(*figures)) + " |", flush=True)


if __name__ == "__main__":
    main()

"""Scenes of Talus and decks of LAMMPS for the same grains that rotate, and the measures of both. The scripts beside this file use it.

LAMMPS (Debian: apt install lammps) has linear springs of dem's stiffness and damping in a substep of Talus, with the same tangential, rolling
and twisting springs, at a fifteenth of a collision's time. Fixed grains and walls are twice as stiff as loose grains, as in Talus. Unequal:
rolling and twisting have a limit each in LAMMPS, where Talus has one for both together.
"""
import csv
import dataclasses
import functools
import math
import pathlib
import random
import subprocess

GRAVITY, DENSITY = 9.81, 2500.0  # m/s2, kg/m3
KAPPA, ZETA = 0.5, 0.11  # dem's normal spring (shaders/shared/types.h)
TANGENTIAL, TANGENTIAL_DAMPING, ROLLING, ROLLING_DAMPING = 0.2, 0.25, 0.285, 0.5
# Variants of LAMMPS: factors of Grains.damping, Grains.finer. inelastic: 0.7 of critical along the normal; slip_damped: slip and rolling
# fade within a substep of Talus; overdamped: both.
DAMPING = {"lammps": ((1.0, 1.0, 1.0), 1), "lammps_inelastic": ((6.4, 1.0, 1.0), 1), "lammps_slip_damped": ((1.0, 25.0, 10.0), 4),
           "lammps_overdamped": ((6.4, 25.0, 10.0), 4)}


@dataclasses.dataclass
class Grains:
    """Equal grains and their settings: radius [m], friction, rolling friction, substep [s], or None for the one that Talus chooses."""
    radius: float
    friction: float
    rolling: float
    substep: float | None = 1.0 / 1600.0
    overlap: float | None = None  # mean overlap that Talus aims at where it chooses the substep [radii]
    restitution: float | None = None  # that Talus is asked for; LAMMPS has dem's own damping
    iterations: int = 4  # of Talus's methods but dem
    sleep: bool | None = None  # that dem is asked for
    damping: tuple = (1.0, 1.0, 1.0)  # of LAMMPS along the normal, across it, and of rolling, in times of dem's
    finer: int = 1  # steps that LAMMPS takes in a fifteenth of a collision's time

    def mass(self):
        """Mass of a grain [kg]."""
        return DENSITY * 4.0 / 3.0 * math.pi * self.radius**3


@dataclasses.dataclass
class State:
    """A grain at a time: number, position [m], velocity [m/s], angular velocity [rad/s]."""
    number: int
    x: float
    y: float
    z: float
    v: tuple
    w: tuple


def damped(grains, method):
    """The grains with the damping of this variant of LAMMPS, or as they are."""
    return dataclasses.replace(grains, damping=DAMPING[method][0], finer=DAMPING[method][1]) if method in DAMPING else grains


def scene(method, grains, domain, time, tables, seed=1):
    """A scene in TOML. domain: lower and upper corner [m], and further keys; tables: grains, bodies, emitters."""
    lower, upper, keys = domain
    step = "dt = 0.004" if grains.substep is None else f"dt = {8 * grains.substep}"
    substeps = '"auto"' if grains.substep is None else "8"
    overlap = "" if grains.overlap is None else f"overlap = {grains.overlap}\n"
    restitution = "" if grains.restitution is None else f"restitution = {grains.restitution}\n"
    sleep = "" if grains.sleep is None else f"sleep = {str(grains.sleep).lower()}\n"
    iterations = "" if method == "dem" else f"iterations = {grains.iterations}\n"
    return f"""
[scene]
seed = {seed}
[time]
{step}
end = {time}
[domain]
min = {list(lower)}
max = {list(upper)}
{keys}
[solver]
method = "{method}"
substeps = {substeps}
{overlap}{sleep}{iterations}rotation = true
[[material]]
name = "sand"
density = {DENSITY}
friction = {grains.friction}
rolling_friction = {grains.rolling}
{restitution}{tables}"""


def points(places, radius, fixed=False):
    """[[grains]] at given places."""
    listed = ", ".join(f"[{x:.9g}, {y:.9g}, {z:.9g}]" for x, y, z in places)
    return f'[[grains]]\nmaterial = "sand"\nradius = {radius}\nfixed = {str(fixed).lower()}\nfill = {{ points = [{listed}] }}\n' if places else ""


def filled(radius, count, geometry):
    """[[grains]] on a lattice in a geometry."""
    return (f'[[grains]]\nmaterial = "sand"\nradius = {radius}\ncount = {count}\nsampling = "lattice"\nspacing = 1.1\nvelocity_random = 0.1\n'
            f"fill = {{ {geometry} }}\n")


def floor_of_grains(half, radius):
    """Places of fixed grains in the square +-half [m]: a lattice of 2.3 radii that is shaken, since equal grains would go on growing a
    regular one as a crystal. Their tops are 2 to 3 radii high."""
    chance, spacing = random.Random(1), 2.3 * radius
    across = int((half - radius) / spacing)
    places = [(spacing * i, spacing * j, 1.5 * radius) for i in range(-across, across + 1) for j in range(-across, across + 1)]
    shaken = [(chance.uniform(-0.3, 0.3), chance.uniform(-0.3, 0.3), chance.uniform(-0.5, 0.5)) for _ in places]
    return [tuple(c + radius * d for c, d in zip(p, s)) for p, s in zip(places, shaken)]


def talus(program, folder, text, every, metrics=None, apart=False):
    """Runs a scene on a core and returns its exported states, each a list of State by number; and rows of its metrics, if their interval is given.

    Fails where Talus moves grains apart before it starts, because some overlap by more than a tenth of a radius: LAMMPS would start from elsewhere.
    apart: it may, since all programs start from the first state that comes back.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("grains_*.csv"):
        old.unlink()
    (folder / "scene.toml").write_text(text)
    command = [program, "run", folder / "scene.toml", "--device", "cpu", "--threads", "1", "--format", "csv", "--out", folder, "--every", str(every),
               "--report", folder / "report.json"]
    if metrics:
        command += ["--metrics", folder / "metrics.csv", "--metrics-every", str(metrics)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{folder}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    output = done.stdout + done.stderr
    (folder / "output.txt").write_text(output)
    if "are moved apart before the start" in output and not apart:
        raise SystemExit(f"{folder}: Talus has moved grains apart that overlap at the start; a shorter substep makes them stiffer: {output[-500:]}")
    states = []
    for name in sorted(folder.glob("grains_*.csv")):
        with name.open() as file:
            states.append([State(int(row["id"]), *(float(row[k]) for k in "xyz"), tuple(float(row[k]) for k in ("vx", "vy", "vz")),
                                 tuple(float(row[k]) for k in ("wx", "wy", "wz"))) for row in csv.DictReader(file)])
    if not metrics:
        return states
    with (folder / "metrics.csv").open() as file:
        return states, [{k: float(v) for k, v in row.items()} for row in csv.DictReader(file)]


def placed(program, folder, text):
    """The State in which Talus starts a scene that ends at 0 s: grains that overlap by more than a tenth of a radius are moved apart."""
    return talus(program, folder, text, 1.0, apart=True)[0]


@functools.cache
def final(program, folder, text, time):
    """The State at the end, which the methods share that start from it."""
    return talus(program, folder, text, time)[-1]


def contact(grains, stiffer=1.0, friction=None, substep=None):
    """LAMMPS's law of a contact between loose grains, times stiffer."""
    h = substep or grains.substep
    m_eff, r_eff = 0.5 * grains.mass(), 0.5 * grains.radius
    kn, eta = stiffer * KAPPA * m_eff / h**2, stiffer * 2.0 * ZETA * math.sqrt(KAPPA) / h
    mu = grains.friction if friction is None else friction
    normal, across, rolls = grains.damping
    spring, damping = ROLLING * kn, ROLLING_DAMPING * rolls * eta * m_eff
    return (f"hooke {kn} {normal * eta} tangential linear_history {TANGENTIAL * kn} {TANGENTIAL_DAMPING * across / normal} {mu} rolling sds {spring} {damping} {grains.rolling} "
            f"twisting sds {spring * r_eff**2} {damping * r_eff**2} {grains.rolling * r_eff} damping mass_velocity")


def wall_contact(grains, friction=None, substep=None):
    """LAMMPS's law of a contact with a wall: its mass is a grain's, so that the same damping rate is twice the damping."""
    h = substep or grains.substep
    kn, eta = KAPPA * grains.mass() / h**2, 2.0 * ZETA * math.sqrt(KAPPA) / h
    mu = grains.friction if friction is None else friction
    normal, across, rolls = grains.damping
    spring, damping = ROLLING * kn, ROLLING_DAMPING * rolls * eta * grains.mass()
    return (f"granular hooke {kn} {normal * eta} tangential linear_history {TANGENTIAL * kn} {TANGENTIAL_DAMPING * across / normal} {mu} rolling sds {spring} {damping} {grains.rolling} "
            f"twisting sds {spring * grains.radius**2} {damping * grains.radius**2} {grains.rolling * grains.radius} damping mass_velocity")


def time_step(grains, substep=None):
    """A fifteenth of a collision's time, or less [s]."""
    return math.pi * (substep or grains.substep) / math.sqrt(KAPPA) / 15.0 / grains.finer


def lammps(folder, grains, domain, loose, fixed, walls, course, substep=None, down=(0.0, 0.0, -1.0)):
    """Runs LAMMPS and returns the State of all atoms at the end. walls: lines of a deck; course: its lines that run; down: where gravity points."""
    folder.mkdir(parents=True, exist_ok=True)
    lower, upper, boundary = domain
    lines = [f"{len(loose) + len(fixed)} atoms\n2 atom types\n" + "\n".join(f"{lower[k]} {upper[k]} {'xyz'[k]}lo {'xyz'[k]}hi" for k in range(3)) + "\n\nAtoms\n"]
    for number, (kind, (x, y, z)) in enumerate([(1, p) for p in loose] + [(2, p) for p in fixed], 1):
        lines.append(f"{number} {kind} {2 * grains.radius} {DENSITY} {x:.9g} {y:.9g} {z:.9g}")
    (folder / "grains.data").write_text("grains.py\n\n" + "\n".join(lines) + "\n")
    (folder / "walls.lammps").write_text(walls)
    (folder / "course.lammps").write_text(course)
    variables = {"boundary": boundary, "data": folder / "grains.data", "final": folder / "final.txt", "loose_loose": contact(grains, substep=substep),
                 "loose_fixed": contact(grains, 2.0, substep=substep), "walls": folder / "walls.lammps", "course": folder / "course.lammps",
                 "skin": 0.2 * grains.radius, "down": "{} {} {}".format(*down), "dt": time_step(grains, substep)}
    command = ["lmp", "-log", folder / "log.lammps", "-in", pathlib.Path(__file__).with_name("grains.lammps")]
    for name, value in variables.items():
        command += ["-var", name, str(value)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(done.stdout[-2000:] + done.stderr[-2000:])
    return dump(folder / "final.txt")[-1]


def dump(name):
    """States of a dump of LAMMPS with the columns of grains.lammps, without fixed atoms."""
    states = []
    for part in name.read_text().split("ITEM: TIMESTEP")[1:]:
        rows = sorted(list(map(float, line.split())) for line in part.split("\n")[9:] if line)
        states.append([State(int(r[0]) - 1, *r[2:5], tuple(r[5:8]), tuple(r[8:11])) for r in rows if r[1] == 1])
    return states


def cone(state, floor, radius):
    """Angle of the cone with the moments of the grains above the first layer [degrees], and the radius that holds 90 % [m]."""
    above = [(s.x, s.y, s.z - floor) for s in state if s.z > floor + 2.0 * radius]
    centre = [sum(p[k] for p in above) / len(above) for k in (0, 1)]
    height = 4.0 * (sum(p[2] for p in above) / len(above) - 2.0 * radius)
    rho2 = sum((p[0] - centre[0]) ** 2 + (p[1] - centre[1]) ** 2 for p in above) / len(above)
    out = sorted(math.hypot(s.x, s.y) for s in state)
    return math.degrees(math.atan(height / math.sqrt(rho2 * 10.0 / 3.0))), out[int(0.9 * len(out))]


def speed(state):
    """Root mean square [m/s]."""
    return math.sqrt(sum(sum(c * c for c in s.v) for s in state) / len(state))


def fastest(state, radius):
    """The greatest speed, and the greatest speed of a surface by the spin [m/s]."""
    return max(math.hypot(*s.v) for s in state), radius * max(math.hypot(*s.w) for s in state)


def mean_of(values):
    """The mean, and half of the range where there are several."""
    mean, spread = sum(values) / len(values), 0.5 * (max(values) - min(values))
    return f"{mean:.4g}" + (f" +- {spread:.2g}" if len(values) > 1 else "")


def arguments(parser, methods=("lammps", "dem", "vts", "sp")):
    """The options that all scripts have."""
    parser.add_argument("program", help="talus")
    parser.add_argument("folder", type=pathlib.Path, help="where scenes, inputs and states go")
    parser.add_argument("--friction", type=float, nargs="+", default=[0.3, 0.5])
    parser.add_argument("--rolling", type=float, nargs="+", default=[0.0, 0.1, 0.4])
    parser.add_argument("--restitution", type=float, help="that Talus is asked for")
    parser.add_argument("--iterations", type=int, default=4, help="of Talus's methods but dem")
    parser.add_argument("--seeds", type=int, default=2, help="repetitions with other places of the grains at the start")
    parser.add_argument("--method", nargs="+", default=list(methods))


def table(options, head, measure):
    """Prints a line per friction, rolling friction and program: measure(friction, rolling, method, seed) gives the figures under head."""
    print(f"| friction | rolling | program | {' | '.join(head)} |\n|" + "---|" * (3 + len(head)), flush=True)
    for friction in options.friction:
        for rolling in options.rolling:
            for method in options.method:
                figures = [measure(friction, rolling, method, seed) for seed in range(1, options.seeds + 1)]
                print(f"| {friction} | {rolling} | {method} | " + " | ".join(mean_of(f) for f in zip(*figures)) + " |", flush=True)

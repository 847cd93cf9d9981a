#!/usr/bin/env python3
"""Recovers the material of synthetic soil by talus.fit, and prints by how much it is off.

    python3 bench/peers/fit.py FOLDER --case friction|adhesion --seed N.. [--repeats N] [--runs N] [--grains N] [--sled]

Measurements are simulated with known materials and seeds that no fit uses, and have the standard uncertainty of their mean. FOLDER keeps them,
so that a second call fits anew only, and the parameters and results of all runs of a fit (numpy.load). A cylinder of grains is lifted, and others rain into a vessel. friction: (friction,
rolling friction) are found, density is known; adhesion: (density, adhesion) are found, both frictions are known.
"""
import argparse
import json
import math
import pathlib
import random
import sys
import time

import numpy

import talus

MEASUREMENTS = [{"type": "lifted_cylinder", "radius": 0.06, "height": 0.12, "grain_radius": 0.004, "lift_speed": 0.2, "angle": 20.0, "run_out": 0.15},
                {"type": "bulk_density", "grain_radius": 0.005, "bulk_density": 900.0}]
CASES = {
    "friction": ({"density": 1600.0}, {"friction": [0.1, 1.0], "rolling_friction": [0.01, 0.5]},
                 [{"friction": 0.3, "rolling_friction": 0.1}, {"friction": 0.25, "rolling_friction": 0.15}]),
    "adhesion": ({"friction": 0.4, "rolling_friction": 0.1}, {"density": [600.0, 4000.0], "adhesion": [300.0, 20000.0]},
                 [{"density": 1600.0, "adhesion": 3000.0}, {"density": 2200.0, "adhesion": 6000.0}])}


def main():
    """Prints a line per parameter of each soil."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path, help="where measurements, materials and plots go")
    parser.add_argument("--case", choices=CASES, default="friction")
    parser.add_argument("--seed", type=int, nargs="+", default=[1, 2], help="number of a soil, which has seeds of its own")
    parser.add_argument("--repeats", type=int, default=96, help="simulations behind each measured value")
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--grains", type=int, default=3000, help="in a simulation")
    parser.add_argument("--sled", action="store_true", help="a sliding angle is measured as well, with 0.2 degrees of noise")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    known, ranges, soils = CASES[options.case]
    print("| soil | parameter | true | found | standard uncertainty | off by | runs | time [s] | CPU time [s] |\n|---|---|---|---|---|---|---|---|---|", flush=True)
    for number in options.seed:
        soil = soils[(number - 1) % len(soils)]
        name = f"{options.case}_{number}{'_sled' if options.sled else ''}"
        data = {"material": {"name": "soil", **known, "find": ranges}, "measurement": [{**m, "grains": options.grains} for m in MEASUREMENTS]}
        kept = options.folder / f"{options.case}_{number}_{options.repeats}_{options.grains}.json"
        if not kept.exists():
            kept.write_text(json.dumps(talus.simulate_measurements(data, soil, repeats=options.repeats, seed=900_000_000 + 10_000 * number)))
        data["measurement"] = json.loads(kept.read_text())
        if options.sled:
            angle = math.degrees(math.atan({**known, **soil}["friction"])) + 0.2 * random.Random(number).gauss(0.0, 1.0)
            data["measurement"].append({"type": "sliding_angle", "angle": angle, "angle_uncertainty": 0.2})
        before = time.process_time()
        found = talus.fit(data, options.folder / f"{name}.toml", runs=options.runs, progress=lambda line: print(line, file=sys.stderr, flush=True))
        spent = time.process_time() - before
        runs = {f"{what}_{label}": values for what, part in (("samples", found.samples), ("results", found.results)) for label, values in part.items()}
        numpy.savez(options.folder / f"{name}_runs.npz", **runs)
        found.plot(options.folder / f"{name}.png")
        for key, true in soil.items():
            value = found.material[key]
            print(f"| {number} | {key} | {true:g} | {value:.4g} | {found.uncertainty[key]:.2g} | {100.0 * (value / true - 1.0):+.1f} % | {found.runs} | {found.seconds:.0f} | {spent:.0f} |", flush=True)
        for warning in found.warnings:
            print(f"\n{warning}\n", flush=True)


if __name__ == "__main__":
    main()

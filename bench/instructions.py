#!/usr/bin/env python3
"""Instructions that short runs take on the CPU path, counted by callgrind.

    python3 bench/instructions.py build/talus                                             prints them
    python3 bench/instructions.py build/talus --out bench/results/instructions.json       writes them
    python3 bench/instructions.py build/talus --check bench/results/instructions.json     compares, and fails at +3 %

A run is stepped on one thread, and counted inside of Simulation::advance alone. Instructions do not depend on how busy a
machine is: two runs differ by less than 0.1 %. Steps must be dear for that, since `talus run` takes them in batches by its
clock, each of which costs 0.4 million instructions. They are those of the passes for x86-64-v3, since valgrind knows no
AVX-512. They are no time, since one instruction may take as long as fifty others; what gets slower without more
instructions (memory, dependences) is not seen here. Needs valgrind.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SCENES = pathlib.Path(__file__).resolve().parent.parent / "scenes"
MORE = 1.03  # from which on a run fails

# name: scene, steps before those that are counted, steps, settings
RUNS = {
    "dem": ("box_settle", 48, 2, ["solver.sleep=false"]),
    "dem_sleep": ("box_settle", 48, 2, []),
    "dem_bodies": ("excavator_dig", 24, 2, []),
    "vts": ("box_settle", 48, 2, ["solver.method=vts", "solver.substeps=2"]),
    "p2": ("wheel_and_plank", 24, 2, ["solver.method=p2"]),
    "fine": ("hourglass_fine", 2, 1, []),
}


def talus(program, folder, name, steps, more=(), before=()):
    scene, _, _, settings = RUNS[name]
    command = [*before, program, "run", SCENES / f"{scene}.toml", "--device", "cpu", "--threads", "1"]
    command += ["--steps", str(steps), *more]
    for setting in settings:
        command += ["--set", setting]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{name}: {' '.join(map(str, command))} failed:\n{done.stderr[-2000:]}")
    return done.stderr


def count(program, name):
    """Instructions of the steps of a run."""
    _, before, steps, _ = RUNS[name]
    with tempfile.TemporaryDirectory() as folder:
        talus(program, folder, name, before, ["--save", "start.talus"])
        counted = ["valgrind", "--tool=callgrind", "--callgrind-out-file=counts", "--toggle-collect=talus::Simulation::advance*"]
        said = talus(program, folder, name, before + steps, ["--resume", "start.talus"], counted)
    found = re.search(r"Collected : (\d+)", said)
    if not found or int(found[1]) == 0:
        sys.exit(f"{name}: callgrind counted nothing:\n{said[-2000:]}")
    return int(found[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program", type=pathlib.Path, help="talus")
    parser.add_argument("--out", type=pathlib.Path, help="file for the counts")
    parser.add_argument("--check", type=pathlib.Path, help="file of counts to compare with")
    parser.add_argument("--only", nargs="+", choices=RUNS, default=list(RUNS), help="these runs alone")
    given = parser.parse_args()
    program = given.program.resolve()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        counts = dict(zip(given.only, pool.map(lambda name: count(program, name), given.only)))
    version = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
    compiler = re.search(r"compiler\s+(.*)", version)[1].strip()
    was = json.loads(given.check.read_text()) if given.check else {"compiler": compiler, "instructions": {}}
    grown = []
    for name, now in counts.items():
        old = was["instructions"].get(name)
        ratio = f"  {now / old:.3f} of {old:,}" if old else ""
        print(f"{name:12} {now:15,}{ratio}")
        if given.check and (old is None or now > MORE * old):
            grown.append(name)
    if given.out:
        given.out.write_text(json.dumps({"compiler": compiler, "instructions": counts}, indent=2) + "\n")
    if was["compiler"] != compiler:
        sys.exit(f"{given.check} is of {was['compiler']}, this build of {compiler}: their counts cannot be compared")
    if grown:
        sys.exit(
            f"more instructions by over {MORE - 1:.0%}: {', '.join(grown)}. Where that is worth it, write the counts anew (--out) "
            "and say why in the commit."
        )


if __name__ == "__main__":
    main()

"""How fast a tower of gears runs, by grains and by gears: python examples/gear_sweep.py [FOLDER] [--device cpu] ...

The performance scene of Millard et al. 2023, figure 9: speed-up over real time against the number of bodies, and of particles. A
tower of 8 gears is filled with more and more grains, and as many grains go round in higher and higher towers; all gears turn as fast as they
can. FOLDER gets gear_sweep.json and gear_sweep.png.
"""

import argparse
import json
import time
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np

import talus
from talus.envs.gear_tower import GearTowerVector

matplotlib.use("agg")
from matplotlib import pyplot

options = argparse.ArgumentParser(description="Speed of GearTower by grains and by gears.")
options.add_argument("folder", nargs="?", type=Path, default=Path("."))
options.add_argument("--grains", type=int, nargs="+", default=[1000, 2000, 4000, 8000, 16_000], help="in the tower of --tower gears")
options.add_argument("--tower", type=int, default=8)
options.add_argument("--gears", type=int, nargs="+", default=[2, 4, 8, 16, 32], help="among --filling grains")
options.add_argument("--filling", type=int, default=4000)
options.add_argument("--steps", type=int, default=5, help="of 0.1 s that are timed at once, after 5 that are not")
options.add_argument("--rounds", type=int, default=3, help="over all towers; the fastest counts, the others were disturbed")
options.add_argument("--device", default="cpu")
args = options.parse_args()


class Tower:
    """A tower at work."""

    def __init__(self, gears: int, grains: int) -> None:
        self.gears, self.grains = gears, grains
        self.env = GearTowerVector(1, gears=gears, grains=grains, device=args.device)
        self.env.reset(seed=0)
        self.turn(5)
        self.seconds = float("inf")

    def turn(self, steps: int) -> None:
        for _ in range(steps):
            self.env.step(np.ones((1, self.gears)))

    def time(self) -> None:
        start = time.perf_counter()
        self.turn(args.steps)
        self.seconds = min(self.seconds, time.perf_counter() - start)

    def row(self) -> dict[str, float]:
        simulated = args.steps * self.env.control
        steps = args.steps * self.env.steps_per_action
        return {
            "gears": self.gears,
            "grains": self.grains,
            "speedup": round(simulated / self.seconds, 4),
            "ms_per_step": round(1000.0 * self.seconds / steps, 3),
        }


def draw(told: dict[str, Any], file: Path) -> None:
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(9, 3.2), layout="constrained", sharey=True)
    for panel, name, by in ((left, "by_gears", "gears"), (right, "by_grains", "grains")):
        panel.plot([row[by] for row in told[name]], [row["speedup"] for row in told[name]], marker="o")
        panel.axhline(1.0, color="0.5", linestyle="--", label="real time")
        panel.set(xlabel=by, yscale="log")
    left.set(title=f"{args.filling} grains", ylabel=f"speed-up over real time, {told['device']}")
    right.set(title=f"{args.tower} gears", xscale="log")
    left.legend()
    figure.savefig(file, dpi=90)


towers = {
    "by_gears": [Tower(gears, args.filling) for gears in args.gears],
    "by_grains": [Tower(args.tower, grains) for grains in args.grains],
}
for _ in range(args.rounds):  # all of them by turns: what else the machine does hits none alone
    for tower in sum(towers.values(), []):
        tower.time()
env = towers["by_gears"][0].env
told: dict[str, Any] = {"talus": talus.__version__, "device": env.worlds.device, "dt_s": env.worlds.scene.dt, "simulated_s": args.steps * env.control}
told |= {name: [tower.row() for tower in those] for name, those in towers.items()}
print("| gears | grains | speed-up over real time | ms per step of the scene |")
print("|---|---|---|---|")
for row in told["by_gears"] + told["by_grains"]:
    print(f"| {row['gears']} | {row['grains']} | {row['speedup']:.3f} | {row['ms_per_step']:.1f} |")
args.folder.mkdir(parents=True, exist_ok=True)
(args.folder / "gear_sweep.json").write_text(json.dumps(told, indent=1) + "\n")
draw(told, args.folder / "gear_sweep.png")

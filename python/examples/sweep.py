"""The angle of repose by friction: python examples/sweep.py [FOLDER] [--friction 0.1 0.3 ...] [--seeds 2] [--dask]

A tube full of grains stands on a rough floor and is lifted; what flows out makes a heap. Each friction is simulated with several
seeds, in one process per core, or by the workers of a local Dask cluster. FOLDER keeps each run, so that the script goes on where it was
interrupted, and gets angles.csv and, with matplotlib, angles.png. The script needs pandas.
"""

import argparse
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

import talus

RADIUS, TUBE, HEIGHT = 0.01, 0.1, 0.5  # of a grain, of the inside of the tube, of the tube [m]
SETTLED, LIFTED = 0.4, 2.4  # when the tube starts to rise, and when it stops [s]
SPEED = 0.1  # of the tube [m/s]
GRAIN = "material.grain.friction"


def lifted_cylinder(count: int) -> talus.Scene:
    scene = talus.Scene({"scene": {"title": "A lifted cylinder"}, "time": {"dt": 0.004, "end": LIFTED + 0.6}})
    scene.set("domain", min=[-0.5, -0.5, 0.0], max=[0.5, 0.5, 0.8], rough=True)
    scene.add_material(name="grain", density=2500.0, rolling_friction=0.1)
    fill = {"cylinder": {"base": [0.0, 0.0, 0.0], "radius": TUBE, "height": HEIGHT}}
    scene.add_grains(material="grain", radius=[0.9 * RADIUS, 1.1 * RADIUS], count=count, fill=fill)
    wall = {"cylinder": {"radius": TUBE + 2.0 * RADIUS, "height": HEIGHT}}
    hole = {"cylinder": {"radius": TUBE, "height": 2.0 * HEIGHT}, "subtract": True}
    rise = [(0.0, 0.0), (SETTLED, 0.0), (LIFTED, SPEED * (LIFTED - SETTLED))]
    scene.add_body(
        name="tube",
        parts=[wall, hole],
        position=[0.0, 0.0, 0.5 * HEIGHT],
        interpolation="linear",
        keyframes=[{"time": time, "position": [0.0, 0.0, z]} for time, z in rise],
    )
    return scene


def heap(sim: talus.Simulation) -> dict[str, float]:
    """Columns of the table: the angle of the flank [degrees], and the number of grains that still move."""
    speed = np.linalg.norm(sim.grains().velocity, axis=1)
    return {"angle": talus.plot.heap_profile(sim, width=3.0 * RADIUS).angle, "moving": int((speed > 0.01).sum())}


def main() -> Any:
    options = argparse.ArgumentParser(description="The angle of repose by friction.")
    options.add_argument("folder", nargs="?", type=Path, default=Path("sweep"))
    options.add_argument("--friction", type=float, nargs="+", default=[0.1, 0.2, 0.3, 0.5, 0.8])
    options.add_argument("--seeds", type=int, default=2)
    options.add_argument("--grains", type=int, default=1000)
    options.add_argument("--dask", action="store_true", help="the workers of a local Dask cluster run the simulations")
    args = options.parse_args()

    grid = {GRAIN: args.friction, "scene.seed": range(1, args.seeds + 1)}
    with ExitStack() as stack:
        executor = None
        if args.dask:
            from distributed import Client, LocalCluster

            cluster = stack.enter_context(LocalCluster(threads_per_worker=1, dashboard_address=None))
            executor = stack.enter_context(stack.enter_context(Client(cluster)).get_executor())
        table = talus.sweep(lifted_cylinder(args.grains), grid, executor=executor, folder=args.folder / "runs", measure=heap)
    table.drop(columns="report").to_csv(args.folder / "angles.csv", index=False)
    angles = table.groupby(GRAIN)["angle"].agg(["mean", "std"])
    print(angles.round(1))
    if find_spec("matplotlib"):
        from matplotlib.figure import Figure

        figure = Figure(figsize=(5.0, 3.2), layout="constrained")
        axes = figure.subplots()
        axes.plot(table[GRAIN], table["angle"], "o", label="runs")
        axes.plot(angles.index, angles["mean"], label="mean")
        axes.set(xlabel="friction", ylabel="angle of the flank [degrees]")
        axes.legend()
        figure.savefig(args.folder / "angles.png", dpi=90)
    return table


if __name__ == "__main__":
    main()

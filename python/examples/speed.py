"""How many steps of Bulldozing a device does in a second: python examples/speed.py --device cpu --device llvmpipe

A step is 0.1 s of one environment. The vehicles drive ahead, so that they are in the gravel for most of the time.
"""

import argparse
import time

import numpy as np

from talus.envs.bulldozing import BulldozingVector

options = argparse.ArgumentParser(description="Environment steps per second of Bulldozing.")
options.add_argument("--device", action="append", help="any number of times; as talus.devices() lists them. Default: cpu")
options.add_argument("--worlds", type=int, nargs="+", default=[1, 4, 16, 64])
options.add_argument("--grains", type=int, nargs="+", default=[2000, 10_000])
options.add_argument("--steps", type=int, default=40, help="that are timed, after 5 that are not")
args = options.parse_args()


def rate(device: str, grains: int, worlds: int) -> tuple[float, float, str]:
    """Steps of all environments per s, simulated time by real time, and the name of the device."""
    env = BulldozingVector(worlds, grains=grains, device=device)
    env.reset(seed=0)
    ahead = np.tile([1.0, 0.0], (worlds, 1))
    for _ in range(5):
        env.step(ahead)
    start = time.perf_counter()
    for _ in range(args.steps):
        env.step(ahead)
    seconds = time.perf_counter() - start
    name = env.worlds.device
    env.close()
    return worlds * args.steps / seconds, 0.1 * args.steps / seconds, name


print("| device | grains | worlds | environment steps per s | simulated s per s, each |")
print("|---|---|---|---|---|")
for device in args.device or ["cpu"]:
    for grains in args.grains:
        for worlds in args.worlds:
            steps, pace, name = rate(device, grains, worlds)
            print(f"| {name} | {grains} | {worlds} | {steps:.1f} | {pace:.2f} |", flush=True)

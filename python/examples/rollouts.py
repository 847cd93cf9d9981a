"""Episodes of an environment in the workers of Dask, or of Ray: python examples/rollouts.py [--episodes 8] [--ray]

Each worker has an environment of its own, and an episode with a seed is the same in any of them. Dask starts its workers on this
machine here; Client("tcp://HOST:8786") and ray.init(address="HOST:6379") use those of a cluster, on which Talus is installed.
"""

import argparse
from functools import partial

import numpy as np

from talus.envs.bulldozing import Bulldozing


def rollout(seed: int, grains: int, steps: int) -> float:
    """The return of a bulldozer that drives ahead and steers by chance."""
    env = Bulldozing(grains=grains, device="cpu", threads=1)
    env.reset(seed=seed)
    steering = np.random.default_rng(seed).uniform(-0.3, 0.3, steps)
    return float(sum(env.step(np.array([1.0, turn], np.float32))[1] for turn in steering))


def main() -> list[float]:
    options = argparse.ArgumentParser(description="Episodes of an environment in the workers of Dask, or of Ray.")
    options.add_argument("--episodes", type=int, default=8)
    options.add_argument("--grains", type=int, default=300)
    options.add_argument("--steps", type=int, default=100, help="of 0.1 s each")
    options.add_argument("--ray", action="store_true", help="Ray's workers, in place of Dask's")
    args = options.parse_args()

    episode = partial(rollout, grains=args.grains, steps=args.steps)
    returns: list[float]
    if args.ray:
        import ray

        ray.init()
        returns = ray.get([ray.remote(rollout).remote(seed, args.grains, args.steps) for seed in range(args.episodes)])
    else:
        from distributed import Client, LocalCluster

        with LocalCluster(threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
            returns = client.gather(client.map(episode, range(args.episodes)))
    for seed, total in enumerate(returns):
        print(f"seed {seed}: return {total:.2f}")
    return returns


if __name__ == "__main__":
    main()

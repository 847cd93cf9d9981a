"""Model-predictive control by forks: python examples/plan.py [--candidates 15] [--grains 300] ...

World 0 of a Bulldozing environment acts. To plan, its state is saved and forked into all other worlds, each world tries
a random plan, and world 0 goes back and begins on the best one. Prints the return of that beside those of random actions.
"""

import argparse

import numpy as np

from talus.envs.bulldozing import BulldozingVector

options = argparse.ArgumentParser(description="Model-predictive control of a bulldozer, by forks of its world.")
options.add_argument("--candidates", type=int, default=15, help="plans tried at a time, beside what is left of the last")
options.add_argument("--horizon", type=int, default=24, help="length of a plan [steps of the environment]")
options.add_argument("--hold", type=int, default=8, help="steps that an action of a plan lasts for; then it plans anew")
options.add_argument("--grains", type=int, default=300)
options.add_argument("--episode", type=float, default=12.0, help="[s]")
options.add_argument("--device", default="cpu")
options.add_argument("--seed", type=int, default=0)
args = options.parse_args()

worlds = 1 + args.candidates
env = BulldozingVector(worlds, grains=args.grains, episode=args.episode + 0.1 * args.horizon, device=args.device)
steps = round(args.episode / env.control)
pieces = -(-args.horizon // args.hold)
random = np.random.default_rng(args.seed)


def plans(count: int) -> np.ndarray:
    """Random ones, [count, pieces, 2]: forward rather than back, turns either way."""
    forward, turn = random.uniform((-1.0, -1.0), (2.0, 1.0), (count, pieces, 2)).transpose(2, 0, 1)
    return np.stack([np.minimum(forward, 1.0), turn], axis=-1)


def attempt(tried: np.ndarray) -> np.ndarray:
    """Returns of plans [worlds, pieces, 2], one in each world."""
    total = np.zeros(worlds)
    for step in range(args.horizon):
        total += env.step(tried[:, step // args.hold])[1]
    return total


def episode_by_plans() -> float:
    env.reset(seed=[args.seed] * worlds)
    left = np.zeros((1, pieces, 2))
    total = 0.0
    for step in range(0, steps, args.hold):
        env.save(0)
        env.fork(0, range(1, worlds))
        tried = np.concatenate([plans(args.candidates), left])  # of equals the first: where nothing pays it roams
        best = tried[attempt(tried).argmax()]
        env.restore(range(worlds))
        for _ in range(min(args.hold, steps - step)):
            _, rewards, _, _, info = env.step(np.tile(best[0], (worlds, 1)))
            total += rewards[0]
        left = np.roll(best, -1, axis=0)[None]
        left[:, -1] = best[-1]
        print(f"{(step + args.hold) * env.control:5.1f} s  reward {rewards[0]:6.2f}  {info['goal'][0]:4.0%} in the goal box")
    return total


def episodes_of_random_actions() -> np.ndarray:
    """Of the same heap and start, in all worlds at once."""
    env.reset(seed=[args.seed] * worlds)
    env.action_space.seed(args.seed)
    return sum((env.step(env.action_space.sample())[1] for _ in range(steps)), np.zeros(worlds))


planned, blind = episode_by_plans(), episodes_of_random_actions()
print(f"return with plans {planned:.1f}, with random actions {blind.mean():.1f} on average, {blind.max():.1f} at best")
env.close()

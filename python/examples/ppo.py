"""A bulldozer learns to push gravel into a box: python examples/ppo.py [FOLDER] [--steps 115200] [--minutes 60] ...

PPO (Schulman et al. 2017) by stable-baselines3, on worlds of Bulldozing that step together; python/README.md says what to install. The
curve goes to FOLDER as learning.json, with seed, steps and time, and as learning.png.

The world is small: 200 grains, episodes of 30 s, 60 actions of 0.5 s. A return is the sum of the environment's own 60 rewards;
nothing is added to them. PPO learns from them divided by a running deviation (VecNormalize), which changes no order of policies.
The curve is of other episodes than those learnt from: 16, the same each time, by the mean of what the policy draws from. Random
actions, and one that is always straight ahead, play the same episodes.
"""

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import matplotlib
import numpy as np
import stable_baselines3
import torch
from gymnasium import spaces
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import VecEnv, VecNormalize

import talus
from talus.envs.bulldozing import BulldozingVector

matplotlib.use("agg")
from matplotlib import pyplot

options = argparse.ArgumentParser(description="Learns Bulldozing by PPO, and draws the curve.")
options.add_argument("folder", nargs="?", type=Path, default=Path("."))
options.add_argument("--steps", type=int, default=115_200, help="to learn from, of all worlds together")
options.add_argument("--minutes", type=float, default=60.0, help="of CPU time, all threads together; then it stops")
options.add_argument("--every", type=int, default=7680, help="steps between two points of the curve")
options.add_argument("--worlds", type=int, default=32)
options.add_argument("--grains", type=int, default=200)
options.add_argument("--seed", type=int, default=0)
options.add_argument("--device", default="cpu")
options.add_argument("--policy", type=Path, help="file to keep the policy in, for stable_baselines3.PPO.load")
args = options.parse_args()

EPISODE, CONTROL = 30.0, 0.5  # s
ACTIONS = round(EPISODE / CONTROL)
TRIALS, TRIAL_SEED = 16, 1_000_000  # episodes of the curve: this seed and those that follow


def make(worlds: int) -> BulldozingVector:
    return BulldozingVector(worlds, grains=args.grains, episode=EPISODE, control=CONTROL, device=args.device)


def pooled(images: np.ndarray, size: int) -> np.ndarray:
    """Means of size x size pixels, [worlds, pixels]."""
    worlds, height, width = images.shape
    means: np.ndarray = images.reshape(worlds, height // size, size, width // size, size).mean(axis=(2, 4))
    return means.reshape(worlds, -1)


def compact(observation: dict[str, np.ndarray]) -> np.ndarray:
    """What the policy sees, float32 [worlds, 202], each about -1 .. 1: the pose, heights on the ground, depths ahead."""
    x, y, yaw = observation["pose"].T
    pose = np.stack([x / 2.0, y, np.cos(yaw), np.sin(yaw)], axis=1)
    heights = 10.0 * (1.0 - pooled(observation["sky"], 4))
    return np.concatenate([pose, heights, pooled(observation["ego"], 6) / 4.0], axis=1).astype(np.float32)


class CompactWorlds(VecEnv):
    """A vector environment of Gymnasium that resets in the same step, as stable-baselines3 wants it."""

    def __init__(self, env: BulldozingVector) -> None:
        self.env = env
        assert isinstance(env.observation_space, spaces.Dict)
        seen = compact({key: np.zeros(space.shape or ()) for key, space in env.observation_space.items()}).shape[1:]
        super().__init__(env.num_envs, spaces.Box(-np.inf, np.inf, seen), env.single_action_space)

    def reset(self) -> np.ndarray:
        return compact(self.env.reset(seed=self._seeds[0])[0])

    def step_async(self, actions: np.ndarray) -> None:
        self.actions = actions

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        observation, rewards, terminated, truncated, info = self.env.step(self.actions)
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for world in np.flatnonzero(terminated | truncated):
            last = compact({key: value[None] for key, value in info["final_obs"][world].items()})[0]
            infos[world] = {"terminal_observation": last, "TimeLimit.truncated": not terminated[world]}
        return compact(observation), rewards.astype(np.float32), terminated | truncated, infos

    def close(self) -> None:
        self.env.close()

    # The rest that a VecEnv has: worlds are no objects of their own.

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        return [getattr(self.env, attr_name)] * len(list(self._get_indices(indices)))

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        raise NotImplementedError("all worlds are one simulation")

    def env_method(self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any) -> list[Any]:
        raise NotImplementedError("all worlds are one simulation")

    def env_is_wrapped(self, wrapper_class: type, indices: Any = None) -> list[bool]:
        return [False] * len(list(self._get_indices(indices)))


Act = Callable[[dict[str, np.ndarray]], np.ndarray]


class Trials:
    """Plays the episodes of the curve, and tells return and share of grains in the goal box at the end of each."""

    def __init__(self) -> None:
        self.env = make(TRIALS)

    def __call__(self, act: Act) -> dict[str, list[float]]:
        observation, _ = self.env.reset(seed=TRIAL_SEED)
        returns = np.zeros(TRIALS)
        for _ in range(ACTIONS):
            observation, rewards, _, _, info = self.env.step(act(observation))
            returns += rewards
        return {"returns": returns.round(2).tolist(), "goal": info["final_info"]["goal"].round(4).tolist()}

    def random(self) -> dict[str, list[float]]:
        self.env.action_space.seed(args.seed)
        return self(lambda _: self.env.action_space.sample())

    def ahead(self) -> dict[str, list[float]]:
        return self(lambda _: np.tile([1.0, 0.0], (TRIALS, 1)))


class Curve(BaseCallback):
    """Measures now and then, and stops when the CPU time is spent."""

    def __init__(self, trials: Trials) -> None:
        super().__init__()
        self.trials = trials
        self.points: list[dict[str, Any]] = []
        self.began = time.perf_counter(), time.process_time()

    def _on_step(self) -> bool:
        return time.process_time() - self.began[1] < 60.0 * float(args.minutes)

    def _on_rollout_start(self) -> None:
        if self.num_timesteps >= args.every * len(self.points):
            self.measure()

    def measure(self) -> None:
        point = self.trials(lambda observation: self.model.predict(compact(observation), deterministic=True)[0])
        wall, cpu = time.perf_counter() - self.began[0], time.process_time() - self.began[1]
        self.points.append({"steps": self.num_timesteps, "wall_s": round(wall, 1), "cpu_s": round(cpu, 1), **point})
        print(
            f"{self.num_timesteps:7} steps, {cpu / 60:4.1f} CPU minutes: return {np.mean(point['returns']):7.1f}, "
            f"{np.mean(point['goal']):4.0%} in the goal box",
            flush=True,
        )


def draw(told: dict[str, Any], file: Path) -> None:
    steps = [point["steps"] for point in told["curve"]]
    figure, axes = pyplot.subplots(1, 2, figsize=(9, 3.2), layout="constrained")
    for panel, key, scale, label in zip(axes, ("returns", "goal"), (1, 100), ("return", "grains in the goal box [%]")):
        values = scale * np.array([point[key] for point in told["curve"]])
        panel.fill_between(steps, values.min(axis=1), values.max(axis=1), alpha=0.2, label="least to most")
        panel.plot(steps, values.mean(axis=1), label=f"PPO, mean of {TRIALS} episodes")
        panel.axhline(scale * np.mean(told["ahead"][key]), color="0.5", linestyle="--", label="straight ahead, mean")
        panel.axhline(scale * np.mean(told["random"][key]), color="k", linestyle=":", label="random actions, mean")
        panel.set(xlabel=f"steps of {CONTROL} s", ylabel=label)
    axes[0].legend(fontsize="small")
    figure.savefig(file, dpi=90)


torch.set_num_threads(1)  # more than one lose, for nets this small
trials = Trials()
told: dict[str, Any] = {
    "environment": {"grains": args.grains, "episode_s": EPISODE, "control_s": CONTROL, "worlds": args.worlds},
    "seed": args.seed,
    "device": trials.env.worlds.device,
    "versions": {module.__name__: module.__version__ for module in (talus, gymnasium, stable_baselines3, torch)},
    "random": trials.random(),
    "ahead": trials.ahead(),
}
for name in ("random", "ahead"):
    print(f"{name}: return {np.mean(told[name]['returns']):.1f}, {np.mean(told[name]['goal']):.0%} in the goal box", flush=True)

model = PPO(
    "MlpPolicy",
    VecNormalize(CompactWorlds(make(args.worlds)), norm_obs=False, gamma=0.98),
    n_steps=ACTIONS,  # of each world before it learns: an episode
    batch_size=480,
    gamma=0.98,  # of 0.5 s
    policy_kwargs={"log_std_init": -0.5},
    seed=args.seed,
    device="cpu",
)
curve = Curve(trials)
model.learn(args.steps, callback=curve)
curve.measure()
told["curve"] = curve.points
args.folder.mkdir(parents=True, exist_ok=True)
if args.policy:
    model.save(args.policy)
(args.folder / "learning.json").write_text(json.dumps(told, indent=1) + "\n")
draw(told, args.folder / "learning.png")
print("written:", args.folder / "learning.json", args.folder / "learning.png")

"""A bulldozer learns: the cross-entropy method on worlds that step together. Writes learning.png to the current folder.

Cells begin with # %%: open the file in VS Code or PyCharm, or as a notebook with Jupytext, or run it with python. ppo.py learns the
same environment by reinforcement learning, with a policy that sees.
"""

# %% [markdown]
# # A bulldozer learns
# `talus/Bulldozing-v0` pushes gravel into a goal box. `gymnasium.make_vec` makes as many environments as are asked for; they are
# worlds of one simulation and step together.

# %%
import gymnasium
import numpy as np
from matplotlib import pyplot

import talus  # registers the environments

WORLDS, GRAINS = 12, 100
EPISODE, CONTROL = 12.0, 0.5  # s
PIECES = 4  # an episode is so many pieces, in each of which the two actions stay the same
ELITE, ROUNDS, SEED = 4, 5, 0

envs = gymnasium.make_vec("talus/Bulldozing-v0", num_envs=WORLDS, grains=GRAINS, episode=EPISODE, control=CONTROL)
print(envs)
print("actions", envs.single_action_space)
print("observations", envs.single_observation_space)
ACTIONS = round(EPISODE / CONTROL)

# %% [markdown]
# ## What is learnt
# A plan holds forward speed and yaw rate for each piece of the episode. All worlds begin with the same heap and the same
# place of the vehicle, so that plans can be compared.

# %%
def returns_of(plans: np.ndarray) -> np.ndarray:
    """Returns of plans [WORLDS, PIECES, 2], one in each world, float64 [WORLDS]."""
    envs.reset(seed=[SEED] * WORLDS)  # type: ignore[arg-type]  # Gymnasium's own environments take a list, too
    total = np.zeros(WORLDS)
    for step in range(ACTIONS):
        total += envs.step(plans[:, step * PIECES // ACTIONS])[1]
    return total


# %% [markdown]
# ## The cross-entropy method
# Plans are drawn from a normal distribution. It begins around half speed straight ahead, and the best
# plans of a round are what the next ones are drawn around (Rubinstein 1999).

# %%
random = np.random.default_rng(SEED)
mean, deviation = np.tile([0.5, 0.0], (PIECES, 1)), np.full((PIECES, 2), 0.7)
best = mean  # plan so far
curve = []
for round_ in range(ROUNDS):
    plans = np.clip(random.normal(mean, deviation, (WORLDS, PIECES, 2)), -1.0, 1.0)
    plans[0] = best
    returns = returns_of(plans)
    order = np.argsort(-returns)
    best, elite = plans[order[0]], plans[order[:ELITE]]
    mean, deviation = elite.mean(axis=0), elite.std(axis=0) + 0.1
    curve.append((returns.min(), returns.mean(), returns.max()))
    print(f"round {round_ + 1}: returns {returns.min():.0f} .. {returns.max():.0f}, mean {returns.mean():.0f}")
envs.close()

# %% [markdown]
# ## How it went
# The best return does not fall, since the best plan is tried again, and the same plan gives the same bits.

# %%
least, average, most = np.transpose(curve)
rounds = np.arange(1, ROUNDS + 1)
figure, axes = pyplot.subplots(figsize=(6, 3.5), layout="constrained")
axes.fill_between(rounds, least, most, alpha=0.2, label="least to most")
axes.plot(rounds, average, label=f"mean of {WORLDS} plans")
axes.set(xlabel="round", ylabel="return", xticks=rounds)
axes.legend()
figure.savefig("learning.png", dpi=90)
print(f"best plan, forward speed and yaw rate:\n{best.round(2)}")

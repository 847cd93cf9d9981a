import re
from pathlib import Path

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode

import talus
from talus.envs import ENTRIES

# Worlds that are small enough for tests.
SMALL = {
    "talus/Bulldozing-v0": {"grains": 150},
    "talus/Excavation-v0": {"grains": 150},
    "talus/GearTower-v0": {"gears": 2, "grains": 100},
    "talus/SiteExcavation-v0": {"radius": 0.08},
}


def small(name, **settings):
    return gym.make(name, device="cpu", **(SMALL[name] | settings))


def small_vector(name, count, **settings):
    return gym.make_vec(name, num_envs=count, device="cpu", **(SMALL[name] | settings))


def play(env, steps, seed):
    """Observations, rewards and info of an episode of random actions."""
    told = [env.reset(seed=seed)]
    env.action_space.seed(seed)
    for _ in range(steps):
        told.append(env.step(env.action_space.sample()))
    return told


def same(a, b):
    """Nested dicts, tuples, arrays and numbers, bit for bit."""
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, (tuple, list)):
        return len(a) == len(b) and all(map(same, a, b))
    return np.array_equal(a, b)


def finite(values):
    if isinstance(values, dict):
        return all(map(finite, values.values()))
    return np.isfinite(values).all()


def test_every_environment_is_tried_here():
    assert SMALL.keys() == ENTRIES.keys()
    talus.register()  # once more does no harm
    assert all(name in gym.registry for name in ENTRIES)


@pytest.fixture(params=ENTRIES)
def name(request):
    return request.param


@pytest.mark.filterwarnings("default")  # the checker's advice is about pictures and names
def test_the_checker_passes(name):
    check_env(small(name).unwrapped, skip_render_check=True)


def test_environments_print_what_they_are():
    env = small("talus/Bulldozing-v0", episode=3.0, control=0.5).unwrapped
    assert repr(env) == "Bulldozing(grains=150, device='CPU', control=0.5 s, episode=3 s)"
    envs = small_vector("talus/GearTower-v0", 2)
    assert repr(envs) == "GearTowerVector(num_envs=2, grains=100, device='CPU', control=0.1 s, episode=20 s)"
    assert repr(envs.worlds).startswith("Worlds(2, Simulation('Gear tower', device='CPU', grains=200, ")


def test_a_seed_repeats_an_episode_bit_for_bit(name):
    env = small(name)
    first = play(env, 12, seed=3)
    assert same(first, play(env, 12, seed=3))
    assert same(first, play(small(name), 12, seed=3))
    assert not same(first, play(env, 12, seed=4))
    again = env.reset()  # goes on with the random numbers: another episode
    assert not same(first[0][0], again[0])


def test_a_world_among_others_does_what_it_does_alone(name):
    alone = small(name)
    worlds = small_vector(name, 3)
    worlds.action_space.seed(0)
    all_told = [worlds.reset(seed=10)]
    actions = [worlds.action_space.sample() for _ in range(8)]
    all_told += [worlds.step(action) for action in actions]
    for w in range(3):
        told = [alone.reset(seed=10 + w)] + [alone.step(action[w]) for action in actions]
        for one, many in zip(told, all_told):
            assert same(one[0], {key: value[w] for key, value in many[0].items()})
            if len(one) == 5:
                assert one[1] == many[1][w]
            assert same(one[-1], {key: value[w] for key, value in many[-1].items() if not key.startswith("_")})


def test_an_episode_that_ends_starts_anew_in_the_same_step(name):
    worlds = small_vector(name, 2, episode=0.5)
    assert worlds.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    steps = round(0.5 / worlds.control)
    start, _ = worlds.reset(seed=1)
    stay = np.zeros(worlds.action_space.shape)
    for _ in range(steps - 1):
        *_, truncated, info = worlds.step(stay)
        assert not truncated.any() and "final_obs" not in info
    observation, _, terminated, truncated, info = worlds.step(stay)
    assert truncated.all() and not terminated.any()
    assert info["_final_obs"].all() and info["_final_info"].all()
    final = {key: np.stack([one[key] for one in info["final_obs"]]) for key in observation}
    assert worlds.observation_space.contains(final)
    assert not same(final, observation) and not same(start, observation)
    assert info["final_info"].keys() == {key for key in info if "final" not in key}
    *_, truncated, info = worlds.step(stay)
    assert not truncated.any() and "final_obs" not in info


def test_an_episode_that_ends_does_not_touch_the_others(name):
    told = {}
    for episode in (0.5, 2.0):
        worlds = small_vector(name, 2, episode=episode)
        actions = np.full(worlds.action_space.shape, 0.5)
        worlds.reset(seed=1)
        worlds.step(actions)
        worlds.reset(seed=4, options={"reset_mask": np.array([True, False])})
        for _ in range(round(0.5 / worlds.control) - 1):
            told[episode] = worlds.step(actions)
    ended, going = told[0.5], told[2.0]
    assert ended[3].tolist() == [False, True] == ended[4]["_final_obs"].tolist()
    assert "final_obs" not in going[4]
    assert same({k: v[0] for k, v in ended[0].items()}, {k: v[0] for k, v in going[0].items()})
    assert same(ended[1], going[1])
    assert same(ended[4]["final_obs"][1], {k: v[1] for k, v in going[0].items()})
    info = {k: v for k, v in going[4].items() if not k.startswith("_")}
    assert same({k: ended[4][k][0] for k in info}, {k: v[0] for k, v in info.items()})
    assert same({k: ended[4]["final_info"][k][1] for k in info}, {k: v[1] for k, v in info.items()})


def test_without_autoreset_a_mask_says_which_start_anew(name):
    worlds = small_vector(name, 3, episode=0.5, autoreset_mode=AutoresetMode.DISABLED)
    assert worlds.metadata["autoreset_mode"] is AutoresetMode.DISABLED
    actions = np.full(worlds.action_space.shape, 0.5)
    with pytest.raises(gym.error.ResetNeeded):
        worlds.step(actions)
    worlds.reset(seed=1)
    before = worlds.step(actions)[0]
    mask = np.array([False, True, False])
    reset, info = worlds.reset(seed=[None, 2, None], options={"reset_mask": mask})
    assert (info["_" + next(iter(info))] == mask).all()
    assert same({k: v[~mask] for k, v in before.items()}, {k: v[~mask] for k, v in reset.items()})
    assert same({k: v[1] for k, v in reset.items()}, small(name).reset(seed=2)[0])
    for _ in range(round(0.5 / worlds.control) - 1):
        *_, truncated, _ = worlds.step(actions)
    assert (truncated == ~mask).all()
    with pytest.raises(gym.error.ResetNeeded):
        worlds.step(actions)
    worlds.reset(options={"reset_mask": ~mask})
    worlds.step(actions)
    for wrong in ([True] * 3, np.ones(2, dtype=bool), np.zeros(3, dtype=bool)):
        with pytest.raises(ValueError, match="reset_mask"):
            worlds.reset(options={"reset_mask": wrong})
    with pytest.raises(ValueError, match="SAME_STEP or DISABLED"):
        small_vector(name, 2, autoreset_mode=AutoresetMode.NEXT_STEP)


def test_a_thousand_random_steps_stay_finite(name):
    worlds = small_vector(name, 1, control=0.02, episode=8.0)
    worlds.action_space.seed(5)
    worlds.reset(seed=5)
    for _ in range(1000):
        observation, reward, terminated, truncated, info = worlds.step(worlds.action_space.sample())
        assert worlds.observation_space.contains(observation)
        assert np.isfinite(reward).all()
        assert finite({key: value for key, value in info.items() if "final" not in key})


def of_world(told, w):
    """What step() told of one environment as it stands now."""
    observation, *rest, info = told
    info = {key: value[w] for key, value in info.items() if "final" not in key and not key.startswith("_")}
    return [{key: value[w] for key, value in observation.items()}, *(value[w] for value in rest), info]


def test_a_fork_goes_on_as_what_it_was_forked_from(name):
    worlds = small_vector(name, 3, episode=0.5)
    worlds.action_space.seed(2)
    worlds.reset(seed=7)
    told = [worlds.step(worlds.action_space.sample()) for _ in range(2)][-1]
    assert not same(of_world(told, 0), of_world(told, 1))
    worlds.fork(0, [1])
    for _ in range(worlds.episode_steps):  # into the next episode
        action = worlds.action_space.sample()
        action[1] = action[0]
        told = worlds.step(action)
        assert same(of_world(told, 0), of_world(told, 1))
        assert not same(of_world(told, 0), of_world(told, 2))
    worlds.fork(0, [1])
    told = worlds.step(worlds.action_space.sample())
    assert not same(of_world(told, 0), of_world(told, 1))  # whose ways part again
    with pytest.raises(ValueError, match="no environment 3"):
        worlds.fork(3, [0])
    with pytest.raises(ValueError, match="no world 3"):
        worlds.fork(0, [3])


def test_what_was_saved_comes_back_as_often_as_one_likes(name):
    worlds = small_vector(name, 2)
    with pytest.raises(gym.error.ResetNeeded):
        worlds.save(0)
    worlds.reset(seed=7)
    with pytest.raises(ValueError, match="no environment was saved"):
        worlds.restore([0])
    worlds.action_space.seed(2)
    action = worlds.action_space.sample()
    worlds.step(action)
    worlds.save(0)
    then = worlds.step(action)
    again = np.stack([action[0], action[0]])
    for _ in range(2):
        worlds.step(again[::-1] * 0.5)
        worlds.restore([0, 1])
        told = worlds.step(again)
        assert same(of_world(told, 0), of_world(then, 0))
        assert same(of_world(told, 1), of_world(then, 0))


def test_wrong_actions_are_refused(name):
    worlds = small_vector(name, 2)
    worlds.reset(seed=0)
    with pytest.raises(ValueError, match="shape"):
        worlds.step(np.zeros(worlds.single_action_space.shape))
    with pytest.raises(ValueError, match="finite"):
        worlds.step(np.full(worlds.action_space.shape, np.nan))


def test_an_action_of_another_shape_names_the_shape_of_one_environment(name):
    env = small(name, disable_env_checker=True)
    env.reset(seed=0)
    shape = env.action_space.shape
    for wrong in (0.5, np.zeros(shape[0] + 1), np.zeros((1, *shape))):
        with pytest.raises(ValueError, match=re.escape(f"action: an array of shape {shape}, not {np.shape(wrong)}")):
            env.step(wrong)
    env.step(np.zeros(shape))


@pytest.mark.parametrize("key", ["control", "episode"])
@pytest.mark.parametrize("seconds", [0.0, -1.0, float("nan"), float("inf")])
def test_times_of_an_environment_are_above_0(key, seconds):
    with pytest.raises(ValueError, match=f"{key}: a finite time above 0"):
        small("talus/Bulldozing-v0", **{key: seconds})


def test_autoreset_modes_have_their_names_and_values():
    for mode in (AutoresetMode.DISABLED, "DISABLED", "Disabled"):
        envs = small_vector("talus/Bulldozing-v0", 2, autoreset_mode=mode)
        assert envs.metadata["autoreset_mode"] is AutoresetMode.DISABLED
        flat = gym.wrappers.vector.FlattenObservation(envs)  # which refuses SAME_STEP
        assert flat.reset(seed=0)[0].shape == (2, 3 + 36 * 36 + 36 * 72)
    for mode in ("disabled", None, 3):
        with pytest.raises(ValueError, match=f"autoreset_mode: SAME_STEP or DISABLED, not {mode!r}"):
            small_vector("talus/Bulldozing-v0", 2, autoreset_mode=mode)


def arrays_of(values):
    """The arrays in nested dicts, tuples and arrays of objects."""
    if isinstance(values, np.ndarray) and values.dtype != object:
        return [values]
    parts = values.values() if isinstance(values, dict) else values if isinstance(values, (tuple, list, np.ndarray)) else ()
    return [array for part in parts for array in arrays_of(part)]


def test_what_an_environment_tells_belongs_to_the_caller(name):
    """A replay buffer may keep the arrays, and a learner may write to them."""
    env, spoiled = small_vector(name, 2, episode=0.5), small_vector(name, 2, episode=0.5)
    env.action_space.seed(0)
    kept = []
    for step in range(8):  # and an episode ends on the way
        action = env.action_space.sample()
        told, others = (e.step(action) if step else e.reset(seed=1) for e in (env, spoiled))
        for array, other in zip(arrays_of(told), arrays_of(others), strict=True):
            np.testing.assert_array_equal(other, array)
            kept.append((array, array.copy()))
            other[...] = np.nan if other.dtype.kind == "f" else 0
    for array, then in kept:
        np.testing.assert_array_equal(array, then)


def test_pictures_of_an_environment(name, monkeypatch):
    env = small(name, render_mode="rgb_array")
    env.reset(seed=0)
    picture = env.render()
    assert picture.shape == (480, 640, 3) and picture.dtype == np.uint8 and picture.std() > 5.0
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    window = small(name, render_mode="human")
    window.reset(seed=0)
    import pygame

    shown = pygame.surfarray.array3d(pygame.display.get_surface()).swapaxes(0, 1)
    np.testing.assert_array_equal(shown, picture)
    assert window.render() is None
    window.close()
    assert not pygame.display.get_init()


def test_a_bulldozer_pushes_gravel_and_feels_it():
    env = small("talus/Bulldozing-v0", grains=400, episode=10.0)
    observation, info = env.reset(seed=1)
    assert info["goal"] == 0.0
    assert -1.55 <= observation["pose"][0] <= -1.35
    # Ahead, 36 cm above the ground and 25 degrees down, are the ground and, before it, the heap.
    row = 12
    down = np.sin(np.radians(25.0)) - np.cos(np.radians(25.0)) * (1.0 - (row + 0.5) / 18.0)
    assert observation["ego"][row, 0] == pytest.approx(0.36 / down, abs=1e-3)
    assert 0.3 < observation["ego"][row].min() < 1.5
    assert observation["ego"][:8].min() == 4.0  # nothing
    # From above: the ground, and the vehicle's roof where it is.
    x, y, _ = observation["pose"]
    assert observation["sky"].max() == 1.0
    assert observation["sky"][int(18.0 * (1.0 - y)), int(18.0 * (2.0 + x))] == pytest.approx(0.67, abs=1e-3)
    rewards, pushes, slips = [], [], []
    for _ in range(75):
        x, y, yaw = observation["pose"]
        observation, reward, _, _, info = env.step(np.array([1.0, np.clip(-2.0 * (yaw + y), -1, 1)]))
        rewards.append(reward)
        pushes.append(info["force"][0])
        slips.append(info["slip"].mean())
    assert observation["pose"][0] > 1.0
    assert info["goal"] > 0.05 and rewards[-1] > 0.0 > rewards[0]
    assert min(pushes) < -30.0  # N, back
    assert 0.0 < max(slips) < 1.0
    assert min(slips) == 0.0


# When which joint of the arm is where [s, degrees], to scoop and to empty the scoop into the bin.
SCOOP = {
    0: [(5.0, 0), (6.2, 75)],
    1: [(0, -12.6), (0.8, -12.7), (1.5, -10.2), (2.2, 0.3), (2.7, 0.4), (3.6, -0.4), (4.4, -21.3)],
    3: [(0, -108.7), (0.8, -121.7), (1.5, -129.4), (2.2, -121.4), (2.7, -127.9), (3.6, -139.1), (4.4, -140.7)],
    5: [(0, 86.1), (0.8, 85.9), (1.5, 96.3), (2.2, 110.7), (2.7, 143.2), (3.6, 203.7), (4.4, 186.4)],
    6: [(6.2, 0), (7.8, 140)],
}


def reach_for(observation, time, control):
    """The action that brings the joints to where they should be a step later."""
    from talus.envs.excavation import SPEED

    wanted = np.zeros(7)
    for joint, frames in SCOOP.items():
        wanted[joint] = np.radians(np.interp(time + control, *np.transpose(frames)))
    return np.clip((wanted - observation["joints"]) / control / SPEED, -1.0, 1.0)


def test_an_arm_scoops_into_the_bin_and_feels_the_sand():
    env = small("talus/Excavation-v0", grains=1000)
    worlds = env.unwrapped.worlds_env.worlds
    bodies = [worlds.scene.bodies.index(name) for name in [f"link{k}" for k in range(1, 8)] + ["scoop"]]
    observation, info = env.reset(seed=0)
    total, torques, powers = 0.0, [], []
    for step in range(170):
        observation, reward, _, _, info = env.step(reach_for(observation, 0.05 * step, 0.05))
        total += reward
        torques.append(info["torques"])
        # What the sand does to the links, as they move, is what its torques do at the joints.
        force, torque = (load[0, bodies].astype(float) for load in worlds.loads())
        states = [worlds.body_state(body) for body in bodies]
        speeds = np.radians([worlds.joint_state(body).speed for body in bodies[:7]])
        of_bodies = sum(force[k] @ s.velocity + torque[k] @ s.spin for k, s in enumerate(states))
        powers.append((of_bodies, info["torques"] @ speeds))
    of_bodies, of_joints = np.transpose(powers)
    assert np.abs(of_bodies).max() > 1.0  # W
    assert np.abs(of_bodies - of_joints).max() < 0.03 * np.abs(of_bodies).max()
    assert total == pytest.approx(info["bin"]) and total > 0.1  # kg
    assert np.abs(torques)[:, 1].max() > 5.0  # N m, of the shoulder
    assert 0.0 < observation["bin"][0] < 0.2


def test_an_arm_that_is_too_weak_ends_or_pays(monkeypatch):
    monkeypatch.setattr("talus.envs.excavation.TORQUE", np.full(7, 0.5))
    runs = {}
    for limits in ("ignore", "penalise", "end"):
        env = small("talus/Excavation-v0", grains=300, limits=limits)
        observation, _ = env.reset(seed=0)
        runs[limits] = rewards = []
        for step in range(45):
            observation, reward, ended, _, info = env.step(reach_for(observation, 0.05 * step, 0.05))
            assert ended == (limits == "end" and info["exceeded"])
            rewards.append(reward)
            if ended:
                break
    assert len(runs["ignore"]) == len(runs["penalise"]) == 45 > len(runs["end"])
    assert sum(runs["penalise"]) < sum(runs["ignore"]) - 1.0
    with pytest.raises(ValueError, match="limits"):
        small("talus/Excavation-v0", limits="none")


def test_a_gear_tower_counts_what_goes_round():
    env = small("talus/GearTower-v0")
    env.reset(seed=0)
    total = 0.0
    for _ in range(20):
        observation, reward, *_, info = env.step(np.array([1.0, -1.0]))
        total += reward
        assert info["flow"] * 0.1 == pytest.approx(reward)
    simulation = env.unwrapped.worlds_env.worlds._simulation
    up, down = simulation.periodic_crossings[2]
    assert down > 5
    # The reward knows where grains are at the ends of a step and how fast: of one that falls far and is stopped, it may
    # miss a round.
    assert total == pytest.approx((down - up) / 100.0, abs=0.015)
    assert observation["density"].sum() == pytest.approx(1.0)
    np.testing.assert_allclose(observation["spins"], info["most"] * [1.0, -1.0], rtol=1e-6)
    assert (1.0 <= info["most"]).all() and (info["most"] <= 5.0).all()


def test_tracks_slip_as_much_as_the_ground_yields():
    from talus.envs.tracks import slip

    weight, grip, length, shear = 500.0, 0.7, 0.44, 0.01
    at = slip(np.array([-10.0, 0.0, 1.0, 100.0, 300.0, 1e4]), weight, grip, length, shear)
    assert (at[:2] == 0.0).all() and at[-1] == 1.0 and (np.diff(at[1:]) > 0.0).all()
    i = at[3]
    k = i * length / shear
    assert weight * grip * (1 - (1 - np.exp(-k)) / k) == pytest.approx(100.0, rel=1e-6)


def test_a_scoop_out_of_a_pit_that_is_asked_for_is_rewarded():
    columns = small("talus/SiteExcavation-v0").observation_space["target"].shape
    target = np.full(columns, np.nan)
    y, x = np.meshgrid(*[(np.arange(n) + 0.5) * length / n for n, length in zip(columns, (6.0, 8.0))], indexing="ij")
    target[(abs(x - 5.6) < 1.2) & (abs(y - 2.8) < 0.4)] = -0.4
    env = small("talus/SiteExcavation-v0", target=target)
    seen, info = env.reset(seed=0)
    assert info["volume"] == pytest.approx(0.4 * 48.0 / target.size * np.isfinite(target).sum(), rel=1e-3)
    # Down, towards the machine, up, and aside [degrees] at times [s].
    times = [0.0, 1.2, 2.0, 2.6, 3.2, 3.8, 4.4, 5.2, 7.0]
    angles = np.array(
        [
            [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 60.0],
            [50.0, 29.2, 18.5, 24.5, 30.7, 34.3, 40.0, 61.4, 61.0],
            [-90.0, -40.7, -52.3, -72.3, -92.7, -104.8, -110.5, -99.8, -100.0],
            [-80.0, -50.5, -32.1, -36.2, -36.0, -51.5, -111.6, -145.6, -140.0],
        ]
    )
    total, force = 0.0, 0.0
    for step in range(1, 71):
        wanted = np.array([np.interp(0.1 * step, times, of_joint) for of_joint in angles])
        speeds = (wanted - np.degrees(seen["joints"])) / 0.1
        seen, reward, _, _, now = env.step(np.clip(speeds / 60.0, -1.0, 1.0))
        total += reward
        force = max(force, np.linalg.norm(seen["force"]))
    assert now["moved"] > 0.2  # m3: the bucket holds 0.2
    assert total > 0.1 and total == pytest.approx(info["volume"] - now["volume"])
    assert force > 1000.0  # the bucket carries half a ton


def test_excavation_has_the_arm_of_a_urdf_file(tmp_path):
    pybullet_data = pytest.importorskip("pybullet_data")
    panda = Path(pybullet_data.getDataPath()) / "franka_panda" / "panda.urdf"
    env, plain = small("talus/Excavation-v0", urdf=panda), small("talus/Excavation-v0")
    told, plain_told = play(env, 10, seed=1), play(plain, 10, seed=1)
    assert env.observation_space.contains(told[-1][0])
    worlds = env.unwrapped.worlds_env.worlds
    assert "arm/panda_link7" in worlds.scene.bodies and "arm/panda_hand" not in worlds.scene.bodies
    # The same joints and scoop; another outline of the arm, seen from above.
    np.testing.assert_allclose(told[-1][0]["joints"], plain_told[-1][0]["joints"], atol=0.02)
    places = [sim.body_state(sim.body("scoop")).position for sim in (worlds, plain.unwrapped.worlds_env.worlds)]
    np.testing.assert_allclose(places[0], places[1], atol=0.01)
    assert not np.array_equal(told[-1][0]["sky"], plain_told[-1][0]["sky"])
    assert env.observation_space["torques"].high[0] == 870.0
    assert same(told, play(small("talus/Excavation-v0", urdf=str(panda)), 10, seed=1))

    short = tmp_path / "short.urdf"
    short.write_text('<robot name="r"><link name="a"/></robot>')
    with pytest.raises(ValueError, match="short.urdf has no chain of seven revolute joints"):
        small("talus/Excavation-v0", urdf=short)
    short.write_text(panda.read_text().replace('velocity="2.1750"', "", 1))
    with pytest.raises(ValueError, match="joint panda_joint1 of .* has no limits of velocity"):
        small("talus/Excavation-v0", urdf=short)
    short.write_text(panda.read_text().replace('<axis xyz="0 0 1"/>', '<axis xyz="0 1 0"/>', 1))
    with pytest.raises(ValueError, match="joint panda_joint1 of .* must turn about the z axis"):
        small("talus/Excavation-v0", urdf=short)

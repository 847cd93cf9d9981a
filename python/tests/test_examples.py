import json
import re
import runpy
import subprocess
import sys
from concurrent.futures import Executor
from pathlib import Path

import numpy as np
import pytest

PYTHON = Path(__file__).parent.parent


def example(name, monkeypatch, capsys, *arguments):
    """What is left of a script's variables, and what it said."""
    monkeypatch.setattr(sys, "argv", [name, *arguments])
    return runpy.run_path(str(PYTHON / "examples" / name)), capsys.readouterr().out


def test_what_the_readme_says(monkeypatch, tmp_path):
    monkeypatch.chdir(PYTHON.parent)
    blocks = re.findall(r"```python\n(.*?)```", (PYTHON / "README.md").read_text(), re.DOTALL)
    simulations, mujoco, plots, scenes, robots, worlds, materials, sweep, ray, environments = blocks
    told = {}
    exec(simulations.replace("seconds=2.0", "seconds=0.02").replace("advance(100)", "advance(5)"), told)
    assert told["picture"].shape == (720, 1280, 3)
    assert told["sim"].joint_state("bucket").speed == 20.0
    exec(mujoco, {})
    matplotlib = pytest.importorskip("matplotlib.pyplot")
    matplotlib.switch_backend("agg")
    exec(plots.replace("101", "21").replace("100", "20").replace("overview.png", str(tmp_path / "overview.png")), told)
    assert (tmp_path / "overview.png").stat().st_size > 10_000
    matplotlib.close("all")
    exec(scenes, told)
    assert len(told["sim"].grains().id) == 50
    exec(robots.replace("advance(100)", "advance(5)"), told)
    assert told["robot"].velocities.tolist() == [10.0, 0.0, 0.0, 0.0]
    exec(worlds, told)
    assert told["sim"].state_hash(0) == told["sim"].state_hash(1) != told["sim"].state_hash(2)
    exec(materials, told)
    assert told["found"].runs == 20 and 2000.0 < told["found"].material["density"] < 3000.0
    assert told["slope"].error >= 0.0
    script = tmp_path / "script.py"  # which worker processes import
    script.write_text(sweep.replace('folder="out/sweep"', f"folder={str(tmp_path / 'kept')!r}, seconds=0.02, progress=False").replace("[1, 2]", "[1]"))
    said = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True, timeout=120).stdout
    assert len(list((tmp_path / "kept").iterdir())) == 3 and "0.6" in said and "s for the first run" in said
    exec(ray, told)
    assert issubclass(told["RayExecutor"], Executor)
    exec(environments.replace("num_envs=16", "num_envs=2"), told)
    assert told["envs"].num_envs == 2


def test_the_tour(tmp_path, monkeypatch, capsys):
    told, said = example("tour.py", monkeypatch, capsys, str(tmp_path))
    assert "frictoin; did you mean friction?" in said
    assert "the same bits: True" in said and "another end: True" in said
    assert told["pictures"]["tour.png"].shape == (540, 960, 3)
    assert "materials ['sand']" in said and "all as one was: True" in said
    assert told["sim"].joint_state("gate").value < -0.1
    assert (tmp_path / "tour.talus").stat().st_size > 0
    assert told["rewards"][-1].max() > told["rewards"][0].max()  # straight ahead brings grains nearer
    assert told["forces"][:, 1].min() < -2.0  # N


def test_plans_by_forks_do_better_than_random_actions(monkeypatch, capsys):
    # Long enough to be at the goal box: while it is on the way there, chance decides how much of the way it has gone.
    arguments = ("--candidates", "5", "--grains", "150", "--episode", "8")
    told, said = example("plan.py", monkeypatch, capsys, *arguments)
    assert told["planned"] > 0.0 > told["blind"].max()
    assert f"return with plans {told['planned']:.1f}" in said


def test_speed_is_a_table(monkeypatch, capsys):
    arguments = ("--grains", "150", "--worlds", "1", "2", "--steps", "2")
    _, said = example("speed.py", monkeypatch, capsys, *arguments)
    rows = [line.strip("| ").split(" | ") for line in said.splitlines()[2:]]
    assert [row[:3] for row in rows] == [["CPU", "150", "1"], ["CPU", "150", "2"]]
    assert all(float(row[3]) > 0.0 for row in rows)


def test_the_sweep_of_gears_is_a_table_and_a_plot(tmp_path, monkeypatch, capsys):
    arguments = ("--gears", "2", "--filling", "100", "--tower", "2", "--grains", "100", "800", "--steps", "1")
    _, said = example("gear_sweep.py", monkeypatch, capsys, str(tmp_path), *arguments)
    told = json.loads((tmp_path / "gear_sweep.json").read_text())
    assert [(row["gears"], row["grains"]) for row in told["by_gears"]] == [(2, 100)]
    few, many = told["by_grains"]
    assert few["speedup"] > many["speedup"] and few["ms_per_step"] < many["ms_per_step"]
    assert few["speedup"] == pytest.approx(1000.0 * told["dt_s"] / few["ms_per_step"], rel=0.05)
    assert said.count("\n") == 2 + 3
    assert (tmp_path / "gear_sweep.png").read_bytes().startswith(b"\x89PNG")


def script(folder, name, *arguments):
    """What a script says that starts processes, which import it."""
    done = subprocess.run([sys.executable, PYTHON / "examples" / name, *arguments], cwd=folder, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_angle_of_a_lifted_cylinder_grows_with_friction(tmp_path):
    pandas = pytest.importorskip("pandas")
    arguments = ("angles", "--friction", "0.1", "0.6", "--seeds", "1", "--grains", "500")
    said = script(tmp_path, "sweep.py", *arguments)
    table = pandas.read_csv(tmp_path / "angles" / "angles.csv")
    assert table["error"].isna().all() and (table["moving"] < 10).all()
    assert 8.0 < table["angle"][0] < table["angle"][1] - 3.0 < 30.0
    assert (tmp_path / "angles" / "angles.png").read_bytes().startswith(b"\x89PNG")
    assert script(tmp_path, "sweep.py", *arguments) == said  # from what it kept
    assert table.equals(pandas.read_csv(tmp_path / "angles" / "angles.csv"))


def test_rollouts_play_episodes_in_workers(tmp_path):
    pytest.importorskip("distributed")
    said = script(tmp_path, "rollouts.py", "--episodes", "2", "--grains", "150", "--steps", "30")
    alone = runpy.run_path(str(PYTHON / "examples" / "rollouts.py"))["rollout"]
    assert said.splitlines() == [f"seed {seed}: return {alone(seed, 150, 30):.2f}" for seed in range(2)]


@pytest.fixture
def notebook(tmp_path, monkeypatch, capsys):
    """Runs a notebook-style script in an empty folder, where it leaves a picture of its name."""
    pyplot = pytest.importorskip("matplotlib.pyplot")
    monkeypatch.chdir(tmp_path)
    pyplot.switch_backend("agg")

    def play(name):
        told, said = example(name + ".py", monkeypatch, capsys)
        assert (tmp_path / (name + ".png")).read_bytes().startswith(b"\x89PNG")
        assert (PYTHON / "examples" / (name + ".py")).read_text().count("\n# %% [markdown]\n") >= 3
        return told, said

    yield play
    pyplot.close("all")


def test_a_first_heap(notebook):
    told, _ = notebook("first_heap")
    assert told["moving"] == 0
    assert 18.0 < told["heap"].angle < 32.0
    assert 15.0 < told["flatter"].angle < told["heap"].angle - 3.0
    assert told["flatter"].height.max() < 0.9 * told["heap"].height.max()
    assert told["rows"][-1][1].kinetic_energy == 0.0 < told["rows"][10][1].kinetic_energy


def test_the_force_on_a_tool(notebook):
    told, said = notebook("tool_force")
    assert (told["drag"] > 5.0).all() and (np.diff(told["drag"]) > 5.0).all()  # N; the deeper, the larger
    assert "8 cm deep: " in said


def test_a_drum(notebook):
    told, _ = notebook("drum")
    assert 30.0 < told["angle"] < 45.0 and told["deviation"] < 8.0
    assert told["torque"] == pytest.approx(told["weight"], rel=0.05)


def test_a_robot_scoops(notebook):
    told, said = notebook("robot_scoop")
    assert told["lifted"].sum() > 30
    assert told["force"] == pytest.approx(9.81 * told["mass"], rel=0.05)
    assert abs(told["emptied"]) < 0.1 * told["force"]
    assert "excavator/bucket" in said


def test_a_bulldozer_learns(notebook):
    told, _ = notebook("learning")
    assert (np.diff(told["most"]) >= 0.0).all()
    assert told["most"][-1] > 100.0 > told["most"][0] and told["average"][-1] > told["average"][0] + 20.0

"""Sweeps: grids, executors, failures, interruptions; environments under the workers of Dask."""

import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial
from multiprocessing import get_context

import numpy as np
import pytest

import talus
from talus import _sweep
from talus.envs.bulldozing import Bulldozing

SCENE = """
[scene]
seed = 3
[time]
dt = 0.004
end = 0.12
[domain]
min = [-0.1, -0.1, 0.0]
max = [0.1, 0.1, 0.4]
[solver]
method = "dem"
substeps = 4
[[material]]
name = "sand"
[[grains]]
material = "sand"
radius = 0.01
count = 60
fill.box = { min = [-0.1, -0.1, 0.0], max = [0.1, 0.1, 0.15] }
"""
GRID = {"material.sand.friction": [0.1, 0.5], "scene.seed": (1, 2, 4)}


def drop(sim, log=None):
    """Leaves a line for each run in a file."""
    if log is not None:
        with open(log, "a") as file:
            file.write("run\n")
    return {"mean": sim.grains().position[:, 2].mean(), "lowest": sim.grains().position.min(axis=0)}


def runs(log):
    return log.read_text().count("run") if log.exists() else 0


def rows_of(table):
    """Rows as dicts, with None for what pandas shows as NaN."""
    return table.astype(object).where(table.notna(), None).to_dict("records")


def sweep(grid=GRID, scene=SCENE, **options):
    """In threads, which start at once, unless there is an executor."""
    with ThreadPoolExecutor(2) as threads:
        return rows_of(talus.sweep(scene, grid, **{"executor": threads, "progress": False} | options))


def same(row):
    """What must not depend on who ran it."""
    return {key: value for key, value in row.items() if key not in ("wall_s", "report")}


@pytest.fixture(scope="module")
def rows():
    return sweep(measure=drop)


def test_a_grid_gives_a_row_for_each_combination(rows):
    assert [(row["material.sand.friction"], row["scene.seed"]) for row in rows] == [(f, s) for f in (0.1, 0.5) for s in (1, 2, 4)]
    assert list(rows[0]) == [*GRID, "mean", "lowest", "state_hash", "wall_s", "error", "report"]
    assert len({row["state_hash"] for row in rows}) == 6 and all(row["error"] is None and row["wall_s"] > 0.0 for row in rows)
    for row in rows:  # each is the run of that scene alone
        overrides = [f"material.sand.friction={row['material.sand.friction']}", f"scene.seed={row['scene.seed']}"]
        sim = talus.Simulation(talus.parse_scene(SCENE, "alone", overrides), device="cpu", threads=2)
        sim.advance(30)
        assert f"{sim.state_hash():016x}" == row["state_hash"] == row["report"]["state_hash"]
        assert (row["mean"], row["lowest"]) == (float(sim.grains().position[:, 2].mean()), sim.grains().position.min(axis=0).tolist())
        assert row["report"]["steps"] == 30 and row["report"]["seed"] == row["scene.seed"]


def test_a_list_gives_a_row_for_each_dict():
    points = [{"solver.substeps": 8}, {"scene.seed": 4, "time.end": 0.02}, {"material.sand": {"density": np.float32(2000.0)}}, {"scene.seed": None}]
    rows = sweep(points)
    assert [row["report"]["substeps"] for row in rows] == [8, 4, 4, 4]
    assert [row["time"] for row in rows] == pytest.approx([0.12, 0.02, 0.12, 0.12])
    assert rows[2]["kinetic_energy"] == pytest.approx(2000.0 / 1600.0 * rows[3]["kinetic_energy"], rel=1e-3)
    assert rows[3]["state_hash"] == sweep({})[0]["state_hash"] != rows[1]["state_hash"]
    measure = talus.Simulation(talus.parse_scene(SCENE), device="cpu").measure()
    numbers = {name for name in dir(measure) if not name.startswith("_")} - {"momentum"} | {"time", "momentum_x", "momentum_y", "momentum_z"}
    assert rows[0].keys() == {key for point in points for key in point} | numbers | {"state_hash", "wall_s", "error", "report"}


def test_scenes_may_be_files_dicts_or_built(tmp_path):
    (tmp_path / "a.toml").write_text(SCENE)
    scene = talus.parse_scene(SCENE)
    tables = {"time": {"dt": 0.004}, "domain": {"min": [0, 0, 0], "max": np.ones(3)}, "material": [{"name": "sand"}],
              "grains": [{"material": "sand", "radius": 0.02, "fill": {"points": [[0.5, 0.5, 0.5]]}}]}  # fmt: skip
    grid = {"scene.seed": [1]}
    of_file, of_text, of_scene = (sweep(grid, s, seconds=0.02)[0] for s in (tmp_path / "a.toml", SCENE, scene))
    assert of_file["state_hash"] == of_text["state_hash"] == of_scene["state_hash"]
    assert of_file["report"]["scene"] == str(tmp_path / "a.toml") and of_file["time"] == pytest.approx(0.02)
    built = talus.Scene(tables)
    assert sweep(grid, tables, seconds=0.02)[0]["state_hash"] == sweep(grid, built, seconds=0.02)[0]["state_hash"]
    # friction stands beside friction_static, which a scene that was read has written out, as the error says.
    assert sweep({"material.sand.friction": [0.3]}, built, seconds=0.02)[0]["error"] is None
    with pytest.raises(talus.SceneError, match="friction cannot be given together with friction_static"):
        sweep({"material.sand.friction": [0.3]}, scene, seconds=0.02)


def test_a_scene_as_a_dict_has_what_was_built():
    tables = {"scene": {"title": "ä"}, "solver": {"sleep": False, "substeps": 4}, "domain": {"min": [0, 0, 0], "max": [1.5, 1, 1]}, "material": [{"name": "a"}]}
    built = talus.Scene(tables)
    assert built.to_dict() == tables and type(built.to_dict()["solver"]["sleep"]) is bool
    built.add_body(name="floor", box={"size": np.array([1.0, 1.0, 0.1])})
    assert built.to_dict() == tables | {"body": [{"name": "floor", "box": {"size": [1.0, 1.0, 0.1]}}]}
    overridden = talus.Scene(tables, overrides=["solver.substeps=7"])
    assert overridden.to_dict()["solver"]["substeps"] == 7
    for scene in (talus.parse_scene(SCENE), overridden, built):
        assert talus.Scene(scene.to_dict(), scene.source).to_toml() == scene.to_toml()


def test_process_pools_give_the_same(rows):
    assert [same(row) for row in rows_of(talus.sweep(SCENE, GRID, measure=drop, progress=False))] == [same(row) for row in rows]
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        assert [same(row) for row in sweep(measure=drop, executor=pool)] == [same(row) for row in rows]


@pytest.fixture(scope="module")
def dask():
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster, distributed.Client(cluster) as client:
        yield client


def test_dask_gives_the_same(rows, dask):
    with dask.get_executor() as executor:
        assert [same(row) for row in sweep(measure=drop, executor=executor)] == [same(row) for row in rows]
        with pytest.warns(RuntimeWarning, match="1 of 2 runs failed, the first of them by SceneError: --set solver.substeps=-1: "):
            assert sweep({"solver.substeps": [-1, 4]}, executor=executor)[1]["error"] is None


def rollout(seed, steps=15):
    """Return of an episode of the bulldozer with actions by chance, and the process that played it."""
    env = Bulldozing(grains=150, device="cpu", threads=1)
    env.reset(seed=seed)
    env.action_space.seed(seed)
    return sum(env.step(env.action_space.sample())[1] for _ in range(steps)), os.getpid()


def test_environments_run_under_workers_of_dask(dask):
    workers = list(dask.scheduler_info()["workers"])
    tasks = [dask.submit(rollout, seed, workers=[worker], pure=False) for seed, worker in enumerate(workers)]
    told = dask.gather(tasks)
    assert len({os.getpid(), *(process for _, process in told)}) == 3
    returns = [total for total, _ in told]
    assert returns == [rollout(seed)[0] for seed in range(2)]
    assert returns[0] != returns[1]


def test_a_failing_run_is_a_row_with_its_error():
    points = [{"scene.seed": 1}, {"material.sand.frictoin": 0.5}, {"scene.seed": 2}, {"solver.substeps": -1}]
    with pytest.warns(RuntimeWarning, match="2 of 4 runs failed"):
        rows = sweep(points)
    assert [row["error"] is None for row in rows] == [True, False, True, False]
    assert "frictoin; did you mean friction?" in rows[1]["error"] and rows[1]["error"].startswith("SceneError: --set")
    assert rows[1]["report"] is None and rows[1]["state_hash"] is None and len(rows[2]["state_hash"]) == 16


def test_what_fails_on_the_way_is_a_row_as_well():
    def fussy(sim):
        if sim.scene.seed == 2:
            raise KeyError("angle")
        return {"error": 1.0} if sim.scene.seed == 3 else [] if sim.scene.seed == 4 else {"scene.seed": 1} if sim.scene.seed == 5 else {"a": {1: 2}}

    blown = SCENE + '[[body]]\nname = "lid"\nbox = { size = [0.1, 0.1, 0.1] }\nmotion = { position = [0, 0, "0.3 + log(0.03 - t)"] }\n'
    with pytest.warns(RuntimeWarning, match="4 of 5 runs failed, the first of them by KeyError: 'angle'"):
        errors = [row["error"] for row in sweep({"scene.seed": [1, 2, 3, 4, 5]}, measure=fussy)]
    assert errors[0] is None and errors[1] == "KeyError: 'angle'"
    assert "'error'" in errors[2] and "a dict of columns, not []" in errors[3] and "'scene.seed'" in errors[4]
    with pytest.warns(RuntimeWarning, match="1 of 2 runs failed"):
        rows = sweep({"time.end": [0.02, 0.04]}, blown)
    assert rows[0]["error"] is None and rows[1]["error"].startswith("SceneError: ") and "lid" in rows[1]["error"]


def test_a_folder_keeps_results(tmp_path):
    log, folder = tmp_path / "log", tmp_path / "kept" / "here"
    counted = partial(drop, log=log)
    first = sweep(measure=counted, folder=folder)
    results = sorted(folder.iterdir())
    assert runs(log) == 6 and len(results) == 6
    again = sweep(measure=counted, folder=folder)
    assert again == first and runs(log) == 6  # with the times of then
    more = sweep(GRID | {"scene.seed": [2, 8]}, measure=counted, folder=folder)
    assert runs(log) == 8 and [row["state_hash"] for row in more[::2]] == [first[1]["state_hash"], first[4]["state_hash"]]
    seed = {"scene.seed": [5, 5], "solver.substeps": [4]}
    done = runs(log)
    for options in ({}, {"seconds": 0.02}, {"scene": SCENE.replace("count = 60", "count = 50")}, {"measure": partial(counted, log=str(log))}):
        sweep(seed, **{"measure": counted, "folder": folder} | options)
        done += 1  # not 2: equal scenes run once
        assert runs(log) == done, options
    sweep(seed, measure=counted, folder=folder)
    assert runs(log) == done
    damaged = results[0]
    damaged.write_text('{"columns": {')
    with pytest.raises(ValueError, match=f"{damaged.name} is not a result of a sweep"):
        sweep(measure=counted, folder=folder)


def test_a_mesh_that_changes_is_a_change_of_the_scene(tmp_path):
    mesh = "v 0 0 0\nv 0.1 0 0\nv 0 0.1 0\nv 0 0 {}\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
    (tmp_path / "a.toml").write_text(SCENE + '[[body]]\nname = "wedge"\nmesh = { file = "wedge.obj" }\n')
    log = tmp_path / "log"
    for height, count in ((0.1, 1), (0.1, 1), (0.2, 2)):
        (tmp_path / "wedge.obj").write_text(mesh.format(height))
        sweep({"scene.seed": [1]}, tmp_path / "a.toml", measure=partial(drop, log=log), folder=tmp_path / "kept")
        assert runs(log) == count


def test_an_interrupted_sweep_goes_on(tmp_path):
    """Ctrl-C ends the program and its processes at once; what had ended is not run again."""
    script = tmp_path / "script.py"
    script.write_text(
        "import sys, talus\n"
        "def count(sim):\n"
        "    with open('log', 'a') as log:\n"
        "        log.write('run\\n')\n"
        "    return {}\n"
        "if __name__ == '__main__':\n"
        f"    grid = {{'scene.seed': range(8), 'time.end': [0.04]}} | ({{'time.end': [0.04, 4000.0]}} if sys.argv[1:] else {{}})\n"
        f"    print(len(talus.sweep({SCENE!r}, grid, folder='kept', measure=count, progress=False)))\n"
    )
    (tmp_path / "kept").mkdir()
    program = subprocess.Popen([sys.executable, script, "long"], cwd=tmp_path, start_new_session=True, stderr=subprocess.PIPE, text=True)
    try:
        began = time.monotonic()
        while not list((tmp_path / "kept").glob("*.json")):  # and then a run of an hour holds each process
            assert program.poll() is None and time.monotonic() - began < 60.0
            time.sleep(0.05)
        os.killpg(program.pid, signal.SIGINT)
        _, said = program.communicate(timeout=20)
    finally:
        if program.poll() is None:
            os.killpg(program.pid, signal.SIGKILL)
    assert program.returncode != 0 and "KeyboardInterrupt" in said
    kept = list((tmp_path / "kept").iterdir())
    assert {file.suffix for file in kept} == {".json"} and 1 <= len(kept) < 8
    before = runs(tmp_path / "log")
    done = subprocess.run([sys.executable, script], cwd=tmp_path, capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "8"
    assert runs(tmp_path / "log") == before + 8 - len(kept)


def die(sim):
    os._exit(3)


def test_what_the_executor_raises_ends_the_sweep():
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool, pytest.raises(BrokenExecutor):
        sweep({"scene.seed": [1, 2]}, executor=pool, measure=die)


@pytest.mark.parametrize(
    "grid, said",
    [
        ({"scene.seed": 4}, "'scene.seed' must have a list of values, not 4"),
        ({"solver.method": "dem"}, "'solver.method' must have a list of values, not 'dem'"),
        ({"scene.seed": []}, "'scene.seed' has no values"),
        ([{"scene.seed": 1}, 2], r"grid\[1\] must be a dict of overrides, not 2"),
        ([{3: 1}], r"grid\[0\] has the key 3: keys are text"),
        ([{"error": 1}], r"grid\[0\] has the key 'error', which is a column"),
        ([{"scene.seed": object()}], r"grid\[0\]\['scene.seed'\]: <object .* is no number"),
        ([{"domain.min": [0, None, 0]}], r"grid\[0\]\['domain.min'\]: None has no meaning in a list"),
    ],
)
def test_a_grid_that_cannot_be_says_so(grid, said):
    with pytest.raises(ValueError, match=said):
        sweep(grid)


def test_what_cannot_be_for_all_runs_is_an_error(tmp_path):
    with pytest.raises(talus.SceneError, match="none.toml: cannot be read"):
        sweep(scene=tmp_path / "none.toml")
    with pytest.raises(talus.SceneError, match="--set material.sand.frictoin=0.1: .*did you mean friction"):
        sweep({"material.sand.frictoin": [0.1, 0.2]})
    with pytest.raises(ValueError, match="seconds: a time of at least 0"):
        sweep(seconds=float("nan"))


@pytest.mark.parametrize("value", [True, -3, 1e-7, 1e22, float("inf"), 'a "quoted" \\ name\nof ä', [1, [2.5, "b"]], {"a b": {"c": False}}])
def test_values_are_written_as_toml(value):
    tomllib = pytest.importorskip("tomllib")
    assert tomllib.loads("x = " + _sweep._toml(_sweep._plain(value)))["x"] == value


def test_without_pandas_the_table_is_a_list(rows, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with ThreadPoolExecutor(2) as threads:
        table = talus.sweep(SCENE, GRID, executor=threads, measure=drop, progress=False)
    assert isinstance(table, list) and [same(row) for row in table] == [same(row) for row in rows]


def test_the_bar_counts_runs(capsys):
    sweep(progress=True)
    assert "6/6" in capsys.readouterr().err


def test_a_report_counts_from_the_start_or_from_a_resumed_state(sim, tmp_path):
    sim.advance(5)
    sim.save(tmp_path / "a.talus")
    sim.advance(5)
    report = sim.report()
    assert (report["first_step"], report["steps"], report["grains"]) == (0, 10, 200)
    assert report["wall_s"] > 0.0 and report["particle_steps_per_s"] == pytest.approx(2000 / report["wall_s"])
    assert report["height"] == sim.measure().height and report["state_hash"] == f"{sim.state_hash():016x}"
    assert report["bodies"][0]["force"] == pytest.approx(sim.body_loads().force[0].tolist())
    assert json.loads(json.dumps(report)) == report
    sim.resume(tmp_path / "a.talus")
    sim.advance(3)
    report = sim.report()
    assert (report["first_step"], report["steps"]) == (5, 3) and report["particle_steps_per_s"] == pytest.approx(600 / report["wall_s"])

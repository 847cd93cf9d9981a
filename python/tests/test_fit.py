import subprocess
import sys
import tomllib

import numpy as np
import pytest

import talus
from talus._experiments import Quantity, heap
from talus._fit import Data, Parameter, Response, basis, load_data

pytest.importorskip("scipy")

TEXT = """\
[material]
name = "soil"
density = 2500.0
find = { friction = [0.1, 1.0], rolling_friction = [0.0, 0.5] }

[[measurement]]
type = "lifted_cylinder"
radius = 0.05
height = 0.1
grain_radius = 0.005
angle = 25.0
angle_uncertainty = 0.5

[[measurement]]
type = "plate"
radius = 0.02
bed_depth = 0.1
grain_radius = [0.004, 0.005]
depth = [0.01, 0.02]
force = [1.0, 2.0]
"""


def bulk_density(find, grains=400, **material):
    return {"material": {"name": "soil", **material, "find": find}, "measurement": [{"type": "bulk_density", "grain_radius": 0.005, "grains": grains, "bulk_density": 1.0}]}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("friction = [0.1, 1.0]", "frictoin = [0.1, 1.0]", r"data\.toml:4: material\.find\.frictoin is not a key here; did you mean friction\?"),
        ("friction = [0.1, 1.0]", "friction = [1.0, 0.1]", r"data\.toml:4: material\.find\.friction must be \[min, max\]"),
        ("friction = [0.1, 1.0]", "density = [100, 200]", r"data\.toml:4: material\.find\.density stands in \[material\] as well"),
        ("friction = [0.1, 1.0]", "friction = [0.1, 50.0]", r"data\.toml:4: material.*friction must be a number from 0 to 10"),
        ("density = 2500.0", "densty = 2500.0", r"data\.toml:3: unknown key material\.densty; did you mean density\?"),
        ("find = {", "found = {", r"data\.toml:1: material\.find is missing"),
        ('"lifted_cylinder"', '"lifted_cilinder"', r"data\.toml:7: measurement\[0\]\.type must be .* did you mean lifted_cylinder\?"),
        ("radius = 0.05", "radius = -0.05", r"data\.toml:8: measurement\[0\]\.radius must be a number from 0\.0001 to 100 m, not -0\.05"),
        ("radius = 0.05\n", "", r"data\.toml:6: measurement\[0\]\.radius is missing"),
        ("angle = 25.0", "angel = 25.0", r"data\.toml:12: measurement\[0\]\.angle_uncertainty needs angle beside it"),
        ("angle = 25.0\nangle_uncertainty = 0.5", "angel = 25.0", r"data\.toml:11: measurement\[0\]\.angel is not a key here; did you mean angle\?"),
        ("angle = 25.0\nangle_uncertainty = 0.5", "", r"data\.toml:6: measurement\[0\] has no measured value: give angle or run_out"),
        ("depth = [0.01, 0.02]", "depth = [0.02, 0.01]", r"data\.toml:19: measurement\[1\]\.depth must rise"),
        ("depth = [0.01, 0.02]", "depth = [0.01, 0.09]", r"data\.toml:19: measurement\[1\]\.depth must stay above 0\.75 bed_depth"),
        ("[0.004, 0.005]", "[0.004, 0.05]", r"data\.toml:18: measurement\[1\]\.grain_radius must be .* max at most 5 min"),
        ("[material]", "[materiel]", r"data\.toml.*: materiel is not a key here; did you mean material\?"),
        ("[material]", "[material", r"data\.toml: .*line 1"),
    ],
)
def test_what_is_wrong_has_its_place(tmp_path, old, new, message):
    file = tmp_path / "data.toml"
    assert old in TEXT
    file.write_text(TEXT.replace(old, new, 1))
    with pytest.raises(talus.DataError, match=message):
        talus.fit(file)


def test_files_that_are_missing_and_too_few_runs(tmp_path):
    with pytest.raises(talus.DataError, match="cannot be read"):
        talus.fit(tmp_path / "none.toml")
    with pytest.raises(talus.DataError, match="runs = 10 are too few: 2 parameters and 2 measurements need 24"):
        talus.fit(tomllib.loads(TEXT), runs=10)


def test_grains_that_are_too_many_are_larger_in_the_simulation_and_a_warning_says_so():
    tables = tomllib.loads(TEXT)
    tables["measurement"][0]["grain_radius"] = 0.0005
    cylinder, plate = load_data(tables).experiments
    assert cylinder.count == 1500
    factor = cylinder.mean_radius() / 0.0005
    # 0.6 pi R^2 H / (4/3 pi r^3) grains are in the sample.
    assert factor == pytest.approx((0.6 * 0.05**2 * 0.1 / (4 / 3 * 0.0005**3) / 1500) ** (1 / 3), rel=1e-6)
    assert f"{factor:.2g} times as large" in cylinder.warnings[0]
    assert plate.radii[1] / plate.radii[0] == pytest.approx(1.25)


def test_the_angle_and_the_base_of_a_cone():
    chance = np.random.default_rng(1)
    points = chance.uniform([-1, -1, 0], [1, 1, 0.5], (200000, 3))
    points = points[points[:, 2] < 0.5 * (1 - np.hypot(points[:, 0], points[:, 1]))]
    angle, base = heap(points, -0.002, 0.001)
    assert angle == pytest.approx(np.degrees(np.arctan(0.5)), abs=0.3)
    assert base == pytest.approx(1.0, rel=0.01)


@pytest.mark.parametrize("kind", ["lifted_cylinder", "poured_heap", "drum", "plate", "cone", "bulk_density"])
def test_every_experiment_has_a_sensible_result_and_worlds_are_repetitions(kind):
    keys = {
        "lifted_cylinder": {"radius": 0.04, "height": 0.06, "lift_speed": 0.3, "angle": 1.0, "run_out": 1.0},
        "poured_heap": {"volume": 3e-4, "height": 0.12, "funnel_radius": 0.03, "duration": 0.5, "angle": 1.0, "run_out": 1.0},
        "drum": {"radius": 0.05, "rpm": 30.0, "angle": 1.0},
        "plate": {"radius": 0.015, "bed_depth": 0.06, "speed": 0.2, "depth": [0.005, 0.02], "force": [1.0, 1.0]},
        "cone": {"radius": 0.015, "bed_depth": 0.06, "speed": 0.2, "depth": [0.01, 0.025], "force": [1.0, 1.0]},
        "bulk_density": {"bulk_density": 1.0},
    }[kind]
    table = {"type": kind, "grain_radius": 0.005, "grains": 300, **keys}
    (experiment,) = load_data({"material": {"find": {"friction": [0.1, 1.0]}}, "measurement": [table]}).experiments
    material = {"friction": 0.5, "rolling_friction": 0.1, "density": 2000.0}
    exact = {"incremental_rebuild": False}  # a world then has the same bits as alone
    both = experiment.simulate(material, seed=5, worlds=2, solver=exact)
    again = experiment.simulate(material, seed=6, solver=exact)
    for name, values in both.items():
        assert values.shape == (2, 2 if name == "force" else 1)
        assert values[1] == pytest.approx(again[name][0], rel=1e-5)
        assert values[0] != pytest.approx(values[1], rel=1e-6)
    low, high = {"lifted_cylinder": (10, 40), "poured_heap": (10, 40), "drum": (20, 50), "bulk_density": (1000, 1300)}.get(kind, (-0.01, 20))
    for values in both.get("angle", both.get("bulk_density", both.get("force"))):
        assert np.all((low < values) & (values < high))
    if "force" in both:
        assert np.all(both["force"][:, 1] > both["force"][:, 0])  # deeper is harder


class Model:
    """Stands for an experiment: quantities that are a known function of the material, and scatter by the seed."""

    label, warnings, exact = "model", [], False

    def __init__(self, law, measured, uncertainty, scatter):
        self.law, self.scatter = law, np.array(scatter)
        self.quantities = [Quantity(f"q{k}", "1", np.array([m]), np.array([s])) for k, (m, s) in enumerate(zip(measured, uncertainty))]

    def simulate(self, material, *, seed, worlds, **_):
        noise = np.random.default_rng(seed).normal(size=(worlds, len(self.scatter))) * self.scatter
        return {q.name: (self.law(material) + noise)[:, [k]] for k, q in enumerate(self.quantities)}


def model(law, measured, uncertainty, scatter, **ranges):
    return Data("model", {"name": "soil"}, [Parameter(k, *v) for k, v in ranges.items()], {}, [Model(law, measured, uncertainty, scatter)])


def curved(material):
    """Saturates over friction as angles of heaps do."""
    a, b = 1.0 - np.exp(-4.0 * material["friction"]), material["rolling_friction"]
    return np.array([20.0 + 10.0 * a + 8.0 * b, 1000.0 - 80.0 * a - 5.0 * b])


def sharp(material):
    """Bends at small frictions, where grains roll away, by up to 4 times the scatter of a run from the quadratic polynomial that is nearest over the ranges."""
    a, b = 1.0 - np.exp(-6.0 * material["friction"]), 1.0 - np.exp(-12.0 * material["rolling_friction"])
    return np.array([4.0 + 10.0 * a * (0.3 + 0.7 * b) + 12.0 * b, 250.0 - 50.0 * a * (0.3 + 0.7 * b) - 40.0 * b, 1000.0 - 60.0 * a - 12.0 * b])


@pytest.mark.parametrize(
    ("law", "true", "ranges", "scatter", "repeats", "fits", "runs"),
    [
        (curved, {"friction": 0.35, "rolling_friction": 0.2}, {"friction": [0.1, 1.0], "rolling_friction": [0.0, 0.5]}, [0.5, 4.0], 25, 60, 60),
        (sharp, {"friction": 0.3, "rolling_friction": 0.1}, {"friction": [0.1, 1.0], "rolling_friction": [0.01, 0.5]}, [0.5, 2.0, 4.0], 96, 30, 100),
    ],
    ids=["curved", "sharp"],
)
def test_uncertainties_are_what_they_say(law, true, ranges, scatter, repeats, fits, runs):
    """Of many fits to measurements with noise, the error over the uncertainty has a root mean square of 1 within a quarter, and a mean of 0 within 3 of its standard errors."""
    chance, errors, noise, undetermined = np.random.default_rng(11), [], np.array(scatter) / np.sqrt(repeats), 0
    for seed in range(fits):
        measured = law(true) + chance.normal(size=len(scatter)) * noise
        found = talus.fit(model(law, measured, noise, scatter, **ranges), runs=runs, seed=seed)
        errors.append([(found.material[k] - true[k]) / found.uncertainty[k] for k in true])
        undetermined += bool(found.undetermined)
        assert found.runs == runs
    assert undetermined <= fits // 20
    assert 0.8 < np.sqrt(np.mean(np.square(errors))) < 1.25
    assert np.all(np.abs(np.mean(errors, axis=0)) < 3.0 / np.sqrt(fits))


def test_the_uncertainty_contains_the_error_of_the_surface():
    """Surfaces through 40 runs that scatter, at other points: errors are those that are stated, and less than those of a quadratic polynomial."""
    parameters, scatter = [Parameter("friction", 0.1, 1.0), Parameter("rolling_friction", 0.01, 0.5)], np.array([0.5, 2.0, 4.0])
    chance = np.random.default_rng(7)

    def law(points):
        return np.array([sharp({p.name: p.value(x) for p, x in zip(parameters, point)}) for point in points])

    at, ratios, errors, quadratic = chance.uniform(0.1, 0.9, (50, 2)), [], [], []
    for _ in range(12):
        u = chance.random((40, 2))
        y = law(u) + chance.normal(size=(40, 3)) * scatter
        response = Response(u, y, np.full(2, 0.5))
        errors.append(response.mean(at) - law(at))
        ratios.append(errors[-1] / np.sqrt([np.diag(response.error(point)) for point in at]))
        quadratic.append(basis(at) @ np.linalg.lstsq(basis(u), y, rcond=None)[0] - law(at))
        assert np.sqrt(np.diag(response.scatter)) == pytest.approx(scatter, rel=0.5)
    size, polynomial = (np.sqrt(np.mean(np.square(e), axis=(0, 1))) for e in (errors, quadratic))
    assert np.all(size < [0.6, 0.6, 1.3] * polynomial)  # the third bends no more than half a scatter from a quadratic polynomial
    assert np.all(np.abs(np.sqrt(np.mean(np.square(ratios), axis=(0, 1))) - 1.0) < 0.35)


def test_what_the_data_do_not_determine_is_said():
    ranges = {"friction": [0.1, 1.0], "rolling_friction": [0.0, 0.5]}
    one = talus.fit(model(lambda m: np.array([10.0 * m["friction"]]), [4.0], [0.05], [0.2], **ranges), runs=60)
    assert one.undetermined == [["rolling_friction"]]
    assert one.material["friction"] == pytest.approx(0.4, abs=0.02)
    assert any(w.startswith("the data do not determine rolling_friction: ") for w in one.warnings)
    assert "not determined" in one.to_toml() and "rolling_friction" in str(one)
    # Only a sum is seen.
    total = talus.fit(model(lambda m: np.array([10.0 * m["friction"] + 18.0 * m["rolling_friction"]]), [9.0], [0.05], [0.2], **ranges), runs=60)
    assert sorted(total.undetermined[0]) == ["friction", "rolling_friction"]
    assert any("one by one" in w for w in total.warnings)
    assert abs(10.0 * total.material["friction"] + 18.0 * total.material["rolling_friction"] - 9.0) < 0.3


def test_measurements_that_contradict_each_other_and_ends_of_ranges_are_said():
    apart = talus.fit(model(lambda m: np.array([m["friction"], m["friction"]]), [0.3, 0.6], [0.01, 0.01], [0.02, 0.02], friction=[0.1, 1.0]), runs=40)
    assert any("no material of these ranges" in w for w in apart.warnings)
    beyond = talus.fit(model(lambda m: np.array([m["friction"]]), [1.5], [0.01], [0.02], friction=[0.1, 1.0]), runs=40)
    assert any("friction is at the end of its range" in w for w in beyond.warnings)


def test_a_sled_starts_to_slide_at_the_angle_of_friction():
    """A grain that cannot roll, as three that are glued to each other, comes to rest half a degree below that angle, and slides above it with g (sin - mu cos)."""

    def positions(degrees, friction):
        tilt = np.radians(degrees)
        sim = talus.Simulation(talus.Scene({
            "time": {"dt": 0.002, "end": 1.0},
            "domain": {"min": [-0.5, -0.5, 0], "max": [1, 0.5, 0.2], "gravity": [9.81 * np.sin(tilt), 0.0, -9.81 * np.cos(tilt)]},
            "solver": {"method": "dem", "rotation": False},
            "material": [{"name": "stone", "friction": friction}],
            "grains": [{"material": "stone", "radius": 0.01, "fill": {"points": [[0, 0, 0.01]]}}],
        }), device="cpu", threads=1)
        told = []
        for _ in range(4):
            sim.advance(50)  # 0.1 s
            told.append(float(sim.grains().position[0, 0]))
        return told, 9.81 * (np.sin(tilt) - friction * np.cos(tilt))

    data = {"material": {"friction": 0.3, "find": {"density": [1000.0, 2000.0]}}, "measurement": [{"type": "sliding_angle", "angle": 16.0}]}
    (sled,) = load_data(data).experiments
    (start,) = sled.simulate({"friction": 0.3})["angle"][0]
    resting, _ = positions(start - 0.5, 0.3)
    assert abs(resting[3] - resting[2]) < 1e-6
    sliding, acceleration = positions(start + 3.0, 0.3)
    assert (sliding[3] - 2.0 * sliding[2] + sliding[1]) / 0.1**2 == pytest.approx(acceleration, rel=1e-3)


def test_a_sliding_angle_gives_friction_at_once_and_tells_it_from_rolling_friction():
    sled = {"type": "sliding_angle", "angle": 16.7, "angle_uncertainty": 0.2}
    ranges = {"friction": [0.1, 1.0], "rolling_friction": [0.0, 0.5]}
    alone = talus.fit({"material": {"find": {"friction": [0.1, 1.0]}}, "measurement": [sled]})
    assert alone.runs == 0
    assert alone.material["friction"] == pytest.approx(np.tan(np.radians(16.7)), rel=1e-3)
    assert alone.uncertainty["friction"] == pytest.approx(np.radians(0.2) / np.cos(np.radians(16.7)) ** 2, rel=0.02)
    # The angle of a heap sees a sum of both.
    heaped = model(lambda m: np.array([10.0 * m["friction"] + 18.0 * m["rolling_friction"]]), [4.8], [0.05], [0.2], **ranges)
    assert talus.fit(heaped, runs=60).undetermined
    heaped.experiments += load_data({"material": {"find": ranges}, "measurement": [sled]}).experiments
    both = talus.fit(heaped, runs=60)
    assert not both.undetermined and both.runs == 60
    assert both.material["rolling_friction"] == pytest.approx(0.1, abs=3.0 * both.uncertainty["rolling_friction"])
    assert both.uncertainty["rolling_friction"] < 0.01
    with pytest.raises(talus.DataError, match="sliding_angle sees friction"):
        talus.fit({"material": {"find": {"density": [1000.0, 2000.0]}}, "measurement": [sled]})


def test_the_density_of_grains_from_that_of_the_bulk_and_the_files(tmp_path):
    data = bulk_density({"density": [1000.0, 4000.0]}, friction=0.4, rolling_friction=0.1)
    data["measurement"] = talus.simulate_measurements(data, {"density": 2500.0}, repeats=8, seed=700)
    assert 1300.0 < data["measurement"][0]["bulk_density"] < 1650.0
    lines = []
    found = talus.fit(data, tmp_path / "material.toml", runs=30, progress=lines.append)
    assert found.material["density"] == pytest.approx(2500.0, rel=0.03)
    assert 0.0 < found.uncertainty["density"] < 50.0
    assert found.runs == 30 and len(lines) == 5
    assert talus.fit(data, runs=30).material == found.material  # the same seed
    # The file that it wrote is a scene with that material.
    text = (tmp_path / "material.toml").read_text()
    assert tomllib.loads(text)["material"][0]["density"] == pytest.approx(found.material["density"], rel=1e-4)
    assert talus.parse_scene(text).materials == ["soil"]
    found.plot(tmp_path / "fit.png")
    assert (tmp_path / "fit.png").read_bytes().startswith(b"\x89PNG")


def test_the_density_of_grains_is_not_determined_by_the_angle_of_a_heap():
    keys = {"type": "lifted_cylinder", "radius": 0.04, "height": 0.06, "lift_speed": 0.3, "grain_radius": 0.005, "grains": 200, "angle": 22.0}
    found = talus.fit({"material": {"name": "soil", "rolling_friction": 0.1, "friction": 0.4, "find": {"density": [1000.0, 4000.0]}}, "measurement": [keys]}, runs=30)
    assert found.undetermined == [["density"]]


def test_the_command_line(tmp_path):
    def run(*arguments):
        return subprocess.run([sys.executable, "-m", "talus", "fit", *arguments], cwd=tmp_path, capture_output=True, text=True)

    (tmp_path / "data.toml").write_text(
        '[material]\nname = "soil"\nfriction = 0.4\nfind = { density = [1000, 4000] }\n[[measurement]]\ntype = "bulk_density"\ngrains = 400\ngrain_radius = 0.005\n'
        "bulk_density = 1500.0\n")
    done = run("data.toml", "-o", "material.toml", "--runs", "12", "--plot", "fit.svg")
    assert done.returncode == 0, done.stderr
    assert "| density |" in done.stdout and "12 of 12 runs" in done.stderr
    assert tomllib.loads((tmp_path / "material.toml").read_text())["material"][0]["name"] == "soil"
    assert "<svg" in (tmp_path / "fit.svg").read_text()
    wrong = run("none.toml")
    assert wrong.returncode == 2 and wrong.stderr.startswith("error: none.toml: cannot be read")
    assert "--runs" in run("--help").stdout

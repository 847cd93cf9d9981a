import matplotlib
import numpy as np
import pytest
from matplotlib import pyplot

import talus

matplotlib.use("agg")

ANGLE, HEIGHT, RADIUS = 30.0, 0.2, 0.005  # degrees, m, m


@pytest.fixture(autouse=True)
def closed():
    yield
    pyplot.close("all")


def cone(centre=(0.0, 0.0), rough=False, half=1.0, **scene):
    """A cone of grains on a lattice, as a scene has it at its start, on the floor at z = 1 m."""
    out = HEIGHT / np.tan(np.radians(ANGLE))
    axes = [np.arange(-out, out, 2.1 * RADIUS)] * 2 + [np.arange(RADIUS, HEIGHT, 2.1 * RADIUS)]
    points = np.stack(np.meshgrid(*axes), axis=-1).reshape(-1, 3)
    points = points[points[:, 2] < HEIGHT - np.hypot(points[:, 0], points[:, 1]) * np.tan(np.radians(ANGLE))]
    built = talus.Scene({"scene": {"title": "A cone"} | scene, "time": {"dt": 0.002}})
    built.set("domain", min=[-half, -half, 1], max=[half, half, 2], rough=rough)
    built.add_material(name="sand")
    above = 2 * RADIUS if rough else 0.0  # the grains of the floor
    built.add_grains(material="sand", radius=RADIUS, fill={"points": points + [*centre, 1.0 + above]})
    built.add_body(name="lid", box={"size": [0.1, 0.1, 0.1]}, position=[0, 0, 1.8])
    return talus.Simulation(built, device="cpu")


@pytest.mark.parametrize("centre", [(0.0, 0.0), (0.3, -0.2)])
def test_the_profile_of_a_cone_is_its_own(centre):
    sim = cone(centre)
    heap = talus.plot.heap_profile(sim)
    assert heap.angle == pytest.approx(ANGLE, abs=1.5)
    np.testing.assert_allclose(heap.height, np.maximum(HEIGHT - heap.place * np.tan(np.radians(ANGLE)), 0.0), atol=3 * RADIUS)
    finer = talus.plot.heap_profile(sim, width=0.015)
    assert len(finer.place) > len(heap.place) and finer.angle == pytest.approx(ANGLE, abs=1.5)
    along = talus.plot.heap_profile(sim, along="x")
    assert along.place[along.height.argmax()] == pytest.approx(centre[0], abs=0.03) and np.isnan(along.angle)
    with pytest.raises(ValueError, match="along: .*not 'z'"):
        talus.plot.heap_profile(sim, along="z")
    with pytest.raises(ValueError, match="width: a length above 0"):
        talus.plot.heap_profile(sim, width=0.0)
    with pytest.raises(ValueError, match="no grain in world 1"):
        talus.plot.heap_profile(sim, world=1)


def test_the_slope_of_a_heap_is_its_own_on_a_rough_floor():
    heap = talus.plot.heap_profile(cone((0.05, -0.03), rough=True, half=0.6))  # fixed grains all over the floor
    assert heap.height[-5:].min() > 0.0
    assert heap.angle == pytest.approx(ANGLE, abs=1.5)


def test_a_profile_is_drawn_into_axes():
    sim = cone()
    axes = talus.plot.profile(sim)
    assert talus.plot.profile(sim, width=0.03, axes=axes) is axes
    heap = talus.plot.heap_profile(sim)
    np.testing.assert_array_equal(axes.lines[0].get_xydata(), np.transpose([heap.place, heap.height]))
    assert f"{heap.angle:.1f}°" in axes.get_legend().get_texts()[0].get_text()
    assert len(axes.lines) == 2 and axes.get_ylabel() == "height [m]"


def test_forces_are_drawn_over_time(sim):
    sim.advance(60)
    loads = sim.load_history()
    times = sim.scene.dt * np.arange(1, 61)
    axes = talus.plot.forces(times, loads, body=sim.body("floor"))
    for a, line in enumerate(axes.lines):
        np.testing.assert_array_equal(line.get_xydata(), np.transpose([times, loads.force[:, 0, a]]))
    assert axes.lines[2].get_ydata().min() < -1.0  # N, grains fall on the floor
    assert talus.plot.forces(times, loads, torque=True, filtered=True).get_ylabel() == "torque [N m]"
    again = talus.plot.forces(times, loads.force[:, 0])
    np.testing.assert_array_equal(again.lines[2].get_ydata(), axes.lines[2].get_ydata())
    with pytest.raises(ValueError, match=r"an array \[10, 3\] for times \[10\], not \[60, 3\]"):
        talus.plot.forces(times[:10], loads)
    with pytest.raises(ValueError, match="not of the last step alone"):
        talus.plot.forces(times, sim.body_loads())
    with pytest.raises(IndexError):
        talus.plot.forces(times, loads, body=3)


def test_metrics_are_drawn_from_a_run_and_from_a_file(sim, tmp_path):
    rows = talus.run(sim, 0.4, every=0.1, each=lambda s: (s.time, s.measure()), progress=False)
    panels = talus.plot.metrics(rows).axes
    energy = [measure.kinetic_energy for _, measure in rows]
    np.testing.assert_array_equal(panels[0].lines[0].get_xydata(), np.transpose([[time for time, _ in rows], energy]))
    assert [len(panel.lines) for panel in panels] == [1, 1, 2, 1]

    file = tmp_path / "metrics.csv"  # as `talus run --metrics` writes it, with a column more
    names = ["kinetic_energy", "contacts_mean", "penetration_mean", "penetration_max", "height"]
    lines = [",".join(["time", "step", *names])]
    lines += [",".join(map(repr, [time, 0, *(getattr(measure, name) for name in names)])) for time, measure in rows]
    file.write_text("\n".join(lines) + "\n")
    for panel, other in zip(talus.plot.metrics(file).axes, panels):
        for line, expected in zip(panel.lines, other.lines):
            np.testing.assert_array_equal(line.get_xydata(), expected.get_xydata())
    file.write_text("time,height\n0,1\n")
    with pytest.raises(ValueError, match="metrics.csv: has no column kinetic_energy, contacts_mean"):
        talus.plot.metrics(file)
    with pytest.raises(ValueError, match="no rows"):
        talus.plot.metrics([])


def test_an_overview_has_what_there_is_to_see():
    sim = cone()
    before = sim.plot()
    assert before._suptitle.get_text() == "A cone: 0.00 s on CPU"
    assert [axes.get_ylabel() for axes in before.axes[:2]] == ["z [m]", "height [m]"]  # no step yet, and so no forces
    sim.advance(5)
    discs, _, forces = sim.plot().axes[:3]
    collection = discs.collections[0]
    assert len(collection.get_offsets()) == sim.grain_count
    assert collection.get_array().max() == pytest.approx(sim.measure().speed_max, rel=1e-5)
    assert forces.get_ylabel() == "force [N]" and len(forces.lines[0].get_xdata()) == 5
    assert forces.lines[0].get_label() == "lid"


def test_worlds_are_drawn_alone():
    sim = cone(worlds=2)
    sim.reset_worlds([1], seeds=[3])
    assert len(talus.plot.grains(sim, world=1).collections[0].get_offsets()) == sim.grain_count / 2


def test_notebooks_show_a_picture(sim, monkeypatch):
    picture = sim._repr_png_()
    if not any(device.usable for device in talus.devices()):
        assert picture is None
        return
    assert picture.startswith(b"\x89PNG")
    from io import BytesIO

    pixels = pyplot.imread(BytesIO(picture))
    assert pixels.shape[:2] == (360, 640) and pixels.std() > 0.02

    def cannot(*_):
        raise talus.DeviceError("no Vulkan device can draw")

    class WithoutDevice:
        render = cannot

    assert talus.plot.png(WithoutDevice()) is None

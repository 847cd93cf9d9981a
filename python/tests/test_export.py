"""What is exported, read back by the programs it is for."""

import csv
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from ovito.io import import_file
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkIOXML import vtkXMLPolyDataReader

import talus

SCENE = """
[domain]
min = [-0.2, -0.2, 0.0]
max = [0.2, 0.2, 0.6]
y = "periodic"
[solver]
substeps = 4
rotation = true
[[material]]
name = "wet sand"
[[material]]
name = "gravel"
[[grains]]
material = "gravel"
radius = [0.01, 0.015]
count = 150
spin_random = 5
fill.box = { min = [-0.2, -0.2, 0.1], max = [0.2, 0.2, 0.3] }
[[grains]]
material = "wet sand"
radius = 0.011
count = 50
fill.box = { min = [-0.2, -0.2, 0.3], max = [0.2, 0.2, 0.5] }
[[body]]
name = "floor"
box = { size = [0.4, 0.4, 0.02] }
position = [0, 0, 0.01]
[[body]]
name = "blade"
box = { size = [0.02, 0.1, 0.1] }
position = [-0.1, 0, 0.08]
velocity = [0.5, 0, 0]
spin = [0, 0, 2]
[[cloth]]
name = "net"
material = "gravel"
grid = { size = [0.2, 0.2], cells = [5, 5] }
position = [0, 0, 0.55]
[upsampling]
radius = 0.004
"""
FRAMES = 4


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    """Directories by format, with the same times in each, and the states that were exported."""
    sim = talus.Simulation(talus.parse_scene(SCENE), device="cpu")
    out = tmp_path_factory.mktemp("exported")
    states = []
    for frame in range(FRAMES):
        if frame:
            sim.advance(5)
        for format in ("csv", "ply", "vtp", "extxyz"):
            sim.export(out / format, format)
        blade = sim.body_state("blade")
        states.append((sim.time, sim.grains(), sim.fine_grains(), blade, sim.cloth_state("net")))
    return out, states


def read_rows(file):
    with file.open(newline="") as lines:
        return list(csv.DictReader(lines))


def read_csv(file):
    rows = read_rows(file)
    columns = {key: np.array([float(row[key]) for row in rows], np.float32) for key in rows[0]}
    return columns | {"id": np.array([int(row["id"]) for row in rows])}


def vectors(columns, *names):
    return np.column_stack([columns[name] for name in names])


def read_vtp(file):
    reader = vtkXMLPolyDataReader()
    reader.SetFileName(str(file))
    reader.Update()
    assert reader.GetErrorCode() == 0
    return reader.GetOutput()


def array_of(data, name):
    return vtk_to_numpy(data.GetArray(name))


def collection(file):
    return [
        (float(d.get("timestep")), int(d.get("part")), file.parent / d.get("file"))
        for d in ElementTree.parse(file).getroot().iter("DataSet")
    ]


@pytest.mark.parametrize("kind", ["grains", "fine"])
def test_vtk_reads_grains_as_they_were(exported, kind):
    out, states = exported
    files = collection(out / "vtp" / f"{kind}.pvd")
    assert [time for time, _, _ in files] == [state[0] for state in states]
    assert [file.name for _, _, file in files] == [f"{kind}_{frame:05}.vtp" for frame in range(FRAMES)]
    for frame, (time, _, file) in enumerate(files):
        data = read_vtp(file)
        table = read_csv(out / "csv" / f"{kind}_{frame:05}.csv")
        assert array_of(data.GetFieldData(), "TimeValue").tolist() == [time]
        values = data.GetPointData()
        np.testing.assert_array_equal(vtk_to_numpy(data.GetPoints().GetData()), vectors(table, "x", "y", "z"))
        np.testing.assert_array_equal(array_of(values, "velocity"), vectors(table, "vx", "vy", "vz"))
        for name in ("radius", "id", "material", "world"):
            np.testing.assert_array_equal(array_of(values, name), table[name])
        assert values.HasArray("spin") == (kind == "grains")
        if kind == "grains":
            np.testing.assert_array_equal(array_of(values, "spin"), vectors(table, "wx", "wy", "wz"))
            np.testing.assert_array_equal(array_of(values, "spin"), states[frame][1].spin)
            assert np.abs(states[frame][1].spin).max() > 1.0
        assert data.GetNumberOfVerts() == len(table["id"]) > 100
        grains = states[frame][1 if kind == "grains" else 2]
        np.testing.assert_array_equal(vectors(table, "x", "y", "z"), grains.position)
        np.testing.assert_array_equal(table["id"], grains.id)


@pytest.mark.parametrize("kind", ["grains", "fine"])
def test_ovito_reads_grains_as_they_were(exported, kind):
    out, states = exported
    pipeline = import_file(str(out / "extxyz" / f"{kind}_*.extxyz"), sort_particles=False)
    assert pipeline.num_frames == FRAMES
    for frame in range(FRAMES):
        data = pipeline.compute(frame)
        table = read_csv(out / "csv" / f"{kind}_{frame:05}.csv")
        assert data.attributes["Time"] == states[frame][0]
        np.testing.assert_allclose(data.cell[:, :3], np.diag([0.4, 0.4, 0.6]))
        np.testing.assert_allclose(data.cell[:, 3], [-0.2, -0.2, 0.0])
        assert data.cell.pbc == (False, True, False)
        grains = data.particles
        np.testing.assert_array_equal(np.float32(grains.positions), vectors(table, "x", "y", "z"))
        np.testing.assert_array_equal(np.float32(grains["Velocity"]), vectors(table, "vx", "vy", "vz"))
        np.testing.assert_array_equal(np.float32(grains["Radius"]), table["radius"])
        if kind == "grains":
            spins = np.float32(grains["angular_velocity"])
            np.testing.assert_array_equal(spins, vectors(table, "wx", "wy", "wz"))
        np.testing.assert_array_equal(grains["Particle Identifier"], table["id"])
        names = np.array([grains.particle_types.type_by_id(t).name for t in grains.particle_types])
        np.testing.assert_array_equal(names, np.array(["wet_sand", "gravel"])[table["material"].astype(int)])


def turned(quaternion, vectors):
    x, w = quaternion[:3], quaternion[3]
    return vectors + 2 * np.cross(x, np.cross(x, vectors) + w * vectors)


def test_vtk_sees_bodies_move(exported):
    out, states = exported
    parts = collection(out / "vtp" / "bodies.pvd")
    assert sorted({time for time, _, _ in parts}) == [state[0] for state in states]
    poses = read_rows(out / "csv" / "bodies.csv")
    assert [row["body"] for row in poses] == ["floor", "blade"] * FRAMES
    corners = np.array([[x, y, z] for x in (-0.01, 0.01) for y in (-0.05, 0.05) for z in (-0.05, 0.05)])
    for frame, (time, _, _, blade, _) in enumerate(states):
        row = poses[2 * frame + 1]
        assert float(row["time"]) == time
        np.testing.assert_array_equal([float(row[key]) for key in ("x", "y", "z")], blade.position)
        np.testing.assert_array_equal([float(row[key]) for key in ("qx", "qy", "qz", "qw")], blade.rotation)
        seen = {}
        for _, _, file in (part for part in parts if part[0] == time):
            data = read_vtp(file)
            points = vtk_to_numpy(data.GetPoints().GetData())
            triangles = vtk_to_numpy(data.GetPolys().GetConnectivityArray()).reshape(-1, 3)
            bodies = array_of(data.GetCellData(), "body")
            for body in np.unique(bodies):
                assert body not in seen
                used = np.unique(triangles[bodies == body])
                seen[body] = points[used], array_of(data.GetPointData(), "velocity")[used]
        assert sorted(seen) == [0, 1]
        np.testing.assert_allclose(seen[0][0].max(axis=0), [0.2, 0.2, 0.02], atol=1e-7)
        expected = blade.position + turned(blade.rotation, corners)
        found = np.unique(seen[1][0].round(5), axis=0)
        np.testing.assert_allclose(found, np.unique(expected.round(5), axis=0), atol=2e-5)
        speeds = blade.velocity + np.cross(blade.spin, seen[1][0] - blade.position)
        np.testing.assert_allclose(seen[1][1], speeds, atol=1e-6)
    assert states[-1][3].position[0] - states[0][3].position[0] == pytest.approx(0.5 * states[-1][0])


def test_vtk_reads_cloth(exported):
    out, states = exported
    files = collection(out / "vtp" / "cloth.pvd")
    assert len(files) == FRAMES
    for (time, _, file), state in zip(files, states):
        assert time == state[0]
        data = read_vtp(file)
        np.testing.assert_array_equal(vtk_to_numpy(data.GetPoints().GetData()), state[4].position)
        np.testing.assert_array_equal(array_of(data.GetPointData(), "velocity"), state[4].velocity)
        corners = vtk_to_numpy(data.GetPolys().GetConnectivityArray()).reshape(-1, 3)
        np.testing.assert_array_equal(corners, state[4].triangles)


def test_one_file_of_grains_and_what_cannot_be(sim, tmp_path):
    sim.export(tmp_path / "heap.vtp")
    np.testing.assert_array_equal(
        vtk_to_numpy(read_vtp(tmp_path / "heap.vtp").GetPoints().GetData()), sim.grains().position
    )
    assert [file.name for file in tmp_path.iterdir()] == ["heap.vtp"]
    with pytest.raises(ValueError, match="unknown format 'obj'; use csv, ply, vtp or extxyz"):
        sim.export(tmp_path / "o", "obj")
    sim.export(tmp_path / "o", "csv")
    with pytest.raises(ValueError, match="another directory"):
        sim.export(tmp_path / "o", "vtp")
    with pytest.raises(talus.ExportError, match="heap.vtp"):
        sim.export(tmp_path / "heap.vtp", "csv")


def test_nothing_is_a_file_too(tmp_path):
    sim = talus.Simulation(talus.parse_scene("[scene]\ntitle = 'empty'\n"), device="cpu")
    sim.export(tmp_path, "vtp")
    data = read_vtp(tmp_path / "grains_00000.vtp")
    assert data.GetNumberOfPoints() == 0
    assert data.GetPointData().GetArray("velocity").GetNumberOfComponents() == 3

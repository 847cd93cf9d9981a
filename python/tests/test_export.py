"""What is exported, read back by the programs it is for."""

import csv
import xml.etree.ElementTree as ElementTree

import gsd.hoomd
import h5py
import meshio
import numpy as np
import pytest
from ovito.io import import_file
from pxr import Usd, UsdGeom
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkIOHDF import vtkHDFReader, vtkHDFWriter
from vtkmodules.vtkIOImage import vtkTIFFReader
from vtkmodules.vtkIOPLY import vtkPLYWriter
from vtkmodules.vtkIOXML import vtkXMLImageDataReader, vtkXMLPolyDataReader

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
FRAMES, STEPS = 4, 25
BEFORE = 1  # a frame in which no grains are deep in each other


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    """Directories by format, with the same times in each, and the states that were exported."""
    sim = talus.Simulation(talus.parse_scene(SCENE), device="cpu")
    out = tmp_path_factory.mktemp("exported")
    states = []
    for frame in range(FRAMES):
        if frame:
            sim.advance(STEPS)
        for format in ("csv", "ply", "vtp", "extxyz", "gsd", "usda", "vtkhdf"):
            sim.export(out / format, format, contacts=True)
        blade = sim.body_state("blade")
        states.append((sim.time, sim.grains(), sim.fine_grains(), blade, sim.cloth_state("net"), sim.contacts()))
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


def contact_columns(contacts):
    return {
        "position": contacts.point,
        "grain": contacts.grain,
        "kind": contacts.kind,
        "partner": contacts.partner,
        "world": contacts.world,
        "normal_force": contacts.normal,
        "friction": contacts.friction,
    }


def forces_of(grains, contacts):
    """What contacts do to each grain. Ids count from 0 here, without gaps."""
    forces = np.zeros((len(grains), 3))
    pushes = contacts.normal.astype(float) + contacts.friction
    np.add.at(forces, contacts.grain, pushes)
    pairs = contacts.kind == 0
    np.add.at(forces, contacts.partner[pairs], -pushes[pairs])
    return forces


def test_contacts_and_forces_are_exported(exported):
    out, states = exported
    assert len(states[-1][5]) > 20
    for frame, state in enumerate(states):
        grains, contacts = state[1], state[5]
        table = read_csv(out / "csv" / f"grains_{frame:05}.csv")
        forces = vectors(table, "fx", "fy", "fz")
        np.testing.assert_allclose(forces, forces_of(grains, contacts), rtol=1e-4, atol=1e-6)
        data = read_vtp(out / "vtp" / f"contacts_{frame:05}.vtp")
        for name, values in contact_columns(contacts).items():
            read = data.GetPoints().GetData() if name == "position" else data.GetPointData().GetArray(name)
            np.testing.assert_array_equal(vtk_to_numpy(read), values)
        np.testing.assert_array_equal(array_of(read_vtp(out / "vtp" / f"grains_{frame:05}.vtp").GetPointData(), "force"), forces)
        atoms = import_file(str(out / "extxyz" / f"grains_{frame:05}.extxyz"), sort_particles=False).compute()
        np.testing.assert_array_equal(np.float32(atoms.particles["Force"]), forces)


@pytest.mark.parametrize("kind", ["grains", "fine"])
def test_gsd_reads_grains_as_they_were(exported, kind):
    out, states = exported
    with gsd.hoomd.open(out / "gsd" / f"{kind}.gsd") as frames:
        assert len(frames) == FRAMES
        for frame, snapshot in enumerate(frames):
            table = read_csv(out / "csv" / f"{kind}_{frame:05}.csv")
            assert snapshot.configuration.step == STEPS * frame
            # Twice as wide as the domain reaches from the origin; along y, which is periodic, the period.
            np.testing.assert_allclose(snapshot.configuration.box, [0.4, 0.4, 1.2, 0, 0, 0], rtol=1e-6)
            particles = snapshot.particles
            assert particles.N == len(table["id"])
            assert particles.types == ["wet sand", "gravel"]
            np.testing.assert_array_equal(particles.typeid, table["material"])
            np.testing.assert_array_equal(particles.position, vectors(table, "x", "y", "z"))
            np.testing.assert_array_equal(particles.velocity, vectors(table, "vx", "vy", "vz"))
            np.testing.assert_array_equal(particles.diameter, 2 * table["radius"])
            assert snapshot.log["time"][0] == states[frame][0]
            np.testing.assert_array_equal(snapshot.log["particles/id"], table["id"])
            if kind == "grains":
                np.testing.assert_array_equal(snapshot.log["particles/spin"], vectors(table, "wx", "wy", "wz"))
                np.testing.assert_array_equal(snapshot.log["particles/force"], vectors(table, "fx", "fy", "fz"))


def test_ovito_reads_gsd(exported):
    out, states = exported
    pipeline = import_file(str(out / "gsd" / "grains.gsd"))
    assert pipeline.num_frames == FRAMES
    for frame in range(FRAMES):
        grains = pipeline.compute(frame).particles
        table = read_csv(out / "csv" / f"grains_{frame:05}.csv")
        np.testing.assert_array_equal(np.float32(grains.positions), vectors(table, "x", "y", "z"))
        np.testing.assert_array_equal(np.float32(grains["Velocity"]), vectors(table, "vx", "vy", "vz"))
        np.testing.assert_array_equal(np.float32(grains["Radius"]), table["radius"])


def read_vtkhdf(file, frame):
    reader = vtkHDFReader()
    reader.SetFileName(str(file))
    reader.UpdateInformation()
    assert reader.GetNumberOfSteps() == FRAMES
    reader.SetStep(frame)
    reader.Update()
    data = reader.GetOutputDataObject(0)
    return (data.GetPartition(0) if hasattr(data, "GetPartition") else data), reader.GetTimeValue()


@pytest.mark.parametrize("kind", ["grains", "fine", "contacts", "cloth", "bodies"])
def test_vtk_reads_hdf5_as_xml(exported, kind):
    out, states = exported
    names = {"cloth": "cloth_net"}
    for frame in range(FRAMES):
        data, time = read_vtkhdf(out / "vtkhdf" / f"{kind}.vtkhdf", frame)
        assert time == states[frame][0]
        if kind == "bodies":  # in vtp, those that moved have a file of their own
            parts = [read_vtp(file) for t, _, file in collection(out / "vtp" / "bodies.pvd") if t == time]
            points = np.concatenate([vtk_to_numpy(part.GetPoints().GetData()) for part in parts])
            found = vtk_to_numpy(data.GetPoints().GetData())
            np.testing.assert_array_equal(np.unique(found, axis=0), np.unique(points, axis=0))
            assert np.unique(array_of(data.GetCellData(), "body")).tolist() == [0, 1]
            continue
        expected = read_vtp(out / "vtp" / f"{names.get(kind, kind)}_{frame:05}.vtp")
        np.testing.assert_array_equal(vtk_to_numpy(data.GetPoints().GetData()), vtk_to_numpy(expected.GetPoints().GetData()))
        for cells in ("GetVerts", "GetPolys"):
            ours, theirs = (getattr(each, cells)().GetConnectivityArray() for each in (data, expected))
            np.testing.assert_array_equal(vtk_to_numpy(ours), vtk_to_numpy(theirs))
        values = expected.GetPointData()
        for k in range(values.GetNumberOfArrays()):
            name = values.GetArrayName(k)
            np.testing.assert_array_equal(array_of(data.GetPointData(), name), array_of(values, name))


def test_h5py_reads_vtkhdf(exported):
    out, states = exported
    with h5py.File(out / "vtkhdf" / "grains.vtkhdf") as file:
        root = file["VTKHDF"]
        assert root.attrs["Type"] == b"PolyData"
        assert root["Steps"].attrs["NSteps"] == FRAMES
        assert root["Steps/Values"][:].tolist() == [state[0] for state in states]
        for frame, begin in enumerate(root["Steps/PointOffsets"]):
            count = root["NumberOfPoints"][frame]
            np.testing.assert_array_equal(root["PointData/id"][begin : begin + count], states[frame][1].id)
            np.testing.assert_array_equal(root["Points"][begin : begin + count], states[frame][1].position)


def test_usd_reads_grains_bodies_and_cloth(exported):
    out, states = exported
    stage = Usd.Stage.Open(str(out / "usda" / "scene.usda"))
    assert UsdGeom.GetStageUpAxis(stage) == "Z" and UsdGeom.GetStageMetersPerUnit(stage) == 1.0
    assert (stage.GetStartTimeCode(), stage.GetEndTimeCode()) == (0, FRAMES - 1)
    assert stage.GetTimeCodesPerSecond() == pytest.approx(1 / states[1][0])
    points, fine = (UsdGeom.Points(stage.GetPrimAtPath(f"/talus/{name}")) for name in ("grains", "fine"))
    cloth = UsdGeom.Mesh(stage.GetPrimAtPath("/talus/cloth_net"))
    blade = UsdGeom.Xformable(stage.GetPrimAtPath("/talus/body_blade"))
    surface = UsdGeom.Mesh(stage.GetPrimAtPath("/talus/body_blade/surface"))
    colors = UsdGeom.PrimvarsAPI(points).GetPrimvar("displayColor")
    for frame, (_, grains, fines, pose, net, _) in enumerate(states):
        for prim, grain in ((points, grains), (fine, fines)):
            np.testing.assert_array_equal(np.array(prim.GetPointsAttr().Get(frame)), grain.position)
            np.testing.assert_array_equal(np.array(prim.GetVelocitiesAttr().Get(frame)), grain.velocity)
            np.testing.assert_array_equal(np.array(prim.GetWidthsAttr().Get(frame)), 2 * grain.radius)
            np.testing.assert_array_equal(np.array(prim.GetIdsAttr().Get(frame)), grain.id)
        assert len(colors.ComputeFlattened(frame)) == len(grains)
        np.testing.assert_array_equal(np.array(cloth.GetPointsAttr().Get(frame)), net.position)
        np.testing.assert_array_equal(np.array(cloth.GetVelocitiesAttr().Get(frame)), net.velocity)
        np.testing.assert_array_equal(np.array(cloth.GetFaceVertexIndicesAttr().Get()).reshape(-1, 3), net.triangles)
        transform = np.array(blade.GetLocalTransformation(frame))  # of row vectors
        np.testing.assert_allclose(transform[3, :3], pose.position, rtol=0, atol=1e-15)
        np.testing.assert_allclose(transform[:3, :3], turned(pose.rotation, np.eye(3)), rtol=0, atol=1e-12)
    corners = np.array(surface.GetPointsAttr().Get())
    np.testing.assert_allclose(np.abs(corners).max(axis=0), [0.01, 0.05, 0.05], rtol=1e-6)


def test_usd_reads_contacts(exported):
    out, states = exported
    stage = Usd.Stage.Open(str(out / "usda" / "scene.usda"))
    prim = UsdGeom.Points(stage.GetPrimAtPath("/talus/contacts"))
    assert prim.GetPurposeAttr().Get() == "guide"  # renderers leave them out
    assert np.array(prim.GetWidthsAttr().Get()) == np.float32(0.2 * 0.01)
    values = UsdGeom.PrimvarsAPI(prim)
    for frame in range(FRAMES):
        expected = read_vtp(out / "vtp" / f"contacts_{frame:05}.vtp")
        points = np.array(prim.GetPointsAttr().Get(frame)).reshape(-1, 3)
        assert len(points) == len(states[frame][5])
        np.testing.assert_array_equal(points, vtk_to_numpy(expected.GetPoints().GetData()))
        for name in ("grain", "kind", "partner", "world", "normal_force", "friction"):
            found = np.array(values.GetPrimvar(name).Get(frame))
            np.testing.assert_array_equal(found, array_of(expected.GetPointData(), name).reshape(found.shape))
    assert len(points) > 10


def test_meshio_reads_meshes(exported):
    out, states = exported
    blade = meshio.read(out / "ply" / "body_blade.ply")
    np.testing.assert_allclose(np.abs(blade.points).max(axis=0), [0.01, 0.05, 0.05], rtol=1e-6)
    cloth = meshio.read(out / "ply" / f"cloth_net_{FRAMES - 1:05}.ply")
    np.testing.assert_array_equal(cloth.points, states[-1][4].position)
    np.testing.assert_array_equal(cloth.cells_dict["triangle"], states[-1][4].triangles)


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
    for frame, (time, _, _, blade, *_) in enumerate(states):
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
    with pytest.raises(ValueError, match="unknown format 'obj'; use csv, ply, vtp, extxyz, gsd, usda or vtkhdf"):
        sim.export(tmp_path / "o", "obj")
    sim.export(tmp_path / "o", "csv")
    with pytest.raises(ValueError, match="another directory"):
        sim.export(tmp_path / "o", "vtp")
    with pytest.raises(ValueError, match="without contacts"):
        sim.export(tmp_path / "o", "csv", contacts=True)
    with pytest.raises(talus.ExportError, match="heap.vtp"):
        sim.export(tmp_path / "heap.vtp", "csv")


def test_nothing_is_a_file_too(tmp_path):
    sim = talus.Simulation(talus.parse_scene("[scene]\ntitle = 'empty'\n"), device="cpu")
    sim.export(tmp_path, "vtp")
    data = read_vtp(tmp_path / "grains_00000.vtp")
    assert data.GetNumberOfPoints() == 0
    assert data.GetPointData().GetArray("velocity").GetNumberOfComponents() == 3


def test_vtk_reads_the_heights_of_the_ground(tmp_path):
    scene = talus.parse_scene(
        """
        [domain]
        min = [-0.1, 0.0, -0.02]
        max = [0.3, 0.2, 0.2]
        [[material]]
        name = "sand"
        [soil]
        material = "sand"
        radius = 0.01
        height = 0.06
        parts = [{ box.size = [0.1, 0.4, 0.1], position = [0.3, 0.0, 0.03] }]
        """
    )
    sim = talus.Simulation(scene, device="cpu")
    heights = sim.soil_heights()
    assert heights.shape == (4, 8) and heights[0, 7] > heights[0, 0] + 0.01
    for format in ("csv", "vtp"):
        sim.export(tmp_path / format, format)
    for name, suffix in (("csv", "tif"), ("vtp", "vti")):
        row = read_rows(tmp_path / name / "index_ground.csv")[0]
        assert row == {"file": f"ground_00000.{suffix}", "time": "0", "step": "0", "world": "0"}
        sim.export(tmp_path / f"alone.{suffix}")
        assert (tmp_path / f"alone.{suffix}").read_bytes() == (tmp_path / name / row["file"]).read_bytes()

    reader = vtkXMLImageDataReader()
    reader.SetFileName(str(tmp_path / "alone.vti"))
    reader.Update()
    image = reader.GetOutput()
    np.testing.assert_array_equal(array_of(image.GetPointData(), "height").reshape(4, 8), heights)
    np.testing.assert_allclose(image.GetOrigin(), (-0.075, 0.025, -0.02))
    np.testing.assert_allclose(image.GetSpacing(), (0.05, 0.05, 1.0))

    tiff = vtkTIFFReader()
    tiff.SetFileName(str(tmp_path / "alone.tif"))
    tiff.Update()
    rows = vtk_to_numpy(tiff.GetOutput().GetPointData().GetScalars()).reshape(4, 8)  # as in the file, from the greatest y on
    np.testing.assert_array_equal(rows[::-1], heights)


TYPES = "fill.materials = ['wet sand', 'gravel']\n"


def grains_of(file, tmp_path, more=TYPES):
    """Returns the grains that a scene starts with whose fill is the file."""
    scene = tmp_path / "start.toml"
    scene.write_text(
        SCENE[: SCENE.index("[[grains]]")]
        + f"[[grains]]\nmaterial = 'gravel'\nfill.file = '{file}'\n{more}"
    )
    return talus.Simulation(talus.load_scene(scene), device="cpu").grains()


@pytest.mark.parametrize("name", ["ply/grains_00001.ply", "vtkhdf/grains.vtkhdf"])
def test_a_scene_starts_from_what_was_exported(exported, tmp_path, name):
    out, states = exported
    grains = states[BEFORE][1]
    start = grains_of(out / name, tmp_path, TYPES + (f"fill.frame = {BEFORE}" if name.endswith("hdf") else ""))
    for quantity in ("position", "velocity", "radius", "material"):
        np.testing.assert_array_equal(getattr(start, quantity), getattr(grains, quantity))
    np.testing.assert_allclose(start.spin, grains.spin, rtol=2e-7)


def read_back(states, tmp_path, more=TYPES):
    """Is a.ply or a.vtkhdf the state before the blade has pressed grains into each other, which would be moved apart?"""
    (file,) = tmp_path.glob("a.*")
    grains = states[BEFORE][1]
    start = grains_of(file, tmp_path, more)
    np.testing.assert_array_equal(start.position, grains.position)
    np.testing.assert_array_equal(start.velocity, grains.velocity)
    np.testing.assert_array_equal(start.radius, grains.radius)
    np.testing.assert_array_equal(start.material, grains.material)


@pytest.mark.parametrize("binary", [True, False])
def test_a_scene_starts_from_ply_of_meshio(exported, tmp_path, binary):
    out, states = exported
    grains = states[BEFORE][1]
    data = {f"v{axis}": grains.velocity[:, k] for k, axis in enumerate("xyz")}
    data |= {"radius": grains.radius, "material": grains.material.astype(np.int32)}
    cells = [("triangle", np.array([[0, 1, 2]]))]
    meshio.Mesh(grains.position, cells, point_data=data).write(tmp_path / "a.ply", binary=binary)
    read_back(states, tmp_path)


@pytest.mark.parametrize("order", ["LittleEndian", "BigEndian", "ASCII"])
def test_a_scene_starts_from_ply_of_vtk(exported, tmp_path, order):
    """VTK writes the positions alone."""
    out, states = exported
    writer = vtkPLYWriter()
    writer.SetFileName(str(tmp_path / "a.ply"))
    writer.SetInputData(read_vtp(out / "vtp" / f"grains_{BEFORE:05}.vtp"))
    if order == "ASCII":
        writer.SetFileTypeToASCII()
    else:
        writer.SetFileTypeToBinary()
        getattr(writer, f"SetDataByteOrderTo{order}")()
    writer.Write()
    start = grains_of(tmp_path / "a.ply", tmp_path, "radius = 0.01\n")
    expected = states[BEFORE][1].position
    if order == "ASCII":  # in six digits
        np.testing.assert_allclose(start.position, expected, rtol=1e-5, atol=1e-7)
    else:
        np.testing.assert_array_equal(start.position, expected)


@pytest.mark.parametrize("transient", [True, False])
def test_a_scene_starts_from_vtkhdf_of_vtk(exported, tmp_path, transient):
    out, states = exported
    writer = vtkHDFWriter()
    writer.SetFileName(str(tmp_path / "a.vtkhdf"))
    if transient:
        reader = vtkHDFReader()
        reader.SetFileName(str(out / "vtkhdf" / "grains.vtkhdf"))
        writer.SetInputConnection(reader.GetOutputPort())
        writer.SetWriteAllTimeSteps(True)
    else:
        writer.SetInputData(read_vtp(out / "vtp" / f"grains_{BEFORE:05}.vtp"))
    writer.Write()
    read_back(states, tmp_path, TYPES + (f"fill.frame = {BEFORE}" if transient else ""))


def test_a_scene_starts_from_vtkhdf_of_h5py(exported, tmp_path):
    """Doubles, whole numbers of 64 bits and a string of any length, in a file of one time."""
    out, states = exported
    grains = states[BEFORE][1]
    with h5py.File(tmp_path / "a.vtkhdf", "w") as file:
        root = file.create_group("VTKHDF")
        root.attrs["Version"] = (2, 0)
        root.attrs["Type"] = "UnstructuredGrid"
        root["NumberOfPoints"] = [len(grains)]
        root["Points"] = grains.position.astype(np.float64)
        root["PointData/velocity"] = grains.velocity
        root["PointData/diameter"] = 2.0 * grains.radius.astype(np.float64)
        root["PointData/material"] = grains.material.astype(np.int64)
        root["PointData/name"] = np.array([b"grain"] * len(grains))  # says nothing to Talus
    read_back(states, tmp_path)
    for change, error in (
        (lambda root: root.attrs.modify("Type", "ImageData"), "holds ImageData: allowed are PolyData"),
        (lambda root: root.attrs.modify("Type", "PolyData") or root.__delitem__("Points"), "has no table of numbers Points"),
        (lambda root: root.__setitem__("Points", np.zeros((3, 3))), "it says to have 200 points, and has 3"),
    ):
        with h5py.File(tmp_path / "a.vtkhdf", "r+") as file:
            change(file["VTKHDF"])
        with pytest.raises(talus.SceneError, match=error):
            grains_of(tmp_path / "a.vtkhdf", tmp_path)

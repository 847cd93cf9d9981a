"""What holds for all that is public: docstrings with shapes and units, types, the reference page, a quick import."""

import ast
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

PYTHON = Path(__file__).parents[1]
reference = runpy.run_path(str(PYTHON / "scripts" / "reference.py"))
members = reference["members"]()


def definitions(member):
    """Its signatures as syntax trees."""
    return [ast.parse(f"def {signature}: ...").body[0] for signature in member.signatures] if member.kind == "function" else []


def returned(member):
    """The types that it returns."""
    if member.kind != "function":
        return " ".join(member.signatures)
    return " ".join(ast.unparse(definition.returns) for definition in definitions(member) if definition.returns)


ARRAY = r"\b(float32|float64|float|uint32|uint8|bool|int64) \["
UNIT = r"\[[^\[\]]*\b(m|s|m/s|m/s2|rad/s|rad|N|N m|J|kg|kg m/s|1/kg|degrees|degrees/s|ms|bytes)\b[^\[\]]*\]"
NO_UNIT = r"\b(share|shares|radii of|quaternions?|number of|numbers|ids?|indices|index|what the partner|partner|vertices at|colours|picture|units)\b"


def named(member):
    return member.name


def test_the_walk_sees_what_there_is():
    names = set(map(named, members))
    assert len(names) > 200
    assert {"talus.Scene.title", "talus.Simulation.advance", "talus.JointLoad.along", "talus.run", "talus.SceneError", "talus.plot.profile",
            "talus.plot.HeapProfile.angle", "talus.envs.vector.WorldsEnv.fork", "talus.envs.worlds.Worlds.masses"} <= names  # fmt: skip


@pytest.mark.parametrize("member", members, ids=named)
def test_docstrings_say_shapes_units_and_parameters(member):
    assert member.doc, "has no docstring"
    assert member.doc.endswith("."), "the docstring ends within a sentence"
    types = returned(member)
    array = re.search(r"NDArray|ndarray", types)
    if array:
        assert re.search(ARRAY, member.doc), f"returns {types}: the docstring has no type and shape, such as float32 [N, 3]"
    if array or re.search(r"\bfloat\b", types):
        assert re.search(UNIT, member.doc) or re.search(NO_UNIT, member.doc, re.IGNORECASE), f"returns {types}: the docstring has no unit"
    for definition in definitions(member):
        for parameter in (node.arg for node in ast.walk(definition.args) if isinstance(node, ast.arg)):
            assert re.search(rf"\b{parameter}\b", member.doc), f"the docstring does not say what {parameter} is"


def test_the_reference_page_is_up_to_date():
    page = reference["PAGE"]
    assert page.read_text(encoding="utf-8") == reference["page"](), f"{page} is out of date: python python/scripts/reference.py"


@pytest.fixture(scope="module")
def mypy(tmp_path_factory):
    """mypy --strict from a folder in which `talus` is the package that is installed, with its stubs."""
    folder = tmp_path_factory.mktemp("mypy")

    def check(*arguments):
        done = subprocess.run(
            [sys.executable, "-m", "mypy", "--config-file", str(PYTHON / "pyproject.toml"), *map(str, arguments)],
            cwd=folder, capture_output=True, text=True,
        )  # fmt: skip
        return done.returncode, done.stdout + done.stderr

    return check


def test_types_of_the_package_are_right(mypy):
    status, said = mypy("-p", "talus")
    assert status == 0, said
    assert "no issues found" in said


def test_types_of_scripts_are_right(mypy):
    status, said = mypy(*sorted(PYTHON.glob("examples/*.py")), PYTHON / "scripts" / "reference.py")
    assert status == 0, said


def test_types_tell_what_is_wrong_in_a_program(mypy, tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        "import talus\n"
        "sim = talus.Simulation(talus.load_scene('a.toml'), device=3)\n"  # a str
        "sim.advance('ten')\n"
        "talus.nonsense()\n"
        "mass = sim.soil['mass']\n"  # may be None
        "reveal_type(sim.grains().position)\n"
        "reveal_type(sim.joint_load('arm'))\n"
        "sim.move_body('blade', (0.0, 0.0, 1.0), speed=0.5)\n"
        "talus.Scene().add_body(name='floor', box={'size': [1, 1, 0.1]})\n"
    )
    status, said = mypy(program)
    wrong = [int(line) for line in re.findall(r"program\.py:(\d+): error", said)]
    assert (status, wrong) == (1, [2, 3, 4, 5]), said
    assert re.search(r":6: note: .*ndarray.*floating\[.*32", said) or re.search(r":6: note: .*ndarray.*float32", said), said
    assert "JointLoad | None" in said


def run(program):
    return subprocess.run([sys.executable, "-c", program], cwd=PYTHON / "tests", capture_output=True, text=True, check=True).stdout.split()


def test_import_leaves_large_packages_alone():
    loaded = run("import sys, talus; talus.plot; print(*sys.modules)")
    assert "numpy" in loaded and "talus.plot" in loaded
    assert not {"gymnasium", "matplotlib", "pygame", "tqdm", "talus.envs.vector"} & set(loaded)


@pytest.mark.parametrize("imports", ["import talus, gymnasium", "import gymnasium, talus",
                                     "import talus, importlib.util; importlib.util.find_spec('gymnasium'); import gymnasium"])  # fmt: skip
def test_environments_are_registered_in_any_order_of_imports(imports):
    found = run(imports + "; print(*(name for name in gymnasium.registry if name.startswith('talus/')))")
    assert found == ["talus/Bulldozing-v0", "talus/Excavation-v0", "talus/GearTower-v0", "talus/SiteExcavation-v0"]


def test_what_needs_a_package_that_is_missing_says_so():
    block = "import sys; sys.modules['gymnasium'] = sys.modules['matplotlib'] = None\nimport talus\n"
    said = run(block + "try:\n    talus.plot.forces([0.0], [[0.0, 0.0, 0.0]])\nexcept ModuleNotFoundError as error:\n    print(error)\n"
               "try:\n    talus.register()\nexcept ModuleNotFoundError as error:\n    print(error)\n")  # fmt: skip
    assert "pip install talus[plot]" in " ".join(said) and "gymnasium" in " ".join(said)

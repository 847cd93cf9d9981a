"""Writes the reference of the Python API, docs/python_api.md, from the docstrings: python python/scripts/reference.py

It describes the package talus that is installed. `members()` is what the tests look at as well.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import talus

PAGE = Path(__file__).resolve().parents[2] / "docs" / "python_api.md"
MODULES = (
    "talus",
    "talus.plot",
    "talus.mujoco",
    *(f"talus.envs.{name}" for name in ("bulldozing", "excavation", "gear_tower", "site_excavation", "vector", "worlds", "tracks")),
)
INTRODUCTION = """\
# Reference of the Python API

`python python/scripts/reference.py` writes this page from the docstrings of the package, and a test fails where it is out of date.
[python/README.md](../python/README.md) introduces the package. Lengths are in metres, masses in kilograms, times in seconds and forces in newtons; z is up,
and angles of joints are in degrees. Quaternions are x, y, z, w. `float32 [N, 3]` is a NumPy array of that type and shape.
"""


@dataclass(frozen=True)
class Member:
    """Something public."""

    name: str  # with its module: talus.Scene.title
    kind: str  # "module", "class", "function", "property" or "field"
    signatures: tuple[str, ...]  # as Python's definitions have them, without "def"; of a property, its type
    doc: str


def signatures_of(function: Any, name: str) -> tuple[str, ...]:
    """Signatures of a function, one per overload, with short names of types."""
    bound = getattr(function, "__nb_signature__", None)
    if bound is None:
        texts = [f"{name}{inspect.signature(function)}"]
    else:  # nanobind stands \0, \1 and so on for default values
        texts = [re.sub(r"\\(\d+)", lambda at: repr(overload[2][int(at[1])]), overload[0].removeprefix("def ")) for overload in bound]
    return tuple(short(text) for text in texts)


def short(text: str) -> str:
    """A signature or a type without the modules of types, and without the shapes of arrays, which docstrings tell."""
    text = re.sub(r"ndarray\[dtype=(\w+)[^\]]*\]", r"NDArray[\1]", text)
    text = re.sub(r"\b(?:talus\._core|talus|numpy\.typing|numpy|np|collections\.abc|typing|os|pathlib|matplotlib\.\w+)\.(?=\w)", "", text)
    text = re.sub(r"<(\w+\.\w+): [^>]*>", r"\1", text)  # members of an enum
    text = re.sub(r"(: |-> )'([^']*)'", r"\1\2", text)  # annotations that are text
    return re.sub(r"\(self(?:, )?", "(", text).replace("'", '"')


def docs_of(thing: Any) -> str:
    """Docstring, without the signatures that nanobind puts before it; overloads one after another."""
    bound = getattr(thing, "__nb_signature__", None)
    if bound is None:
        return inspect.cleandoc(thing.__doc__ or "")
    return "\n\n".join(inspect.cleandoc(overload[1] or "") for overload in bound)


def fields_of(cls: type) -> dict[str, str]:
    """Docstrings below the fields of a class."""
    try:
        source = inspect.getsource(cls)
    except (OSError, TypeError):
        return {}
    return {name: inspect.cleandoc(doc) for name, doc in re.findall(r'^    (\w+): [^\n]+\n    """(.*?)"""', source, re.DOTALL | re.MULTILINE)}


def members_of_class(cls: type, name: str) -> Iterator[Member]:
    yield Member(name, "class", (), inspect.cleandoc(cls.__dict__.get("__doc__") or ""))
    fields = getattr(cls, "__dataclass_fields__", {})
    docs = fields_of(cls)
    for field in fields:
        yield Member(f"{name}.{field}", "field", (short(str(cls.__annotations__[field])),), docs.get(field, ""))
    for key, value in cls.__dict__.items():
        if key == "__init__" and not fields and inspect.isroutine(value) and (hasattr(value, "__nb_signature__") or inspect.isfunction(value)):
            made = tuple(s.replace("__init__(", f"{cls.__name__}(").removesuffix(" -> None") for s in signatures_of(value, key))
            yield Member(f"{name}.{key}", "function", made, docs_of(value))
        elif key.startswith("_"):
            continue
        elif isinstance(value, property):
            bound = getattr(value.fget, "__nb_signature__", None)
            returned = bound[0][0].rpartition("-> ")[2] if bound else value.fget.__annotations__["return"]
            yield Member(f"{name}.{key}", "property", (short(returned),), inspect.cleandoc(value.__doc__ or ""))
        elif callable(value) and not isinstance(value, type):
            yield Member(f"{name}.{key}", "function", signatures_of(value, key), docs_of(value))


def members_of_module(module: ModuleType) -> Iterator[Member]:
    yield Member(module.__name__, "module", (), inspect.cleandoc(module.__doc__ or ""))
    names = getattr(module, "__all__", None) or [n for n, v in vars(module).items() if getattr(v, "__module__", None) == module.__name__]
    for name in names:
        value = getattr(module, name)
        if name.startswith("_") or isinstance(value, ModuleType):
            continue
        if isinstance(value, type):
            yield from members_of_class(value, f"{module.__name__}.{name}")
        elif callable(value):
            yield Member(f"{module.__name__}.{name}", "function", signatures_of(value, name), docs_of(value))


def members() -> list[Member]:
    """All that is public in talus: modules, classes, their properties and methods, and functions."""
    return [member for name in MODULES for member in members_of_module(import_module(name))]


def page() -> str:
    """The page as Markdown."""
    lines = [INTRODUCTION]
    classes: dict[str, str] = {}  # by docstring
    for member in members():
        owner, _, name = member.name.rpartition(".")
        if member.kind == "module":
            lines.append(f"## {member.name}\n\n{member.doc}\n")
        elif member.kind == "class":
            same = classes.setdefault(member.doc, name)
            doc = member.doc if same == name else f"A single environment: as {same}, without the axis of num_envs."
            lines.append(f"### {member.name}\n\n{doc}\n")
        elif member.kind == "function":
            heading = f"### {member.name}()\n\n" if owner in MODULES else ""
            lines.append(heading + "".join(f"**`{signature}`**\\\n" for signature in member.signatures) + f"{member.doc}\n")
        else:
            lines.append(f"**`{name}`**: `{member.signatures[0]}`\\\n{member.doc}\n")
    return "\n".join(lines)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print("written:", PAGE)

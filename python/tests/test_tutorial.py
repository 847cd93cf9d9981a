"""Runs the pages of docs/tutorial and docs/howto as a reader does: blocks are saved under the name that the paragraph above them says, and commands are run in one folder."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
NUMBER = r"[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?"


def pages():
    """The tutorial first, whose scenes the others use."""
    docs = REPOSITORY / "docs"
    return [*sorted((docs / "tutorial").glob("[0-9]_*.md")), *(page for page in sorted((docs / "howto").glob("*.md")) if "```" in page.read_text())]


def blocks(text):
    """(language, text, the paragraph above) of each fenced block of a page."""
    for block in re.finditer(r"^```(\w+)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
        above = text[: block.start()].rstrip().rsplit("\n\n", 1)[-1]
        yield block[1], block[2], above


def agrees(expected, line, slack=()):
    """Whether a line of output is the one that a page shows: the same words, and numbers within 10 % or within `slack`, by their order in the line.

    Three dots on a page stand for anything.
    """
    pattern = "".join(
        f"({NUMBER})" if re.fullmatch(NUMBER, piece) else re.escape(piece).replace(r"\.\.\.", ".*")
        for piece in re.split(f"({NUMBER})", expected.strip())
    )
    found = re.fullmatch(pattern, line.strip())
    if not found:
        return False
    shown = [float(number) for number in re.findall(NUMBER, expected)]
    slack = [*slack, *[1e-9] * len(shown)][: len(shown)]
    return all(float(is_) == pytest.approx(was, rel=0.1, abs=by) for is_, was, by in zip(found.groups(), shown, slack, strict=True))


def slack_of(lines, above):
    """By how much the numbers of a block may differ: where a comment above it says `scatter: S`, by S times the greatest number in the same place of
    its lines. Forces and returns of grains are chaotic: they change with each change of the last bit."""
    scatter = re.search(r"<!-- scatter: ([0-9.]+) -->", above)
    numbers = [[abs(float(number)) for number in re.findall(NUMBER, line)] for line in lines]
    most = max(map(len, numbers), default=0)
    return [float(scatter[1]) * max(row[k] for row in numbers if k < len(row)) for k in range(most)] if scatter else []


def run(commands, folder, status):
    """The lines that commands print, each command being one that ends with this status."""
    environment = os.environ | {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",  # the talus and the python of this environment
        "MPLBACKEND": "agg",
        "VK_LOADER_DRIVERS_SELECT": "lvp*",  # the pages show what the CPU path computes, and lavapipe can draw
    }
    done = subprocess.run(["bash", "-ec", commands], cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120)
    assert done.returncode == status, f"{commands}\n{done.stdout}"
    return re.split(r"[\r\n]+", done.stdout)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    (folder / "scenes").symlink_to(REPOSITORY / "scenes")
    return folder


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.stem)
def test_a_page_says_what_happens(page, folder):
    told, commands = list(blocks(page.read_text())), 0
    for number, (language, text, above) in enumerate(told):
        if language in ("toml", "python"):
            name = re.search(r"(Save|Append) (?:this|it) [^`]*`([a-z_]+\.(?:toml|py))`", above)
            assert name, f"the paragraph above a block of {page.name} says its file: {above}"
            with open(folder / name[2], "a" if name[1] == "Append" else "w") as file:
                file.write(text)
        elif language == "sh":
            shows = told[number + 1 :] and told[number + 1][0] == "text"
            shown = told[number + 1][1].splitlines() if shows else []
            slack = slack_of(shown, told[number + 1][2]) if shows else []
            output = iter(run(text, folder, 2 if "error: " in "".join(shown) else 0))
            for line in shown:
                assert any(agrees(line, is_, slack) for is_ in output), f"{page.name} shows, which does not come: {line}"
            commands += 1
        else:
            assert language == "text", f"{page.name} has a block of {language}"
    assert commands > 0
    for picture in re.findall(r"!\[[^]]*\]\(([^)]*)\)", page.read_text()):
        assert 5_000 < (page.parent / picture).stat().st_size < 150_000


def test_numbers_that_differ_are_seen():
    assert agrees("friction 0.3: 24 degrees", "friction 0.3: 25 degrees")
    assert not agrees("friction 0.3: 24 degrees", "friction 0.3: 27 degrees")
    assert not agrees("friction 0.3: 24 degrees", "friction 0.3: 24 degrees high")
    assert agrees("done: 400 steps, ...", "done: 400 steps, 1.6 s in 2.5 s") and not agrees("done: 400 steps, ...", "done: 300 steps, 1.6 s")
    assert slack_of(["1 N, 4 m", "-8 N"], "<!-- scatter: 0.5 -->") == [4.0, 2.0] and slack_of(["1 N"], "") == []
    assert agrees("0 N, 4 m", "3 N, 4 m", [4.0, 2.0]) and not agrees("0 N, 4 m", "5 N, 4 m", [4.0, 2.0])

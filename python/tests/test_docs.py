"""The documents: links, anchors and pictures of docs/, of the READMEs and of all pages that they lead to."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]


def warnings_of(root, site):
    """Whether the site of a copy of the repository is made with --strict, and the warnings on the way."""
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--config-file", root / "docs" / "site" / "mkdocs.yml", "--site-dir", site]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    return done.returncode == 0, [line for line in done.stderr.splitlines() if line.startswith(("WARNING", "ERROR"))]


def test_no_link_is_dead_and_every_page_is_in_the_menu(tmp_path):
    made, warnings = warnings_of(REPOSITORY, tmp_path / "site")
    assert not warnings and made
    assert (tmp_path / "site" / "tutorial" / "1_heap.png").is_file()
    assert (tmp_path / "site" / "scenes" / "index.html").is_file()
    assert 'href="../engine/talus.h"' in (tmp_path / "site" / "library" / "index.html").read_text()


def test_dead_links_are_found(tmp_path):
    shutil.copytree(REPOSITORY / "docs" / "site", tmp_path / "docs" / "site")
    settings = tmp_path / "docs" / "site" / "mkdocs.yml"
    settings.write_text(settings.read_text().split("\nnav:")[0] + "\n")
    (tmp_path / "docs" / "page.md").write_text("# Page\n\n## A heading, of two words\n\n[up](../README.md) [file](../scene.toml)\n")
    (tmp_path / "scene.toml").write_text("")
    readme = tmp_path / "README.md"
    readme.write_text("# All\n\n[page](docs/page.md#a-heading-of-two-words)\n\n    [code](docs/none.md)\n")
    assert warnings_of(tmp_path, tmp_path / "site") == (True, [])
    for dead in ("[page](docs/none.md)", "[anchor](docs/page.md#none)", "![picture](docs/none.png)", "[own anchor](#none)", "[file](none.toml)", "[above](../x.md)"):
        readme.write_text(f"# All\n\n{dead}\n")
        made, warnings = warnings_of(tmp_path, tmp_path / "site")
        assert not made and "README.md" in warnings[0], dead


def test_parameters_of_methods_are_those_of_the_reference():
    keys, table = {}, ""  # unit and default, by table and key
    for line in (REPOSITORY / "docs" / "scene_keys.md").read_text().splitlines():
        if line.startswith("## "):
            table = re.sub(r"\W", "", line)
        elif line.startswith("| "):
            key, _, unit, _, default, *_ = (cell.strip() for cell in line.strip("|").split("|"))
            keys[f"{table}.{key}"] = unit, default
    compared = 0
    for page in sorted((REPOSITORY / "docs" / "methods").glob("[a-z]*.md")):
        for line in page.read_text().splitlines():
            if not line.startswith("| `"):
                continue
            names, unit, defaults, _ = (cell.strip() for cell in line.strip("|").split("|"))
            for name, default in zip(names.split(", "), defaults.split(", ") if ", `" in names else [defaults]):
                of_reference = keys[name.strip("`")]
                assert unit == of_reference[0] and default in of_reference[1], f"{page.name}: {name} is {of_reference}"
                compared += 1
    assert compared > 30


def literals(text):
    """String literals of C++ and Python, those that follow one another joined."""
    found = re.sub(r'"\s*\n?\s*f?"', "", re.sub(r'\\"', "\x00", text))
    return [literal.replace("\x00", '"') for literal in re.findall(r'"([^"\n]*)"', found)]


def words_of(message):
    """What a message always says, without what it fills in."""
    pieces = re.split(r"\{(?:[^{}]|\{[^{}]*\})*\}|\.\.|\\n", message)
    return [piece.strip(" .,:;\"'=()") for piece in pieces if piece.strip(" .,:;\"'=()")]


def sources():
    for folder, ending in (("engine", "*.cpp"), ("engine", "*.h"), ("viewer", "*.cpp"), ("python/talus", "*.py")):
        yield from sorted((REPOSITORY / folder).rglob(ending))


def messages_of_page():
    rows = [line for line in (REPOSITORY / "docs" / "messages.md").read_text().splitlines() if line.startswith("| `")]
    return [message for row in rows for message in re.findall(r"`([^`]*)`", row.split(" | ")[0])]


def test_messages_of_the_page_are_those_of_the_program():
    said = [literal for source in sources() for literal in literals(source.read_text())]
    missing = [message for message in messages_of_page() if not all(any(words in literal for literal in said) for words in words_of(message))]
    assert len(messages_of_page()) > 120 and not missing


def test_every_warning_and_note_is_on_the_page():
    gives = r"(?:\bwarn|arnings\.append|(?:arnings|notes|repairs)_?\.push_back|add_note_once|\bnote)\(|\bnote = "
    prints = r"(?:print_err|print_out|fmt::print)\("
    page = [words_of(message) for message in messages_of_page()]
    page = [words for words in page if any(piece.count(" ") >= 2 for piece in words)]
    told = 0
    for source in sources():
        text = source.read_text()
        for found in re.finditer(f"{gives}|{prints}", text):
            message = next(iter(literals(text[found.end() : text.find(")\n" if source.suffix == ".py" else ";", found.end())])), "")
            other = re.match(prints, found[0]) and not message.startswith(("note: ", "warning: "))
            if any(piece.count(" ") >= 3 for piece in words_of(message)) and not other:
                assert any(all(piece in message for piece in words) for words in page), f"{source.name}: {message}"
                told += 1
    assert told > 60

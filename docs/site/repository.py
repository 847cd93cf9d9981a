"""A hook of MkDocs: links of the pages are those of the repository, and files outside of docs/ that they lead to become part of the site.

A page keeps its links as they are in the repository, where they work as well. docs/x.md is x.md of the site, and any other file
keeps its path: ../scenes/README.md is scenes/README.md. Pages that are linked have their own links followed in turn.
"""

import logging
import posixpath
import re
from pathlib import Path
from urllib.parse import unquote

from mkdocs.structure.files import File

log = logging.getLogger("mkdocs.plugins.repository")  # a warning ends `mkdocs build --strict`
ROOT = Path(__file__).resolve().parents[2]
CODE = re.compile(r"^```.*?^```$|^ {4}[^\n]*$|`[^`\n]*`", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"(?<=\]\()(?!<|#|[a-z]+:)([^)#\s]+)(#[^)\s]*)?(?=\))")


def of_site(path):
    """The path in the site of a file of the repository."""
    return path.removeprefix("docs/")


def of_repository(path):
    """The path in the repository of a file of the site."""
    return f"docs/{path}" if (ROOT / "docs" / path).is_file() else path


def links(page, text):
    """(match, path in the repository) of each relative link of a page, code left out."""
    code = [found.span() for found in CODE.finditer(text)]
    for found in LINK.finditer(text):
        if not any(start <= found.start() < end for start, end in code):
            yield found, posixpath.normpath(posixpath.join(posixpath.dirname(page), unquote(found[1])))


def slug(text, separator):
    """The anchor that GitHub gives a heading, so that links to it work there and here."""
    return re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", separator)


def indented(text):
    """The text with what Python-Markdown wants and GitHub does not: items of lists indented by four spaces, and empty lines around blocks."""
    lines, width, fenced, blocks = [], 0, False, False  # blocks: the last item has more than one
    for line in text.split("\n"):
        item = None if fenced else re.match(r"(?:[-*]|\d+\.) +", line)
        if item:
            lines += [""] * blocks
            width, blocks = item.end(), False
        elif width and line.startswith(" " * width):
            line = "    " + line[width:]
        elif line and not fenced:
            width = 0
        if line.lstrip().startswith("```"):
            lines += [line, ""] if fenced else ["", line]
            fenced = not fenced
        else:
            lines.append(line)
        blocks |= not line or fenced
    return "\n".join(lines)


def on_config(config):
    config.mdx_configs["toc"]["slugify"] = slug
    return config


def on_files(files, config):
    known = {of_repository(file.src_uri) for file in files}
    pages = [page for page in known if page.endswith(".md")] + ["README.md"]
    known |= {"README.md"}
    files.append(File.generated(config, "README.md", abs_src_path=str(ROOT / "README.md")))
    while pages:
        page = pages.pop()
        for _, target in links(page, (ROOT / page).read_text()):
            if target in known:
                continue
            if target.startswith("..") or not (ROOT / target).is_file():
                log.warning("%s links to %s, which is no file of the repository", page, target)
                continue
            known.add(target)
            files.append(File.generated(config, of_site(target), abs_src_path=str(ROOT / target)))
            if target.endswith(".md"):
                pages.append(target)
    return files


def on_page_markdown(markdown, page, config, files):
    here, folder = of_repository(page.file.src_uri), posixpath.dirname(page.file.src_uri) or "."
    for found, target in reversed(list(links(here, markdown))):
        markdown = markdown[: found.start()] + posixpath.relpath(of_site(target), folder) + (found[2] or "") + markdown[found.end() :]
    return indented(markdown)

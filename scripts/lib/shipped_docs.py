"""Copies the documentation into FOLDER, laid out as in the repository, so that links between its pages lead somewhere. Links to what
is not shipped, such as sources, become plain words.

    python3 scripts/lib/shipped_docs.py FOLDER [WITHOUT...]   copies all but what begins with one of the last paths
    python3 scripts/lib/shipped_docs.py --check FOLDER        names the links in FOLDER that lead nowhere
"""

import itertools
import pathlib
import re
import shutil
import subprocess
import sys

LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\[\]]*\]|!\[[^\[\]]*\]\([^()\s]*\))*)\]\(([^()\s]+)\)")
FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})")


def shipped(without):
    """What is tracked: whatever else lies in the folders stays where it is."""
    tracked = subprocess.run(["git", "ls-files"], check=True, capture_output=True, text=True).stdout.splitlines()
    for path in tracked:
        is_doc = path.startswith(("docs/", "deploy/")) or re.fullmatch(r"(plugins/.*/README|[^/]*)\.md|LICENSE", path)
        if is_doc and not path.startswith(without):
            yield path


def parts(text):
    """Examples and what stands between them, as a link may go from one line to the next."""
    for is_example, marked in itertools.groupby(lines(text), key=lambda line: line[0]):
        yield is_example, "".join(line for _, line in marked)


def lines(text):
    """The lines, each with whether it is a part of an example."""
    fence = None
    for line in text.splitlines(keepends=True):
        mark = FENCE.match(line)
        if mark and (fence is None or mark[1].startswith(fence)):
            yield True, line
            fence = mark[1] if fence is None else None
        else:
            yield fence is not None, line


def target(page, link):
    """Where a link leads; None where that is outside of the documentation."""
    if re.match(r"[a-z]+:|#", link):
        return None
    return pathlib.Path(*normal((page.parent / link.partition("#")[0]).parts))


def normal(parts):
    kept = []
    for part in parts:
        if part == ".." and kept:
            kept.pop()
        elif part != ".":
            kept.append(part)
    return kept


def copy(folder, without):
    paths = [pathlib.Path(path) for path in shipped(without)]
    known = {pathlib.Path("."), *paths, *(parent for path in paths for parent in path.parents)}

    def words(page):
        def unlinked(match):
            leads = target(page, match[3])
            return match[0] if leads is None or leads in known else match[2]

        return unlinked

    for path in paths:
        copied = folder / path
        copied.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".md":
            copied.write_text(
                "".join(part if is_example else LINK.sub(words(path), part) for is_example, part in parts(path.read_text())))
        else:
            shutil.copyfile(path, copied)
        copied.chmod(0o644)


def broken(folder):
    for page in sorted(folder.rglob("*.md")):
        for is_example, part in parts(page.read_text()):
            for match in [] if is_example else LINK.finditer(part):
                leads = target(page.relative_to(folder), match[3])
                if leads is not None and not (folder / leads).exists():
                    yield f"{page.relative_to(folder)}: {match[3]}"


if __name__ == "__main__":
    if sys.argv[1] == "--check":
        found = list(broken(pathlib.Path(sys.argv[2])))
        sys.exit("\n".join(["links that lead nowhere:", *found]) if found else 0)
    copy(pathlib.Path(sys.argv[1]), tuple(sys.argv[2:]) or ("\0",))

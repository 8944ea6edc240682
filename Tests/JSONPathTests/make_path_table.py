#!/usr/bin/env python3
"""Writes path_table.txt: what two other readers of RFC 9535 select by random paths from random documents.

    python3 -m venv venv && venv/bin/pip install jsonpath-rfc9535==1.0.1 python-jsonpath==2.2.2
    venv/bin/python make_path_table.py 500 > path_table.txt

Each line is a JSON array: the path, the document, and the values selected, or null where the path is none. The seed is
fixed, so the same readers write the same table. Some paths are damaged on purpose. Where the two disagree, or one of
them breaks, there is no line, but with `--disputed` only those.
"""

import json
import random
import sys

import jsonpath
import jsonpath_rfc9535

names = ["a", "b", "c", "d e", "é", "'"]
words = ["", "a", "ab", "abc", "bca", "é", "z1", "10"]
patterns = ["a.*", "[ab]+", ".", "a|bc.", "(a|b)*c?", "[^a]{1,2}", "\\\\p{L}+", "\\\\P{L}+", "b?", "z[0-9]", "a{2", "\\\\d", ".*b"]


def document(depth):
    kind = random.random()
    if depth > 0 and kind < 0.35:
        return [document(depth - 1) for _ in range(random.randint(0, 4))]
    if depth > 0 and kind < 0.75:
        return {name: document(depth - 1) for name in random.sample(names, random.randint(0, 4))}
    return random.choice([None, True, False, 0, 1, 2, -1, 1.0, 2.5, 1e3, *words])


def quoted(text):
    mark = random.choice("'\"")
    return mark + text.replace(mark, "\\" + mark) + mark


def space():
    return random.choice(["", "", "", "", " ", "\t", "\n"])


def integer():
    return str(random.choice([-2, -1, 0, 1, 2, 3]))


def slice_():
    parts = [random.choice(["", integer()]) for _ in range(random.choice([2, 2, 3]))]
    return space().join(":".join(parts)) if random.random() < 0.1 else ":".join(parts)


def selector(depth):
    kind = random.random()
    if kind < 0.3:
        return quoted(random.choice(names))
    if kind < 0.45:
        return integer()
    if kind < 0.55:
        return slice_()
    if kind < 0.7 or depth == 0:
        return "*"
    return "?" + space() + condition(depth - 1)


def segment(depth):
    kind = random.random()
    if kind < 0.45:
        return random.choice([".", ".", ".", ".."]) + random.choice(["a", "b", "c", "é", "*"])
    dots = ".." if random.random() < 0.15 else ""
    count = random.choice([1, 1, 1, 2])
    return dots + "[" + space() + (space() + "," + space()).join(selector(depth) for _ in range(count)) + space() + "]"


def query(depth):
    # Both readers get three things wrong, which are left out: `?@` asks them whether the value is true rather than
    # whether it is there, `$` in a filter inside a filter is not the root to them, and count(@) is none.
    start = random.choice("@@@$") if depth > 0 else "@"
    return start + "".join(segment(depth) for _ in range(random.randint(1, 2)))


def single(depth):
    steps = [random.choice([".a", ".b", ".c", "[0]", "[-1]", "['a']"]) for _ in range(random.randint(0, 2))]
    return (random.choice("@@@$") if depth > 0 else "@") + "".join(steps)


def operand(depth):
    kind = random.random()
    if kind < 0.35:
        return single(depth)
    if kind < 0.7:
        return random.choice(["null", "true", "false", "0", "1", "2", "-1", "1.0", "2.5", "1e3", "-0", quoted(random.choice(words))])
    if kind < 0.8:
        return "length(" + space() + random.choice([single(depth), quoted("abc")]) + ")"
    if kind < 0.9:
        return "count(" + query(depth) + space() + ")"
    return "value(" + query(depth) + ")"


def condition(depth):
    kind = random.random()
    if kind < 0.2 and depth > 0:
        return condition(depth - 1) + space() + random.choice(["&&", "||"]) + space() + condition(depth - 1)
    if kind < 0.3 and depth > 0:
        return random.choice(["", "!"]) + "(" + space() + condition(depth - 1) + space() + ")"
    if kind < 0.5:
        return random.choice(["", "", "!"]) + query(depth)
    if kind < 0.65:
        name = random.choice(["match", "search"])
        return random.choice(["", "!"]) + name + "(" + single(depth) + space() + "," + space() + quoted(random.choice(patterns)) + ")"
    return operand(depth) + space() + random.choice(["==", "!=", "<", "<=", ">", ">="]) + space() + operand(depth)


def path():
    text = "$" + "".join(segment(2) for _ in range(random.randint(1, 3)))
    if random.random() < 0.1:
        place = random.randrange(1, len(text) + 1)
        text = text[:place] + random.choice(["", ".", "[", "]", "'", "?", "@", "0", " ", "=", "(", ")", "x"]) + text[place + random.randint(0, 1):]
    return text


def selected(find, error, text, value):
    try:
        return [node.value if hasattr(node, "value") else node.obj for node in find(text, value)]
    except error:
        return None
    except Exception as broken:
        return f"{type(broken).__name__}: {broken}"


second = jsonpath.JSONPathEnvironment(strict=True)
wants_disputed = "--disputed" in sys.argv
random.seed(9535)
seen = set()
while len(seen) < int(sys.argv[1]):
    text, value = path(), document(4)
    if text in seen:
        continue
    found = selected(jsonpath_rfc9535.find, jsonpath_rfc9535.JSONPathError, text, value)
    other = selected(second.finditer, jsonpath.JSONPathError, text, value)
    is_disputed = isinstance(found, str) or json.dumps(found) != json.dumps(other)
    # What selects nothing at all from a small document says little; keep some.
    if is_disputed != wants_disputed or found == [] and random.random() < 0.8:
        continue
    seen.add(text)
    line = [text, value, found] + ([other] if wants_disputed else [])
    print(json.dumps(line, ensure_ascii=False, separators=(",", ":")))

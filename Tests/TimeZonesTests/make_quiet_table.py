#!/usr/bin/env python3
"""Writes quiet_table.txt: when quiet hours begin and end around every clock change, by another implementation (Python's
zoneinfo), for every zone whose clock changes between 2000 and 2037.

    python3 make_quiet_table.py > quiet_table.txt

    # text              a remark
    zone NAME HEX       the zone, compiled by zic from the installed tzdata.zi, so that the tests read what Python read
    changes SECOND...   the first seconds after its changes
    HOURS COUNT DIGEST  the windows of those hours that begin within two days of a change: how many, and the 64-bit FNV-1a
                        digest of a line `BEGIN END` in Unix seconds for each, in order

A wall time that does not exist stands for the first instant after the gap; one that exists twice begins at its first
occurrence and ends at its last. A window without length is left out.
"""

import pathlib
import subprocess
import sys
import tempfile
from datetime import date, datetime, time, timedelta, timezone

# The implementation in Python: the one in C was seen to crash at its end.
sys.modules["_zoneinfo"] = None
import zoneinfo  # noqa: E402

EPOCH = datetime(1970, 1, 1)
HOURS = ["22:00-07:00", "02:30-03:15", "00:00-08:00"]
AROUND = 2 * 86400
# Its last listed change keeps the offset and only begins a season a week early; Python follows the yearly rule from there on.
UNREADABLE = {"America/Ojinaga"}


def local(zone, second):
    moment = (EPOCH + timedelta(seconds=second)).replace(tzinfo=timezone.utc).astimezone(zone)
    return moment.replace(tzinfo=None, fold=0)


def offset(zone, second):
    return (local(zone, second) - EPOCH) // timedelta(seconds=1) - second


def changes(zone):
    """Looks at every quarter of a day, then halves those in which the clock changed."""
    second = (datetime(2000, 1, 1) - EPOCH) // timedelta(seconds=1)
    end = (datetime(2038, 1, 1) - EPOCH) // timedelta(seconds=1)
    before = offset(zone, second)
    while second < end:
        after = offset(zone, second + 21600)
        if after != before:
            low, high = second, second + 21600
            while high - low > 1:
                middle = (low + high) // 2
                low, high = (middle, high) if offset(zone, middle) == before else (low, middle)
            yield high
        before, second = after, second + 21600


def instants(zone, wall):
    """The instants at which the zone's clock shows `wall`, or the first one after the gap that swallows it."""
    guesses = sorted(
        (wall.replace(tzinfo=zone, fold=fold).astimezone(timezone.utc).replace(tzinfo=None) - EPOCH)
        // timedelta(seconds=1)
        for fold in (0, 1)
    )
    true = [guess for guess in guesses if local(zone, guess) == wall]
    if true:
        return true
    low, high = guesses[0] - 1, guesses[1]
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if local(zone, middle) < wall else (low, middle)
    return [high]


def windows(zone, hours, change):
    begin, end = (time.fromisoformat(part) for part in hours.split("-"))
    first = local(zone, change - AROUND).date() - timedelta(days=2)
    seen = set()
    for day in (first + timedelta(days=count) for count in range(9)):
        last = day if end > begin else day + timedelta(days=1)
        span = (
            min(instants(zone, datetime.combine(day, begin))),
            max(instants(zone, datetime.combine(last, end))),
        )
        if span[0] < span[1] and change - AROUND <= span[0] <= change + AROUND and span[0] not in seen:
            seen.add(span[0])
            yield span


def digest(lines):
    value = 0xCBF29CE484222325
    for byte in "".join(lines).encode():
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return f"{value:016x}"


def main():
    source = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "/usr/share/zoneinfo/tzdata.zi")
    text = source.read_text().splitlines()
    names = sorted(line.split()[1] for line in text if line.startswith("Z ") and line.split()[1] not in UNREADABLE)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["zic", "-b", "slim", "-r", "@946684800", "-d", folder, str(source)], check=True)
        print("# made by make_quiet_table.py from tzdata", text[0].removeprefix("# "))
        zoneinfo.reset_tzpath([folder])
        for name in names:
            try:
                zone = zoneinfo.ZoneInfo(name)
            except ValueError as error:
                print(f"# {name} cannot be read by this Python: {error}")
                continue
            found = list(changes(zone))
            if not found:
                continue
            print("zone", name, (pathlib.Path(folder) / name).read_bytes().hex())
            print("changes", *found)
            for hours in HOURS:
                lines = [f"{begin} {end}\n" for change in found for begin, end in windows(zone, hours, change)]
                print(hours, len(lines), digest(lines))


main()

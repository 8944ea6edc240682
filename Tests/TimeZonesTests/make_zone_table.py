#!/usr/bin/env python3
"""Writes zone_table.txt: what another implementation of time zones (Python's zoneinfo) says about notable zones.

    python3 make_zone_table.py > zone_table.txt

The zones are compiled afresh by zic from the installed tzdata.zi, from 1990 on and without the yearly changes that a rule
in the footer can give, and the compiled bytes stand in the table too: so the tests read exactly what Python read, whatever
release of the database is installed where they run.

    # text                              a remark
    zone NAME HEX                       the compiled zone
    SECOND BEFORE AFTER ABBREVIATION    a change: Unix second, offsets before and after it in seconds, name after it

Wall times around every change are resolved as well, with both values of Python's `fold`. They take one line, because they
come out alike at every change, which this script asserts: wall times below the lower of the two that the change lies
between have the offset before it, those from the higher on have the offset after it, and those between fit both.
"""

import pathlib
import subprocess
import sys
import tempfile
import zoneinfo
from datetime import datetime, timedelta, timezone

# Without America/Scoresbysund, whose last listed change begins a season: Python 3.11 cannot read that.
ZONES = """
Africa/Abidjan Africa/Cairo Africa/Casablanca Africa/El_Aaiun Africa/Johannesburg Africa/Juba Africa/Khartoum
Africa/Lagos Africa/Sao_Tome Africa/Tripoli Africa/Windhoek America/Adak America/Argentina/Buenos_Aires
America/Argentina/San_Luis America/Asuncion America/Bogota America/Caracas America/Chicago America/Halifax
America/Havana America/Los_Angeles America/Mexico_City America/New_York America/Nuuk America/Phoenix
America/Santiago America/Sao_Paulo America/St_Johns Antarctica/Casey Antarctica/Troll Asia/Almaty
Asia/Amman Asia/Beirut Asia/Dhaka Asia/Gaza Asia/Hong_Kong Asia/Jerusalem Asia/Kathmandu Asia/Kolkata Asia/Pyongyang
Asia/Tehran Asia/Tokyo Atlantic/Azores Atlantic/Reykjavik Australia/Adelaide Australia/Lord_Howe Australia/Sydney
Etc/GMT+12 Europe/Dublin Europe/Istanbul Europe/Lisbon Europe/London Europe/Madrid Europe/Moscow Europe/Volgograd
Pacific/Apia Pacific/Auckland Pacific/Chatham Pacific/Easter Pacific/Fakaofo Pacific/Fiji Pacific/Kiritimati
Pacific/Kwajalein Pacific/Norfolk Pacific/Tongatapu US/Eastern
""".split()

YEARS = [*range(1991, 2038), 2100]
EPOCH = datetime(1970, 1, 1)


def offset_at(zone, second):
    moment = (EPOCH + timedelta(seconds=second)).replace(tzinfo=timezone.utc).astimezone(zone)
    return moment.utcoffset() // timedelta(seconds=1), moment.tzname()


def changes(zone, year):
    """Looks at every quarter of a day, then halves those in which the clock changed."""
    begin = (datetime(year, 1, 1) - EPOCH) // timedelta(seconds=1)
    end = (datetime(year + 1, 1, 1) - EPOCH) // timedelta(seconds=1)
    before = offset_at(zone, begin)
    for second in range(begin, end, 21600):
        low, high = second, second + 21600
        after = offset_at(zone, high)
        if after != before:
            while high - low > 1:
                middle = (low + high) // 2
                low, high = (middle, high) if offset_at(zone, middle) == before else (low, middle)
            yield high, before, after
        before = after


def check_walls(zone, change, before, after):
    low, high = change + min(before, after), change + max(before, after)
    for wall in (low - 1800, low - 1, low, low + 1, high - 1, high, high + 1, high + 1800):
        naive = (EPOCH + timedelta(seconds=wall)).replace(tzinfo=zone)
        found = [naive.replace(fold=fold).utcoffset() // timedelta(seconds=1) for fold in (0, 1)]
        expected = [before, before] if wall < low else [after, after] if wall >= high else [before, after]
        assert found == expected, f"{zone.key}: {naive} has the offsets {found}, not {expected}"


def main():
    source = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "/usr/share/zoneinfo/tzdata.zi")
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["zic", "-b", "slim", "-r", "@631152000", "-d", folder, str(source)], check=True)
        print("# made by make_zone_table.py from tzdata", source.read_text().splitlines()[0].removeprefix("# "))
        zoneinfo.reset_tzpath([folder])
        for name in ZONES:
            zone = zoneinfo.ZoneInfo(name)
            print("zone", name, (pathlib.Path(folder) / name).read_bytes().hex())
            for change, (before, _), (after, abbreviation) in (found for year in YEARS for found in changes(zone, year)):
                if before != after:
                    check_walls(zone, change, before, after)
                print(change, before, after, abbreviation)


main()

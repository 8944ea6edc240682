#!/usr/bin/env python3
"""Writes calendar_table.txt: the days of random calendars by another implementation, the packages icalendar and
recurring-ical-events (which asks python-dateutil) from PyPI.

    pip install icalendar recurring-ical-events
    python3 make_calendar_table.py [SEED [COUNT]] > calendar_table.txt

    # text                           a remark
    ZONE COUNT DIGEST LINE\\nLINE...  how many days from 2000 up to 2039 something is in that calendar as seen in the zone, and
                                     the 64-bit FNV-1a digest of a line `YYYY-MM-DD` for each, in order

Of what the standard leaves open nothing is made: rules fit their first day, and no wall time lies in a gap of a clock.
"""

import random
import sys
import zoneinfo
from datetime import date, datetime, timedelta

import icalendar
import recurring_ical_events
from dateutil.rrule import rrulestr

ZONES = ["UTC", "Europe/Madrid", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe"]
DAYS = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]
FIRST, LAST = date(2000, 1, 1), date(2039, 12, 31)


def rule(chance):
    """The parts of a random rule, without COUNT and UNTIL."""
    frequency = chance.choice(["YEARLY", "YEARLY", "MONTHLY", "WEEKLY", "DAILY"])
    parts = [f"FREQ={frequency}"]
    if chance.random() < 0.4:
        parts.append(f"INTERVAL={chance.randint(2, 5)}")
    if chance.random() < 0.4 or frequency == "YEARLY" and chance.random() < 0.5:
        parts.append("BYMONTH=" + ",".join(map(str, sorted(chance.sample(range(1, 13), chance.randint(1, 3))))))
    by_month = any(part.startswith("BYMONTH=") for part in parts)
    if frequency != "WEEKLY" and chance.random() < 0.4:
        days = sorted(chance.sample([*range(1, 32), *range(-31, 0)], chance.randint(1, 4)))
        parts.append("BYMONTHDAY=" + ",".join(map(str, days)))
    if chance.random() < 0.5:
        names = chance.sample(DAYS, chance.randint(1, 3))
        if frequency in ("MONTHLY", "YEARLY") and chance.random() < 0.7:
            most = 5 if frequency == "MONTHLY" or by_month else 53
            names = [f"{chance.choice([1, -1]) * chance.randint(1, most)}{name}" for name in names]
        parts.append("BYDAY=" + ",".join(names))
    if len(parts) > 1 and any(part.startswith(("BYDAY", "BYMONTHDAY")) for part in parts) and chance.random() < 0.2:
        parts.append(f"BYSETPOS={chance.choice([1, 2, -1, -2])}")
    if frequency == "WEEKLY" and chance.random() < 0.4:
        parts.append(f"WKST={chance.choice(DAYS)}")
    chance.shuffle(parts)
    return ";".join(parts)


def event(chance, number):
    """The lines of a random event, whose rule fits its first day; None where none was found."""
    whole = chance.random() < 0.6
    begin = datetime(chance.randint(1995, 2030), 1, 1) + timedelta(days=chance.randrange(366), hours=chance.randint(4, 22))
    text = rule(chance) if chance.random() < 0.8 else None
    if text:
        # What BYSETPOS chooses depends on where the first period begins, so the first day is the rule's own.
        base = datetime(begin.year, 1, 1, begin.hour)
        begin = next((day for day in rrulestr(text, dtstart=base) if day >= begin), None) if "INTERVAL" not in text else (
            rrulestr(text, dtstart=begin)[0] if any(True for _ in rrulestr(text, dtstart=begin)) else None)
        if begin is None or begin.year > 2038:
            return None
        if rrulestr(text, dtstart=begin)[0] != begin:
            return None
    zone = "" if chance.random() < 0.3 else chance.choice(ZONES[1:])
    stamp = begin.strftime("%Y%m%d") if whole else begin.strftime("%Y%m%dT%H%M%S")
    suffix = ";VALUE=DATE:" if whole else f";TZID={zone}:" if zone else ":"
    lines = ["BEGIN:VEVENT", f"UID:{number}", f"DTSTART{suffix}{stamp}"]
    length = chance.choice([1, 1, 2, 3, 9])
    if whole and chance.random() < 0.8:
        lines.append(f"DTEND;VALUE=DATE:{(begin + timedelta(days=length)).strftime('%Y%m%d')}")
    if not whole:
        # Ends by noon, away from where clocks change.
        end = (begin + timedelta(days=length - 1)).replace(hour=chance.randint(begin.hour, 23), minute=30)
        lines.append(f"DTEND{suffix}{end.strftime('%Y%m%dT%H%M%S')}")
    if text:
        kind = chance.random()
        if kind < 0.3:
            text += f";COUNT={chance.randint(1, 60)}"
        elif kind < 0.6:
            until = begin + timedelta(days=chance.randint(1, 6000))
            text += ";UNTIL=" + (until.strftime("%Y%m%d") if whole else until.strftime("%Y%m%dT%H%M%S") + ("Z" if zone else ""))
        lines.append("RRULE:" + text)
        if chance.random() < 0.4:
            days = [day for _, day in zip(range(12), rrulestr(text.split(";UNTIL")[0], dtstart=begin))]
            gone = chance.sample(days, min(len(days), 3))
            form = "%Y%m%d" if whole else "%Y%m%dT%H%M%S"
            lines.append(f"EXDATE{suffix}" + ",".join(day.strftime(form) for day in gone))
    return lines + ["END:VEVENT"]


def days(lines, zone):
    """The days on which something is in the calendar."""
    calendar = icalendar.Calendar.from_ical("\r\n".join(lines) + "\r\n")
    here = zoneinfo.ZoneInfo(zone)
    found = set()
    margin = timedelta(days=14)
    for event in recurring_ical_events.of(calendar).between(FIRST - margin, LAST + margin):
        begin = event["DTSTART"].dt
        end = event["DTEND"].dt if "DTEND" in event else begin + timedelta(days=1)
        if isinstance(begin, datetime):
            if begin.tzinfo:
                begin, end = begin.astimezone(here), end.astimezone(here)
            last = (end.replace(tzinfo=None) - timedelta(seconds=1)).date()
            begin = begin.date()
        else:
            last = end - timedelta(days=1)
        day = begin
        while day <= max(last, begin):
            found.add(day)
            day += timedelta(days=1)
    return sorted(day for day in found if FIRST <= day <= LAST)


def digest(found):
    value = 0xCBF29CE484222325
    for day in found:
        for byte in f"{day.isoformat()}\n".encode():
            value = ((value ^ byte) * 0x100000001B3) % 2**64
    return f"{value:016x}"


def main():
    chance = random.Random(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
    wanted = int(sys.argv[2]) if len(sys.argv) > 2 else 250
    print("# Written by make_calendar_table.py; see there.")
    while wanted:
        events = [event(chance, number) for number in range(chance.randint(1, 3))]
        lines = ["BEGIN:VCALENDAR", "VERSION:2.0", *(line for one in events if one for line in one), "END:VCALENDAR"]
        zone = chance.choice(ZONES)
        found = days(lines, zone) if any(events) else []
        if not found:
            continue
        print(zone, len(found), digest(found), "\\n".join(lines))
        wanted -= 1


main()

#!/usr/bin/env python3
"""Writes width_table.txt: how many columns characters take, by Python's copy of the Unicode database.

Two for the East Asian widths W and F, none for marks that lie on others and for what is never seen, one for the rest.
A line is a range of code points that are alike: `first last columns`. Usage: make_width_table.py > width_table.txt
"""
import sys
import unicodedata


def columns(code):
    char = chr(code)
    if unicodedata.category(char) in ("Cn", "Co", "Cs", "Cc"):
        return None
    if unicodedata.east_asian_width(char) in "WF":
        return 2
    if code == 0xAD or unicodedata.category(char) in ("Mn", "Me", "Cf") or 0x1160 <= code <= 0x11FF or 0xD7B0 <= code <= 0xD7FF:
        return 0
    return 1


ranges = []
for code in range(0x20, 0x110000):
    width = columns(code)
    if width is None:
        continue
    if ranges and ranges[-1][1] == code - 1 and ranges[-1][2] == width:
        ranges[-1][1] = code
    else:
        ranges.append([code, code, width])
sys.stdout.write(f"# Unicode {unicodedata.unidata_version}\n")
for first, last, width in ranges:
    sys.stdout.write(f"{first:x} {last:x} {width}\n")

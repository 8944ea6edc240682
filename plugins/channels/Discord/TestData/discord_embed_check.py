"""Checks Discord payloads with the models of PyPI's discord.py, and with the limits that those do not know.

Reads one JSON payload a line on standard input, or whole files when names are given. Prints what is wrong and exits
with 1 when anything is. How the payloads of the tests are made, and checked:

    DISCORD_PAYLOADS=/tmp/payloads.jsonl swift test --filter DiscordChannelTests
    python3 discord_embed_check.py < /tmp/payloads.jsonl
"""

import json
import sys

from discord import Embed

CONTENT_MAX = 2_000
EMBEDS_MAX = 10
EMBEDS_TEXT_MAX = 6_000
TITLE_MAX = 256
DESCRIPTION_MAX = 4_096
FIELDS_MAX = 25
NAME_MAX = 256
VALUE_MAX = 1_024
FOOTER_MAX = 2_048


def length(text):
    """UTF-16 units: of all ways of counting characters the one that gives most."""
    return len(text.encode("utf-16-le")) // 2


def text_flaws(place, text, limit):
    if not 1 <= length(text.strip()) <= limit:
        yield f"{place}: text of {length(text)} characters"


def embed_flaws(embed):
    parsed = Embed.from_dict(embed)
    again = parsed.to_dict()
    # What it adds by itself.
    again.pop("type", None)
    again.pop("flags", None)
    if again != embed:
        yield f"discord.py makes another embed of it: {json.dumps(again)[:200]}"
    if len(parsed) > EMBEDS_TEXT_MAX:
        yield f"discord.py counts {len(parsed)} characters"
    if parsed.color is None:
        yield "no colour"
    if len(parsed.fields) > FIELDS_MAX:
        yield f"{len(parsed.fields)} fields"
    for field in parsed.fields:
        yield from text_flaws("field's name", field.name, NAME_MAX)
        yield from text_flaws("field's value", field.value, VALUE_MAX)
    if parsed.title is not None:
        yield from text_flaws("title", parsed.title, TITLE_MAX)
    if parsed.description is not None:
        yield from text_flaws("description", parsed.description, DESCRIPTION_MAX)
    if parsed.footer.text is not None:
        yield from text_flaws("footer", parsed.footer.text, FOOTER_MAX)


def texts(embed):
    yield embed.get("title", "")
    yield embed.get("description", "")
    yield embed.get("footer", {}).get("text", "")
    for field in embed.get("fields", []):
        yield field["name"]
        yield field["value"]


def payload_flaws(payload):
    unknown = set(payload) - {"content", "embeds", "allowed_mentions", "flags"}
    if unknown:
        yield f"unknown members {sorted(unknown)}"
    if payload.get("allowed_mentions") != {"parse": []}:
        yield "mentions are allowed"
    yield from text_flaws("content", payload.get("content", ""), CONTENT_MAX)
    embeds = payload.get("embeds", [])
    if len(embeds) > EMBEDS_MAX:
        yield f"{len(embeds)} embeds"
    for embed in embeds:
        yield from embed_flaws(embed)
    total = sum(length(text) for embed in embeds for text in texts(embed))
    if total > EMBEDS_TEXT_MAX:
        yield f"{total} characters in all embeds together"


def payloads(names):
    if not names:
        for number, line in enumerate(sys.stdin, 1):
            if line.strip():
                yield f"line {number}", json.loads(line)
    for name in names:
        with open(name, encoding="utf-8") as file:
            yield name, json.load(file)


def main():
    count = 0
    failed = 0
    for place, payload in payloads(sys.argv[1:]):
        count += 1
        flaws = list(payload_flaws(payload))
        failed += bool(flaws)
        for flaw in flaws:
            print(f"{place}: {flaw}")
    if count == 0:
        print("no payloads to check")
    else:
        print(f"{count - failed} of {count} payloads are fine")
    return 1 if failed or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())

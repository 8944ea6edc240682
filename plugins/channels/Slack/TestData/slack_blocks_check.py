"""Checks Slack payloads with the models of PyPI's slack_sdk, and with the limits that those do not know.

Reads one JSON payload a line on standard input, or whole files when names are given. Prints what is wrong and exits
with 1 when anything is. How the payloads of the tests are made, and checked:

    SLACK_PAYLOADS=/tmp/payloads.jsonl swift test --filter SlackChannelTests
    python3 slack_blocks_check.py < /tmp/payloads.jsonl
"""

import json
import re
import sys

from slack_sdk.models.attachments import BlockAttachment
from slack_sdk.models.blocks import Block

TEXT_MAX = 4_000  # advised for `text`
BLOCKS_MAX = 50
BLOCKS_TEXT_MAX = 9_000  # undocumented; 9,597 was seen to pass, 11,341 was refused
TEXT_MAX_OF = {"header": 150, "section": 3_000, "field": 2_000, "context": 3_000}
FIELDS_MAX = 10
ELEMENTS_MAX = {"context": 10, "actions": 25}
LINK = re.compile(r"<https?://[^<>|\s]*\|[^<>|]+>", re.IGNORECASE)
ENTITY = re.compile(r"&(amp|lt|gt);")


def length(text):
    """UTF-16 units: of all ways of counting characters the one that gives most."""
    return len(text.encode("utf-16-le")) // 2


def text_flaws(kind, text):
    content = text.get("text", "")
    count = length(content)
    if not 1 <= count <= TEXT_MAX_OF[kind]:
        yield f"{kind}: text of {count} characters"
    if kind == "header" and text.get("type") != "plain_text":
        yield "header: only plain_text is allowed"
    if text.get("type") == "mrkdwn":
        rest = LINK.sub("", content)
        if re.search(r"[<>]", rest) or "&" in ENTITY.sub("", rest):
            yield f"{kind}: not escaped: {rest[:80]!r}"


def block_flaws(block):
    kind = block.get("type")
    parsed = Block.parse(block)
    if parsed is None:
        yield f"slack_sdk knows no block of type {kind!r}"
        return
    try:
        again = parsed.to_dict()
    except Exception as error:
        yield f"{kind}: slack_sdk refuses it: {error}"
        return
    if again != block:
        yield f"{kind}: slack_sdk makes another block of it: {json.dumps(again)[:200]}"
    if "text" in block:
        yield from text_flaws(kind, block["text"])
    fields = block.get("fields", [])
    if len(fields) > FIELDS_MAX:
        yield f"{kind}: {len(fields)} fields"
    for field in fields:
        yield from text_flaws("field", field)
    elements = block.get("elements", [])
    if len(elements) > ELEMENTS_MAX.get(kind, len(elements)):
        yield f"{kind}: {len(elements)} elements"
    for element in elements if kind == "context" else []:
        yield from text_flaws("context", element)


def block_texts(block):
    for text in [block.get("text"), *block.get("fields", []), *block.get("elements", [])]:
        if text:
            yield text.get("text", "")


def payload_flaws(payload):
    if not 1 <= length(payload.get("text", "")) <= TEXT_MAX:
        yield f"text of {length(payload.get('text', ''))} characters"
    lists = [payload["blocks"]] if "blocks" in payload else []
    for attachment in payload.get("attachments", []):
        lists.append(attachment.get("blocks", []))
        try:
            blocks = [Block.parse(block) for block in attachment.get("blocks", [])]
            BlockAttachment(blocks=blocks, color=attachment.get("color"), fallback=attachment.get("fallback")).to_dict()
        except Exception as error:
            yield f"attachment: slack_sdk refuses it: {error}"
        if not re.fullmatch(r"#[0-9A-Fa-f]{6}", attachment.get("color", "")):
            yield f"attachment: color {attachment.get('color')!r}"
    for blocks in lists:
        if not 1 <= len(blocks) <= BLOCKS_MAX:
            yield f"{len(blocks)} blocks"
        for block in blocks:
            yield from block_flaws(block)
    total = sum(length(text) for blocks in lists for block in blocks for text in block_texts(block))
    if total > BLOCKS_TEXT_MAX:
        yield f"{total} characters in all blocks together"


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

"""Checks mails with Python's own parsers of mail and of HTML, which know nothing of who wrote them.

Reads one mail a line on standard input, as a text of JSON, or whole files of such lines when names are given. Prints what is
wrong and exits with 1 when anything is. How the mails of the tests are made, and checked:

    EMAIL_MAILS=/tmp/mails.jsonl RANDOM_MESSAGES=10000 swift test --filter EmailChannelTests
    python3 mail_check.py < /tmp/mails.jsonl
"""

import email
import email.policy
import html.parser
import json
import sys

LINE_MAX = 998
HTML_MAX = 102 * 1024
HEADERS = {
    "Date", "From", "To", "Subject", "Message-ID", "In-Reply-To", "References", "Auto-Submitted",
    "X-Auto-Response-Suppress", "Importance", "X-Priority", "MIME-Version", "Content-Type",
    "Content-Transfer-Encoding",
}
NEEDED = {"Date", "From", "To", "Subject", "Message-ID", "Auto-Submitted", "MIME-Version", "Content-Type"}
TAGS = {
    "html", "head", "meta", "style", "body", "table", "tr", "td", "th", "h1", "h2", "p", "a", "b", "code",
}
VOID = {"meta"}


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.flaws = []
        self.open = []

    def handle_starttag(self, tag, attributes):
        if tag not in TAGS:
            self.flaws.append(f"a tag <{tag}>")
        for name, value in attributes:
            if name.startswith("on"):
                self.flaws.append(f"a handler {name}")
            if name in ("href", "src") and not (value or "").lower().startswith(("http://", "https://")):
                self.flaws.append(f"an address {value!r}")
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.flaws.append(f"</{tag}> closes something else")

    def close(self):
        super().close()
        if self.open:
            self.flaws.append(f"{self.open} stay open")


def wire_flaws(text):
    if not text.isascii():
        yield "other bytes than ASCII"
    if text.replace("\r\n", "").count("\r") or text.replace("\r\n", "").count("\n"):
        yield "a line that does not end in CR and LF"
    longest = max(len(line) for line in text.split("\r\n"))
    if longest > LINE_MAX:
        yield f"a line of {longest} bytes"


def part_flaws(part, kind):
    if part.get_content_type() != kind:
        yield f"{part.get_content_type()} instead of {kind}"
        return
    content = part.get_content().replace("\r\n", "\n")
    if not content.strip():
        yield f"{kind} without words"
    wild = [char for char in content if ord(char) < 32 and char not in "\n\t" or char in "\u202e\u2066\u2028"]
    if wild:
        yield f"{kind} with {wild[0]!r}"
    if kind == "text/html":
        if len(content.encode()) > HTML_MAX:
            yield f"HTML of {len(content.encode())} bytes"
        page = Page()
        page.feed(content)
        page.close()
        yield from page.flaws


def flaws(text):
    yield from wire_flaws(text)
    mail = email.message_from_bytes(text.encode(), policy=email.policy.default)
    for part in mail.walk():
        for defect in part.defects:
            yield f"a defect: {defect!r}"
        for name, value in part.items():
            for defect in value.defects:
                yield f"a defect in {name}: {defect!r}"
    names = mail.keys()
    if len(names) != len(set(names)):
        yield f"a header stands there twice: {names}"
    if not HEADERS.issuperset(names) or not NEEDED.issubset(names):
        yield f"other headers than those of a mail: {names}"
    if mail["From"] is None or len(mail["From"].addresses) != 1:
        yield f"not one sender: {mail['From']}"
    if mail["To"] is None or not mail["To"].addresses:
        yield "nobody to send it to"
    if any("\n" in str(value) or "\r" in str(value) for value in mail.values()):
        yield "a header of two lines"
    if not str(mail["Subject"]).strip():
        yield "no subject"
    if not str(mail["Message-ID"]).startswith("<") or not str(mail["Message-ID"]).endswith(">"):
        yield f"no Message-ID: {mail['Message-ID']}"
    if mail["Date"].datetime is None:
        yield "no date"
    if mail.is_multipart():
        parts = list(mail.iter_parts())
        if mail.get_content_type() != "multipart/alternative" or len(parts) != 2:
            yield f"{len(parts)} parts of {mail.get_content_type()}"
        else:
            yield from part_flaws(parts[0], "text/plain")
            yield from part_flaws(parts[1], "text/html")
    else:
        yield from part_flaws(mail, "text/plain")


def main():
    lines = [line for name in sys.argv[1:] for line in open(name, encoding="utf-8")] or sys.stdin.readlines()
    fine = 0
    for number, line in enumerate(lines, 1):
        found = list(flaws(json.loads(line)))
        fine += not found
        for flaw in found:
            print(f"mail {number}: {flaw}")
    print(f"{fine} of {len(lines)} mails are fine")
    sys.exit(not lines or fine != len(lines))


main()

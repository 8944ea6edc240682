"""Writes the man pages: one of the program and one of each command, from what the program says of its own commands.

    alertbot --experimental-dump-help | python3 scripts/lib/manual.py FOLDER VERSION DATE
"""

import json
import pathlib
import sys

ABOUT = """\
A bot that polls sources of crash figures, judges them by the rules of its config, and sends what matters to chats,
mails and pagers. It keeps everything in a journal, so that nothing is lost or sent twice when it restarts."""

FILES = [
    ("/etc/alertbot/config.yaml", "The config. It holds no secrets: it says ${credential:NAME}, ${file:PATH} or ${env:NAME} where one belongs."),
    ("/etc/alertbot/credentials/", "A file for each credential, which only root can read; systemd hands them to the service."),
    ("/var/lib/alertbot/", "The state: journal, snapshot, recording, lock and control socket."),
]
VARIABLES = [
    ("ALERTBOT_CONFIG", "The config, where no --config is given and before ./config.yaml and /etc/alertbot/config.yaml."),
    ("CREDENTIALS_DIRECTORY", "The folder of the files that ${credential:NAME} means. systemd sets it."),
    ("NO_COLOR", "Set and not empty: no colours, unless --color says otherwise."),
]
STATUSES = [
    ("0", "Fine."),
    ("1", "The answer is no: the config is wrong, a test failed, a journal is damaged."),
    ("2", "Wrong usage."),
    ("3", "It could not be done: a folder is not writable, a server does not answer."),
]


def text(words):
    """Words as roff takes them: nothing in them is a command, and hyphens can be searched for and copied."""
    words = words.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("`", "\\(ga").replace("^", "\\(ha")
    words = words.replace("~", "\\(ti")
    return "\n".join("\\&" + line if line.startswith(".") else line for line in words.splitlines())


def sentence(words):
    """For the one line of NAME: a phrase without a full stop, as whatis(1) lists it."""
    first = words.split(". ")[0].rstrip(".")
    return first[0].lower() + first[1:]


def spelled(argument):
    if argument["kind"] == "positional":
        return "\\fI" + text(argument["valueName"]) + "\\fR"
    names = ["\\fB" + text(("-" if name["kind"] == "short" else "--") + name["name"]) + "\\fR" for name in argument["names"]]
    value = " \\fI" + text(argument["valueName"]) + "\\fR" if argument["kind"] == "option" else ""
    return ", ".join(name + value for name in names)


def usage(argument):
    words = spelled(argument)
    if argument["isRepeating"]:
        words += " ..."
    return "[" + words + "]" if argument["isOptional"] else words


def shown(command):
    """Its arguments; --version is the program's, though every command takes it."""
    is_below = bool(command.get("superCommands"))
    return [argument for argument in command.get("arguments", [])
            if argument["shouldDisplay"] and not (is_below and argument["valueName"] == "version")]


def entries(pairs):
    return [line for term, words in pairs for line in (".TP", term, text(words))]


def arguments(command):
    lines = []
    for argument in shown(command):
        words = argument.get("abstract", "")
        values = argument.get("allValues")
        if values and not all(value in words for value in values):
            words += " One of " + ", ".join(values) + "."
        if argument.get("defaultValue"):
            words += f" Default: {argument['defaultValue']}."
        lines += [".TP", spelled(argument), text(words.strip())]
    return lines


def page(title, version, date, name, abstract, synopsis, body, section="1"):
    return "\n".join([
        f'.TH "{title.upper()}" "{section}" "{date}" "alertbot {version}" "alertbot"',
        # No hyphenation and no stretched lines: options stay whole. Paragraphs ask the register whether to hyphenate.
        ".nr HY 0", ".nh", ".ad l",
        ".SH NAME", f"{text(name)} \\- {text(sentence(abstract))}",
        ".SH SYNOPSIS", synopsis, *body,
    ]) + "\n"


def synopsis(words, command):
    if command.get("subcommands"):
        return f"\\fB{text(words)}\\fR \\fIcommand\\fR [\\fIoptions\\fR]"
    return "\n".join([f".B {text(words)}"] + [usage(argument) for argument in shown(command)])


def common_end(is_about_config):
    lines = [".SH EXIT STATUS", *entries(STATUSES)]
    if is_about_config:
        lines += [".SH ENVIRONMENT", *entries(VARIABLES), ".SH FILES", *entries(FILES)]
    return lines


def visible(command):
    return [sub for sub in command.get("subcommands", []) if sub["shouldDisplay"] and sub["commandName"] != "help"]


def pages(command, version, date, above=()):
    words = [*above, command["commandName"]]
    title = "-".join(words)
    body = [".SH DESCRIPTION", text(command["abstract"])]
    if not above:
        body += [".PP", text(ABOUT)]
    if command.get("discussion"):
        body += [".PP", text(command["discussion"])]
    subcommands = visible(command)
    if subcommands:
        body.append(".SH COMMANDS")
        for sub in subcommands:
            body += [".TP", f"\\fB{text('-'.join([*words, sub['commandName']]))}\\fR(1)", text(sub["abstract"])]
    if shown(command):
        body += [".SH OPTIONS", *arguments(command)]
    has_config = any(name["name"] == "config" for argument in shown(command) for name in argument.get("names", []))
    body += common_end(not above or has_config)
    related = (["-".join(above)] if above else []) + ["-".join([*words, sub["commandName"]]) for sub in subcommands]
    others = [f"\\fB{text(other)}\\fR(1)" for other in related]
    if not above or has_config:
        others.append("\\fBalertbot.yaml\\fR(5)")
    body += [".SH SEE ALSO", ",\n".join(others)]
    yield title, page(title, version, date, title, command["abstract"], synopsis(" ".join(words), command), body)
    for sub in subcommands:
        yield from pages(sub, version, date, tuple(words))


def main():
    folder, version, date = sys.argv[1:]
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for title, roff in pages(json.load(sys.stdin)["command"], version, date):
        (folder / f"{title}.1").write_text(roff)


if __name__ == "__main__":
    main()

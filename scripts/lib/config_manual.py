"""Writes the man page of the config, from what the program says of its own settings and of its plugins.

    python3 scripts/lib/config_manual.py FOLDER VERSION DATE ALERTBOT
"""

import json
import pathlib
import subprocess
import sys

from manual import entries, page, text

ABOUT = """\
alertbot reads one file of YAML. It is --config FILE, else $ALERTBOT_CONFIG, ./config.yaml or /etc/alertbot/config.yaml,
whichever is first. Relative paths in it start at its own folder. 'alertbot check' reports every mistake in it with its
line, and 'alertbot dry-run' shows what it would send. A config that is wrong never replaces one that runs."""

EXAMPLE = """\
version: 1
sources:
  web:
    plugin: http_json
    url: https://stats.example.com/stability.json
    each: $.apps[*]
    map: {app: $.name, users: $.users.total, crashed_users: $.users.crashed}
rules:
  crash-free-floor:
    plugin: threshold
    metric: crash_free_users
    warning: "< 99.5%"
    critical: "< 99.0%"
  nights:
    plugin: quiet_hours
    between: 22:00-07:00
    except: critical
channels:
  team: {plugin: slack, webhook: "${env:SLACK_WEBHOOK}"}
routes:
  - to: [team]"""

VALUES = [
    ("duration", "A number and its unit, 30s, 5m, 2h or 1d. A number without its unit is an error; 0s is fine."),
    ("percentage, percentage points", "99.5% and 0.5pp."),
    ("comparison", "One of <, <=, > and >= with a limit, such as \"< 99.5%\"."),
    ("days", "mon-fri, or sat,sun; ranges may wrap, as fri-mon does."),
    ("hours", "22:00-07:00 may cross midnight; the end does not belong to it."),
    ("instant", "RFC 3339, or a local date and time of the bot's time zone."),
    ("match", "A mapping of source, app, release, environment, rule, severity, issue or any label to a value, a list, or a pattern "
     "such as shop-*."),
    ("secret", "${env:NAME}, ${file:PATH} or ${credential:NAME}, wherever a text stands: never printed, logged or kept in the journal. "
     "$${ is a plain ${."),
]

SECTIONS = [
    ("SOURCES", "source", "Where figures come from: names with the options of a plugin each."),
    ("DETECTORS", "detector", "Rules that judge figures. They stand under rules."),
    ("GATES", "gate", "Rules that judge notifications, in the order of the file. They stand under rules, too."),
    ("CHANNELS", "channel", "Where messages go: names with the options of a plugin each."),
]


def bold(words):
    return "\\fB" + text(words) + "\\fR"


def inner(schema):
    """A section of the schema without the form that has nothing in it."""
    return next((form for form in schema.get("anyOf", []) if form.get("type") != "null"), schema)


def settings(schema):
    """The settings of a section as the schema has them."""
    return [line for name, setting in inner(schema)["properties"].items()
            for line in (".TP", bold(name), text(setting.get("description", "")))]


def options(specs):
    """The options of a plugin: what one writes, whether one must, what holds where one does not."""
    lines = []
    for spec in specs:
        kind = spec["type"] + (", required" if spec["required"] else "")
        default = f" Default: {spec['default']}." if spec["default"] else ""
        lines += [".TP", f"{bold(spec['name'])} ({text(kind)})", text(spec["help"] + default)]
    return lines


def shared(plugins):
    """Options that every plugin of a kind takes, in the order of the first."""
    return [spec for spec in plugins[0]["common_options"] if all(spec in plugin["common_options"] for plugin in plugins)]


def plugin_section(title, about, plugins, elsewhere):
    """A kind of plugins; what several kinds take, and is described `elsewhere`, is only named."""
    everywhere = shared(plugins)
    lines = [f".SH {title}", text(about), *options(everywhere)]
    for plugin in plugins:
        common = [spec for spec in plugin["common_options"] if spec not in everywhere]
        lines += [f'.SS "{text(plugin["name"])}"', text(plugin["summary"])]
        lines += options(plugin["options"] + [spec for spec in common if spec not in elsewhere])
        named = [spec["name"] for spec in common if spec in elsewhere]
        if named:
            lines += [".PP", text(f"And, as under CONNECTIONS: {', '.join(named)}.")]
    return lines


def connections(kinds):
    """Options that not all plugins of a kind take, but more than one does: those of whoever speaks HTTP."""
    found = []
    for plugins in kinds:
        everywhere = shared(plugins)
        all_specs = [spec for plugin in plugins for spec in plugin["common_options"] if spec not in everywhere]
        found += [spec for spec in all_specs if all_specs.count(spec) > 1]
    return [spec for index, spec in enumerate(found) if spec not in found[:index]]


def body(schema, plugins):
    top = schema["properties"]
    lines = [
        ".SH DESCRIPTION", text(ABOUT),
        ".SH EXAMPLE", ".EX", text(EXAMPLE), ".EE",
        ".SH TOP LEVEL", *entries([("version", top["version"]["description"] + " It is 1.")]),
        *entries([(name, inner(top[name])["description"]) for name in ("bot", "polling", "sources", "rules", "channels", "routes")]),
        *entries([("include", top["include"].get("description") or inner(top["include"])["description"])]),
        ".SH BOT", text("Under bot:"), *settings(top["bot"]),
        ".SH POLLING", text("Under polling; a source may override any of them:"), *settings(top["polling"]),
    ]
    kinds = [[plugin for plugin in plugins if plugin["kind"] == kind] for _, kind, _ in SECTIONS]
    elsewhere = connections(kinds)
    for (title, _, about), ours in zip(SECTIONS, kinds):
        lines += plugin_section(title, about, ours, elsewhere)
    lines += [".SH CONNECTIONS", text("Of sources and channels that reach a service:"), *options(elsewhere)]
    lines += [".SH ROUTES", text("A list; of each route:"), *settings(inner(top["routes"])["items"])]
    lines += [".SH VALUES", *entries(VALUES)]
    related = ["alertbot", "alertbot-check", "alertbot-schema", "alertbot-plugins-describe"]
    return [*lines, ".SH SEE ALSO", ",\n".join(f"{bold(name)}(1)" for name in related)]


def main():
    folder, version, date, alertbot = sys.argv[1:]

    def said(*words):
        return json.loads(subprocess.run([alertbot, *words], check=True, capture_output=True).stdout)

    names = [plugin["name"] for plugin in said("plugins", "list", "--format", "json")["plugins"]]
    plugins = [said("plugins", "describe", name, "--format", "json") for name in names]
    roff = page(
        "alertbot.yaml", version, date, "alertbot.yaml", "the config of alertbot", ".I config.yaml",
        body(said("schema"), plugins), section="5")
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "alertbot.yaml.5").write_text(roff)


main()

public import PluginKit

/// The JSON Schema of config.yaml, for editors: made of the tables that the reader goes by, so the two cannot drift
/// apart.
///
/// It knows the shape of every value, not its meaning: names of things that do not exist, limits out of order and rules
/// that never match are for `check` to find. Whatever the reader takes, the schema takes.
public struct ConfigSchema: Sendable {
    private let catalog: PluginCatalog

    public init(_ catalog: PluginCatalog) { self.catalog = catalog }

    private typealias Named = (word: String, section: String, manifest: PluginManifest, common: [OptionSpec])

    public var json: JSON {
        var properties: [(String, JSON)] = [("version", ["enum": [1, "1"], "description": "The format's version."])]
        properties.append(("bot", nullable(bot)))
        properties.append(
            ("polling", nullable(object(PollingSettings.ofAll.map(\.spec), "Defaults for every source."))))
        properties.append(
            (
                Vocabulary.network,
                nullable(object(NetworkSettings.all.map(\.spec), "Which addresses sources and channels may use."))
            ))
        properties.append((Vocabulary.onCall, nullable(rotations)))
        properties += [
            ("sources", things("source", "Where figures come from.", isRequired: true)),
            ("rules", things("rule", "What is worth a message, and what holds messages back.", isRequired: false)),
            ("channels", things("channel", "Where messages go.", isRequired: true)),
        ]
        properties.append(
            (
                "routes",
                nullable([
                    "type": "array", "description": "Which messages go where: the first that matches wins.",
                    "items": object(Vocabulary.route, "One route to channels."),
                ])
            ))
        properties.append(
            (
                Vocabulary.include,
                nullable([
                    "anyOf": [ref("text"), ["type": "array", "items": ref("text")]],
                    "description":
                        "Other files, by name or pattern, to include sources, rules, channels, routes and rotations from.",
                ])
            ))
        return [
            "$schema": "https://json-schema.org/draft/2020-12/schema", "title": "alertbot config.yaml",
            "type": "object", "additionalProperties": false,
            "anyOf": [["required": ["sources", "channels"]], ["required": [.string(Vocabulary.include)]]],
            "properties": .object(JSONObject(properties)), "$defs": .object(JSONObject(definitions)),
        ]
    }

    private var bot: JSON {
        guard case .object(var bot) = object(BotSettings.declared.map(\.spec), "The bot itself."),
            case .object(var properties)? = bot["properties"]
        else { return [:] }
        let form: JSON = ["type": "string", "minLength": 1]
        let forms: JSON = [
            "type": "object", "required": ["other"], "additionalProperties": false,
            "properties": ["one": form, "other": form],
        ]
        properties[BotSettings.words] = [
            "description": "Phrases of your own in place of built-in ones, by their ids; or the file that has them.",
            "anyOf": [
                ref("text"), ["type": "null"],
                [
                    "type": "object", "additionalProperties": false,
                    "properties": .object(
                        JSONObject(
                            PhraseID.allCases.map { id in
                                let text = id.mayBeEmpty ? ["type": "string"] : form
                                return (id.name, id.hasCount ? ["anyOf": [text, forms]] : text)
                            })),
                ],
            ],
        ]
        bot["properties"] = .object(properties)
        return .object(bot)
    }

    private var rotations: JSON {
        [
            "type": "object", "description": "Who is on call: rotations for 'mention' and for routes.",
            "propertyNames": ConfigSchema.names,
            "additionalProperties": object(Vocabulary.rotation, "People who take turns."),
        ]
    }

    private var plugins: [Named] {
        catalog.sources.map { ("source", "sources", $0.manifest, Vocabulary.source($0.manifest)) }
            + catalog.detectors.map { ("rule", "rules", $0.manifest, Vocabulary.detector) }
            + catalog.gates.map { ("rule", "rules", $0.manifest, Vocabulary.gate) }
            + catalog.channels.map { ("channel", "channels", $0.manifest, Vocabulary.channel($0.manifest)) }
    }

    private var definitions: [(String, JSON)] {
        kinds
            + plugins.map { plugin in
                let options = (plugin.common + plugin.manifest.options).filter { $0.name != "plugin" }
                let word: JSON = ["const": .string(plugin.manifest.name)]
                return (
                    "\(plugin.word).\(plugin.manifest.name)",
                    object(options, plugin.manifest.summary, first: ("plugin", word))
                )
            }
    }

    /// A map of names to things, each of the shape that its plugin has.
    private func things(_ word: String, _ description: String, isRequired: Bool) -> JSON {
        let own = plugins.filter { $0.word == word }
        let thing: JSON = [
            "type": "object", "required": ["plugin"],
            "properties": [
                "plugin": [
                    "enum": .array(own.map { .string($0.manifest.name) }),
                    "description": .string(Vocabulary.plugin.help),
                ]
            ],
            "allOf": .array(
                own.map { plugin in
                    [
                        "if": [
                            "required": ["plugin"],
                            "properties": ["plugin": ["const": .string(plugin.manifest.name)]],
                        ],
                        "then": ["$ref": .string("#/$defs/\(word).\(plugin.manifest.name)")],
                    ]
                }),
        ]
        let map: JSON = [
            "type": "object", "description": .string(description), "minProperties": JSON(isRequired ? 1 : 0),
            "propertyNames": ConfigSchema.names, "additionalProperties": thing,
        ]
        return isRequired ? map : nullable(map)
    }

    /// A section that may also stand there with nothing in it.
    private func nullable(_ schema: JSON) -> JSON { ["anyOf": [schema, ["type": "null"]]] }

    private func object(_ options: [OptionSpec], _ description: String, first: (String, JSON)? = nil) -> JSON {
        let required = (first.map { [$0.0] } ?? []) + options.filter(\.isRequired).names
        return [
            "type": "object", "description": .string(description), "additionalProperties": false,
            "required": .array(required.map(JSON.string)),
            "properties": .object(
                JSONObject((first.map { [$0] } ?? []) + options.map { ($0.name, schema(of: $0)) })),
        ]
    }

    private func schema(of option: OptionSpec) -> JSON {
        guard case .object(var object) = schema(of: option.kind) else { return [:] }
        let range = option.kind.rangeText.map { " From \($0)." } ?? ""
        object["description"] = .string(option.help + range + (option.defaultText.map { " Default: \($0)." } ?? ""))
        return .object(object)
    }

    // MARK: kinds

    private func schema(of kind: OptionKind) -> JSON {
        switch kind {
        case .text, .plain, .path, .calendar, .callee, .name: ref("text")
        case .url: ref("address")
        case .link: ref("link")
        case .integer(let range):
            [
                "anyOf": [
                    ["type": "integer", "minimum": JSON(range.lowerBound), "maximum": JSON(range.upperBound)],
                    ["type": "string", "pattern": "^-?[0-9]+$"], ref("secret"),
                ]
            ]
        case .number(let range):
            [
                "anyOf": [
                    ["type": "number", "minimum": JSON(range.lowerBound), "maximum": JSON(range.upperBound)],
                    ["type": "string", "pattern": "^-?[0-9.]+$"], ref("secret"),
                ]
            ]
        case .flag: ref("flag")
        case .duration: ref("duration")
        case .rate: ref("rate")
        case .percentage: ref("percentage")
        case .points: ref("points")
        case .margin: ref("margin")
        case .comparison: ref("comparison")
        case .days: ["anyOf": [ref("days"), ["type": "array", "items": ref("days"), "minItems": 1]]]
        case .hours: ref("hours")
        case .instant: ref("instant")
        case .choice(let words): ["anyOf": [["enum": .array(words.map(JSON.string))], ref("secret")]]
        case .metric: ref("metric")
        case .orOff(let inner): ["anyOf": [["const": "off"], schema(of: inner)]]
        case .list(let inner, _): ["anyOf": [schema(of: inner), ["type": "array", "items": schema(of: inner)]]]
        case .map(let inner): ["type": "object", "additionalProperties": schema(of: inner)]
        case .section(let options): nullable(object(options, "Options of its own."))
        case .match: ref("match")
        }
    }

    private func ref(_ name: String) -> JSON { ["$ref": .string("#/$defs/" + name)] }

    /// The kinds of values, each described once.
    private var kinds: [(String, JSON)] {
        let secret: JSON = [
            "type": "string", "pattern": #"\$\{(env|file|credential):"#,
            "description": "Has a secret in it: ${env:NAME}, ${file:PATH} or ${credential:NAME}.",
        ]
        let words: JSON = ["anyOf": [ref("text"), ["type": "array", "items": ref("text"), "minItems": 1]]]
        let match: JSON = [
            "type": "object", "properties": .object(JSONObject(Match.properties.map { ($0, words) })),
            // Any other name is a label.
            "additionalProperties": words,
        ]
        return [
            ("secret", secret), ("match", match),
            ("text", ["type": ["string", "number", "boolean"], "minLength": 1]),
            ("flag", ["anyOf": [["type": "boolean"], ["enum": ["true", "false"]], ref("secret")]]),
            ("address", written(ConfigSchema.address)),
            ("link", ["type": "string", "pattern": .string(ConfigSchema.address)]),
            ("duration", written("^(\(ConfigSchema.duration)|0)$", or: ["const": 0])),
            ("rate", written("^ *[0-9]+ +per +\(ConfigSchema.duration) *$")),
            ("percentage", written("^[0-9.]+ *%$")),
            ("points", written("^([0-9.]+ *pp|0)$", or: ["const": 0])),
            ("margin", written("^[0-9.]+( *pp)?$", or: ["type": "number", "minimum": 0])),
            ("comparison", written("^(<=?|>=?) *[-+0-9.eE]+ *%?$")),
            ("days", written("^ *\(ConfigSchema.days)( *, *\(ConfigSchema.days))* *$")),
            ("hours", written("^ *\(ConfigSchema.time) *- *\(ConfigSchema.time) *$")),
            ("instant", written("^[0-9]{4}-[0-9]{2}-[0-9]{2}([Tt ].+)?$")),
            // A name may look like a number to YAML, which the reader takes for text.
            ("metric", written("^[A-Za-z0-9_:.-]{1,100}$", or: ["type": "number"])),
        ]
    }

    /// Text of a form, or with a secret in it, whose form nobody knows.
    private func written(_ pattern: String, or other: JSON? = nil) -> JSON {
        let text: JSON = ["type": "string", "pattern": .string(pattern)]
        return ["anyOf": .array([text, ref("secret")] + (other.map { [$0] } ?? []))]
    }

    private static let address = "^[Hh][Tt][Tt][Pp][Ss]?://"
    private static let names: JSON = ["pattern": "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"]
    private static let duration = "([0-9]{1,9}[smhd])+"
    private static let time = "[0-9]{1,2}:[0-9]{2}(:[0-9]{2})?"
    /// Days in small or large letters: the pattern language of JSON Schema has no switch for it.
    private static let days: String = {
        let names = Weekday.allCases.map { day in
            day.shortName.map { "[\($0.uppercased())\($0)]" }.joined()
        }
        let day = "(" + names.joined(separator: "|") + ")"
        return "\(day)( *- *\(day))?"
    }()
}

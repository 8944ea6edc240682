public import PluginKit
internal import YAMLKit

/// The `bot` section.
public struct BotSettings: Sendable {
    public enum Listening: Hashable, Sendable {
        case off
        case on(host: String, port: UInt16)

        /// Where it listens unless the config says otherwise.
        static let usual = Listening.on(host: "127.0.0.1", port: 8480)
    }

    public var name: String
    public var zone: Zone
    /// The language of messages, with the team's own phrases.
    public var words: Words
    /// Absolute, or relative to the working folder.
    public var stateFolder: String
    public var listen: Listening
    public var publicURL: String?
    /// Called after each full healthy cycle.
    public var heartbeat: GuardedText?
    /// Where that may be.
    public var policy = AddressPolicy.open
    public var shutdownGrace: Duration
    public var reportTo: String?
    /// The header in which a proxy with a login says who asks.
    public var userHeader: String?
    /// What whoever is not on the bot's machine has to know to change anything over HTTP.
    public var token: Secret?
}

extension BotSettings {
    /// All that can be set.
    static let declared: [any SettingDeclaration] = [
        name, timezone, language, state, listen, publicURL, heartbeat, shutdownGrace, reportTo, userHeader,
        token,
    ]

    static let name = Setting("name", .text, default: "alertbot", "The bot's name in messages.")
    static let timezone = Setting(
        "timezone", .text, default: GuardedText(Zone.utc.name),
        "The IANA time zone of quiet hours and of times in messages.")
    static let state = Setting(
        "state", .path, default: "./state", "The folder of the journal, the lock and the control socket.")
    static let listen = Setting(
        "listen", .text, default: "127.0.0.1:8480", "HOST:PORT of the status page; off to have none.")
    static let publicURL = Setting(
        "public_url", .link, "Where people reach the status page; without it messages carry no links to it.")
    static let heartbeat = Setting("heartbeat", .url, "An address that is pinged after each full healthy cycle.")
    static let shutdownGrace = Setting(
        "shutdown_grace", .duration(.zero ... .hours(1)), default: .seconds(20),
        "How long to wait for deliveries when stopping.")
    static let reportTo = Setting("report_to", .name(of: .channel), "The channel for the bot's own troubles.")
    static let token = Setting(
        "token", .text, "The token that people on other machines need to acknowledge or mute on the page."
    ).secret
    /// With as many nobody finds it out by trying, even if it is made of digits and letters a to f alone.
    static let tokenCountMin = 16
    static let userHeader = Setting(
        "user_header", .plain,
        "The header in which a proxy with a login names the user, such as X-Forwarded-User; without it people name themselves."
    )
}

extension ConfigLoader {
    mutating func readBot(_ entry: Entry?) -> BotSettings {
        let entries = entry.map { reader.entries(of: $0.value, "'bot'") } ?? []
        reader.reportUnknown(entries, known: BotSettings.declared.map(\.name) + [BotSettings.words], in: "'bot'")
        let options = reader.options(
            BotSettings.declared, in: entries, at: entry?.value.position ?? Position(line: 1, column: 1), "'bot'")
        if let heartbeat = options[BotSettings.heartbeat], let address = WebAddress(heartbeat.reveal()),
            address.scheme == "http", !address.isLoopback, heartbeat.hasSecret
        {
            reader.report(
                options.position(of: BotSettings.heartbeat), "'heartbeat' is plain http to a host that is not loopback",
                advice: "use https")
        }
        if let heartbeat = options[BotSettings.heartbeat] {
            reader.checkAdmitted(heartbeat, "heartbeat", at: options.position(of: BotSettings.heartbeat))
        }
        let listen = readListening(options)
        words = readWords(entries, options[BotSettings.language])
        checkLinks(listen, options)
        checkUnserved(options)
        checkToken(options)
        checkPublicURL(options)
        checkHeader(options)
        if options[BotSettings.name].hasSecret {
            reader.report(
                Problem(
                    options.position(of: BotSettings.name),
                    "'name' holds a secret, so messages show \(Secret.mask) for it",
                    advice: "write it out", level: .warning))
        }
        let stateFolder = absolute(options[BotSettings.state].reveal())
        checkSocket(in: stateFolder, options)
        return BotSettings(
            name: options[BotSettings.name].description.clipped(to: 80), zone: readZone(options), words: words,
            stateFolder: stateFolder, listen: listen,
            publicURL: options[BotSettings.publicURL], heartbeat: options[BotSettings.heartbeat],
            policy: reader.policy, shutdownGrace: options[BotSettings.shutdownGrace],
            reportTo: options[BotSettings.reportTo],
            userHeader: options[BotSettings.userHeader],
            token: options[BotSettings.token].map { Secret($0.reveal()) })
    }

    /// Links in messages that ask people on other machines for a token that there is none of.
    private mutating func checkLinks(_ listen: BotSettings.Listening, _ options: Options) {
        guard case .on(let host, _) = listen, options[BotSettings.publicURL] != nil, options[BotSettings.token] == nil,
            options[BotSettings.userHeader] == nil,
            WebAddress("http://\(host.contains(":") ? "[\(host)]" : host)/")?.isLoopback == false
        else { return }
        reader.report(
            Problem(
                options.position(of: BotSettings.publicURL),
                "messages will have links to acknowledge and mute that work only from this machine",
                advice: "set 'token', or 'user_header' where a proxy with a login names the user", level: .warning))
    }

    /// What only the page has a use for, where there is none.
    private mutating func checkUnserved(_ options: Options) {
        guard options[BotSettings.listen].reveal() == "off" else { return }
        let useless: [(isWritten: Bool, position: Position, sentence: String)] = [
            (
                options[BotSettings.publicURL] != nil, options.position(of: BotSettings.publicURL),
                "messages will have links to a page that is switched off"
            ),
            (
                options[BotSettings.token] != nil, options.position(of: BotSettings.token),
                "'token' has no effect without a page"
            ),
            (
                options[BotSettings.userHeader] != nil, options.position(of: BotSettings.userHeader),
                "'user_header' has no effect without a page"
            ),
        ]
        for setting in useless where setting.isWritten {
            reader.report(
                Problem(
                    setting.position, setting.sentence, advice: "remove it, or set 'listen' to HOST:PORT",
                    level: .warning))
        }
    }

    /// Links are made by appending to it.
    private mutating func checkPublicURL(_ options: Options) {
        guard let url = options[BotSettings.publicURL], url.contains(where: { "?#".contains($0) }) else {
            return
        }
        let bare = String(url.prefix { !"?#".contains($0) })
        reader.report(
            options.position(of: BotSettings.publicURL),
            "'public_url' has a query or a fragment, and the addresses of pages could not follow it",
            url.contains(Secret.mask) ? nil : bare)
    }

    /// Whoever was sent a sealed link can try tokens on it for as long as they like, without asking the bot.
    private mutating func checkToken(_ options: Options) {
        guard let token = options[BotSettings.token], let url = options[BotSettings.publicURL],
            token.reveal().count < BotSettings.tokenCountMin, WebAddress(url)?.isLoopback != true
        else { return }
        reader.report(
            Problem(
                options.position(of: BotSettings.token),
                "'token' is shorter than \(BotSettings.tokenCountMin) characters, so whoever gets a link from a message "
                    + "could guess it by trying",
                advice: "use the output of openssl rand -hex 16", level: .warning))
    }

    /// No bot starts with a state folder whose path leaves no room for that of the control socket. Where that hangs on the
    /// folder in which the config lies for now, another machine may have room for it.
    private mutating func checkSocket(in stateFolder: String, _ options: Options) {
        let bytes = ControlSocket.path(in: stateFolder).utf8.count
        guard bytes > ControlSocket.pathBytesMax else { return }
        reader.report(
            Problem(
                options.position(of: BotSettings.state),
                "the control socket in 'state' has a path of \(bytes) bytes, expected at most \(ControlSocket.pathBytesMax)",
                advice: "choose a shorter folder",
                level: options[BotSettings.state].reveal().hasPrefix("/") ? .error : .warning))
    }

    private mutating func checkHeader(_ options: Options) {
        // Empty, it is none.
        guard let name = options[BotSettings.userHeader], !name.isEmpty, !name.isHeaderName else { return }
        reader.report(
            options.position(of: BotSettings.userHeader),
            "'user_header' is '\(name.clipped(to: 60))', expected the name of a header such as X-Forwarded-User")
    }

    private mutating func readZone(_ options: Options) -> Zone {
        // Without a word of it, the bot needs no database of zones.
        guard let text = options.written(BotSettings.timezone) else { return .utc }
        return zone(text, at: options.position(of: BotSettings.timezone))
    }

    mutating func zone(_ text: GuardedText, at position: Position) -> Zone {
        let name = text.reveal()
        do {
            return try reader.surroundings.zones.zone(name)
        } catch {
            let inverted = text.hasSecret ? nil : inverted(name)
            if case .unknown(_, let suggestion) = error, inverted == nil {
                reportZone(text, at: position, text.hasSecret ? nil : suggestion ?? city(name))
            } else if let inverted {
                reportZone(text, at: position, advice: inverted)
            } else {
                reader.report(position, text.hasSecret ? "'timezone' is not a readable time zone" : error.description)
            }
            return .utc
        }
    }

    private mutating func reportZone(
        _ text: GuardedText, at position: Position, _ suggestion: String? = nil, advice: String? = nil
    ) {
        reader.report(
            position,
            "there is no time zone '\(text.description.clipped(to: 60))', expected a name such as Europe/Madrid",
            suggestion, advice: advice)
    }

    /// What to write for `GMT+2`: zones of that kind have the other sign.
    private func inverted(_ name: String) -> String? {
        guard let hours = ZoneDatabase.hours(aheadOfUTC: name) else { return nil }
        guard hours != 0 else { return "write UTC" }
        let zone = "Etc/GMT\(hours > 0 ? "-" : "+")\(Int(hours.magnitude))"
        guard hours == hours.rounded(), (try? reader.surroundings.zones.zone(zone)) != nil else {
            return "write a place"
        }
        return "write a place, or \(zone): the signs of such zones are the other way round"
    }

    /// The zone whose last part is that word: people remember the city.
    private func city(_ word: String) -> String? {
        reader.surroundings.zones.names().first {
            $0.split(separator: "/").last?.lowercased() == word.lowercased()
        }
    }

    /// An address that is none counts as the usual one: nobody has said that it is off.
    private mutating func readListening(_ options: Options) -> BotSettings.Listening {
        let written = options[BotSettings.listen]
        let position = options.position(of: BotSettings.listen)
        let text = written.reveal()
        if text == "off" { return .off }
        if let scheme = text.firstRange(of: "://") {
            let place = String(text[scheme.upperBound...].prefix { $0 != "/" })
            reader.report(
                position, "'listen' is '\(written.description.clipped(to: 60))', expected HOST:PORT or off",
                written.hasSecret || !place.contains(":") ? nil : place)
            return .usual
        }
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
            reader.report(
                position, "'listen' is '\(written.description.clipped(to: 60))', expected HOST:PORT or off",
                written.hasSecret ? nil : UInt16(text).map { "127.0.0.1:\($0)" })
            return .usual
        }
        var host = String(text[..<colon])
        if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
        guard !host.isEmpty, host.allSatisfy({ $0.isASCII && !$0.isWhitespace && $0 != "/" }) else {
            reader.report(position, "'listen' names no host", "127.0.0.1:\(port)")
            return .usual
        }
        // Other programs write * for every address; and what consists of digits, or has colons, is an address or nothing.
        let isAddress = host == "*" || host.contains(":") || host.allSatisfy { $0.isNumber || $0 == "." }
        guard !isAddress || IPAddress(host) != nil else {
            reader.report(
                position,
                "'listen' is '\(written.description.clipped(to: 60))', expected the address of a machine before the port",
                host == "*" && !written.hasSecret ? "0.0.0.0:\(port)" : nil)
            return .usual
        }
        return .on(host: host, port: port)
    }

    // MARK: what can be told of a config with errors

    /// Nil where the setting is there and cannot be read: a bot that keeps its state elsewhere is not the one meant.
    func stateFolder(_ root: Node) -> String? { lenient(BotSettings.state, root).map { absolute($0) } }

    /// The folder of the state that a text seems to name which is no YAML, or not yet: somebody's unfinished edit must not keep
    /// commands from the bot that runs.
    func stateFolder(inText bytes: [UInt8]) -> String? {
        let written = String(decoding: bytes, as: UTF8.self).firstMatch(of: /\bstate:[ ]*["']?([^"',}#\s]*)/)
        let path = written.map { String($0.output.1) } ?? BotSettings.state.default.reveal()
        return path.isEmpty || path.contains("${") ? nil : absolute(path)
    }

    func zone(_ root: Node) -> Zone? {
        lenient(BotSettings.timezone, root).flatMap {
            $0 == Zone.utc.name ? .utc : try? reader.surroundings.zones.zone($0)
        }
    }

    /// A setting of the bot, whatever is wrong beside it.
    private func lenient(_ setting: Setting<GuardedText>, _ root: Node) -> String? {
        guard case .mapping(let sections) = root.kind else { return nil }
        let silent = setting.default.reveal()
        guard let bot = sections.first(where: { $0.key == "bot" })?.value, !bot.isNull else { return silent }
        guard case .mapping(let entries) = bot.kind else { return nil }
        guard let entry = entries.first(where: { $0.key == setting.name }) else { return silent }
        var reader = reader
        return reader.text(entry.value, setting.name)?.reveal()
    }

    func absolute(_ path: String) -> String { absolute(path, from: folder) }

    func absolute(_ path: String, from folder: String) -> String {
        if path.hasPrefix("/") { return path }
        return folder + "/" + path.withoutDotSlash
    }
}

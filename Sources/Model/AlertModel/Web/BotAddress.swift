/// Where people reach the bot, and what stands below that address for messages to lead to.
public struct BotAddress: Hashable, Sendable {
    /// What people do on pages of the bot, by their paths.
    public enum Errand: String, CaseIterable, Hashable, Sendable {
        case mute = "/mute"
        case acknowledge = "/ack"
        case unmute = "/unmute"
        case retry = "/retry"
    }

    /// Without a slash at its end.
    private let base: String

    /// - Parameter publicURL: the address of the first page, with a slash at its end or without.
    public init(_ publicURL: String) {
        base = publicURL.hasSuffix("/") ? String(publicURL.dropLast()) : publicURL
    }

    /// An incident's page.
    public func page(ofIncident id: String) -> String { "\(base)/incidents/\(id)" }

    /// Where an incident is acknowledged.
    public func acknowledging(_ incident: String) -> String { start(of: .acknowledge) + incident }

    /// Where an incident is muted.
    ///
    /// - Parameter length: a word for how long, such as `2h`.
    public func muting(_ incident: String, for length: String) -> String {
        "\(start(of: .mute))\(incident)&for=\(length)"
    }

    /// What an address is for that was made here, and about which incident; nil for any other.
    public func errand(of address: String) -> (errand: Errand, incident: String)? {
        for errand in [Errand.acknowledge, .mute] {
            let start = start(of: errand)
            guard address.hasPrefix(start) else { continue }
            return (errand, String(address.dropFirst(start.count).prefix { $0 != "&" }))
        }
        return nil
    }

    /// How many letters a seal has.
    public static let sealCount = 32

    /// The address with a seal, which is put on as a message leaves.
    ///
    /// - Parameter until: seconds since 1970.
    public static func sealed(_ address: String, until: Int64, by seal: String) -> String {
        "\(address)&until=\(until)&seal=\(seal)"
    }

    private func start(of errand: Errand) -> String { "\(base)\(errand.rawValue)?incident=" }
}

extension Message.Link {
    /// Whether people do something with it at the bot. Others have such addresses, too: a wiki with a page `retry`, say.
    private var isErrand: Bool {
        isOwn && BotAddress.Errand.allCases.contains { url.contains("\($0.rawValue)?incident=") }
    }

    /// The same at least as long as it is when it leaves: what fits must not depend on whether it is sealed yet, or a
    /// preview would show links that are not sent.
    public var atFullLength: Message.Link {
        guard isErrand, !url.contains("&seal=") else { return self }
        let seal = String(repeating: "0", count: BotAddress.sealCount)
        return Message.Link(title, BotAddress.sealed(url, until: 9_999_999_999, by: seal), isOwn: true)
    }
}

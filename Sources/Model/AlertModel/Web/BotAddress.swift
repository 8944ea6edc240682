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

    private func start(of errand: Errand) -> String { "\(base)\(errand.rawValue)?incident=" }
}

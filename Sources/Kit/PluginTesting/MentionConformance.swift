public import PluginKit

/// What every channel must do that calls people in front of its text: whom the config names, when it begins and when it gets
/// worse, and nobody else.
public struct MentionConformance: Sendable {
    private let callable: [String]
    private let uncallable: [String]
    private let member: String
    private let textMax: Int
    private let make: @Sendable (Option.Value) throws -> any Channel

    /// - Parameters:
    ///   - callable: some whom the service can call, as it writes them.
    ///   - uncallable: what the channel must refuse.
    ///   - member: the member of the JSON that the text is in.
    ///   - textMax: the most that the service takes in it, in UTF-16 units.
    ///   - make: the channel whose option `mention` is that.
    public init(
        callable: [String], uncallable: [String], in member: String = "text", textMax: Int = 4000,
        _ make: @escaping @Sendable (Option.Value) throws -> any Channel
    ) {
        self.callable = callable
        self.uncallable = uncallable
        self.member = member
        self.textMax = textMax
        self.make = make
    }

    /// Everything wrong with how the channel calls; empty when it may be used.
    ///
    /// - Throws: what the channel says of those whom it should call.
    public func violations() throws -> [String] {
        let channel = try make(.mentioning(callable))
        var found: [String] = []
        for kind in Notification.Kind.allCases {
            for severity in [Severity.critical, .warning] {
                for isPlain in [false, true] {
                    let text = text(of: channel, kind, severity, "it crashes", isPlain: isPlain)
                    let isDue = severity == .critical && [.opened, .escalated].contains(kind)
                    let isCalling = text.hasPrefix(callable.joined(separator: " ") + " ")
                    guard isCalling != isDue || !text.contains("it crashes") else { continue }
                    found.append("\(kind), \(severity), \(isPlain ? "plain" : "rich"): it says '\(text)'")
                }
            }
        }
        let long = String(repeating: "it crashes 👨‍👩‍👧‍👦 ", count: 2000)
        let length = text(of: channel, .opened, .critical, long, isPlain: true).utf16.count
        if length > textMax { found.append("a long text has \(length) units with them, at most \(textMax) are taken") }
        return found + uncallable.filter(isTaken).map { "'\($0)' is taken for somebody" }
    }

    private func text(
        of channel: any Channel, _ kind: Notification.Kind, _ severity: Severity, _ headline: String, isPlain: Bool
    ) -> String {
        let message = Message(kind: kind, severity: severity, at: ChannelConformance.now, headline: headline)
        guard let bytes = channel.request(for: message, isPlain: isPlain)?.wireBody()?.bytes else { return "" }
        return (try? JSON(parsing: bytes))?[member]?.string ?? ""
    }

    private func isTaken(_ name: String) -> Bool {
        do {
            _ = try make(.mentioning([name]))
            return true
        } catch {
            return !(error is ProblemList)
        }
    }
}

extension Option.Value {
    /// The option `mention` of a config that names those.
    public static func mentioning(_ names: [String], for severities: [Severity] = [.critical]) -> Option.Value {
        let position = Position(line: 2, column: 3)
        let names = Option(.list(names.map { Option(.text(GuardedText($0)), at: position) }), at: position)
        let values = Dictionary(uniqueKeysWithValues: severities.map { ($0.rawValue, names) })
        return .section(Options(name: "mention", position: position, values: values))
    }
}

public import Pictures
public import PluginKit

/// What the bot has said, as people read it in a terminal.
public struct HistoryText {
    private let entries: [JSON]
    private let isOnlyDead: Bool
    private let paint: Paint
    private let clock: Clockface

    /// - Parameters:
    ///   - history: as `StatusReport` has it.
    ///   - isOnlyDead: whether only failed deliveries were asked for.
    ///   - zone: the bot's.
    public init(_ history: JSON, isOnlyDead: Bool, _ paint: Paint, in zone: Zone) {
        clock = Clockface(zone)
        entries = history.array ?? []
        self.isOnlyDead = isOnlyDead
        self.paint = paint
    }

    public var text: String {
        if entries.isEmpty { return isOnlyDead ? "No failed deliveries." : "Nothing has been sent yet." }
        return entries.map(entry).joined(separator: "\n")
    }

    private func entry(_ entry: JSON) -> String {
        func member(_ name: String) -> String { entry[name]?.string ?? "?" }
        let outcome = member("outcome")
        let painted = outcome == "dead" ? paint.red("failed") : outcome
        let title = paint.bold("\(clock.at(member("at"))) \(member("channel")) \(member("kind"))")
        var lines = ["\(title) \(painted)  \(paint.dim(member("id")))"]
        lines += (entry["text"]?.string ?? "").split(separator: "\n").map { "  \($0)" }
        if let why = entry["why"]?.string { lines.append(paint.red("  \(why.tamed)")) }
        return lines.joined(separator: "\n")
    }
}

internal import AlertCore
public import Pictures
public import PluginKit

/// A mute in a line.
public struct MuteText {
    private let mute: JSON
    private let paint: Paint
    private let clock: Clockface

    public init(_ mute: JSON, _ paint: Paint, _ clock: Clockface) {
        self.mute = mute
        self.paint = paint
        self.clock = clock
    }

    public var text: String {
        let until = mute["until"]?.string.map { "until \(clock.at($0))" } ?? "permanently"
        let from = mute["from"]?.string.map { "from \(clock.at($0)) " } ?? ""
        let by = mute["by"]?.string.map { ", by \($0)" } ?? ""
        let reason = mute["reason"]?.string.map { ": \($0)" } ?? ""
        let origin = mute["origin"]?.string == "config" ? " (in the config)" : ""
        let what = (try? Match(JSONReader(mute["match"] ?? .null)))?.sentence ?? "?"
        let passes = mute["except"]?.string.flatMap(Severity.init).map { " (\($0.passing))" } ?? ""
        let channels = (mute["channels"]?.array ?? []).compactMap { $0.string }
        let places = channels.isEmpty ? "" : " in \(channels.listed)"
        let nothing = mute["covers_nothing"]?.string.map { "; covers nothing: \($0)" } ?? ""
        return paint.bold(mute["id"]?.string ?? "?")
            + "\(origin) \(what)\(places)\(passes), \(from)\(until)\(by)\(reason)\(nothing)".tamed
    }
}

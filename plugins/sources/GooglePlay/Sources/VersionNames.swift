internal import PluginKit
internal import SourceKit

/// What people call the versions of one app: Play counts under version codes, and nobody knows `5401` by heart.
struct VersionNames: Hashable, Sendable {
    /// By version code: `5.4.0 (5401)`.
    private(set) var names: [String: String] = [:]
    /// When Play was asked; nil when never.
    private(set) var asked: Moment?

    /// Releases are made rarely.
    private static let freshFor = Duration.days(1)
    /// A code without a name may be a new release, or one that never gets any.
    private static let patience = Duration.minutes(15)
    /// Codes that are remembered, so that a version keeps its name when nobody is offered it any more.
    private static let countMax = 200
    private static let charactersMax = 60

    init() {}

    /// Whether it is too early to ask again.
    ///
    /// - Parameter codes: those of which there are figures.
    func isFresh(for codes: some Sequence<String>, at now: Moment) -> Bool {
        guard let asked, asked <= now else { return false }
        let hasNameless = codes.contains { names[$0] == nil }
        return now - asked < (hasNameless ? VersionNames.patience : VersionNames.freshFor)
    }

    /// The name of a version; its code where nobody knows more.
    subscript(_ code: String) -> String { names[code] ?? code }

    static func call(of app: String) -> GoogleService.Call {
        GoogleService.Call(
            "names of releases of \(app)", get: "/v1beta1/apps/\(app.percentEncoded):fetchReleaseFilterOptions")
    }

    /// Takes in what Play says of its tracks, and keeps what it said before.
    mutating func learn(_ body: JSONReader, at now: Moment) throws(JSONMismatch) {
        for track in try body.optional("tracks")?.elements() ?? [] {
            for release in try track.optional("servingReleases")?.elements() ?? [] {
                let title = try release.optional("displayName")?.string() ?? ""
                for code in try release.optional("versionCodes")?.elements() ?? [] {
                    // Numbers of 64 bits are strings in Google's JSON.
                    let code = try code.string()
                    guard VersionNames.isCode(code) else { continue }
                    // The first track to name it counts, or a version would change its name from poll to poll.
                    if names[code] == nil { names[code] = VersionNames.name(title, code) }
                }
            }
        }
        asked = now
        guard names.count > VersionNames.countMax else { return }
        let newest = names.keys.sorted { (Int64($0) ?? 0, $0) > (Int64($1) ?? 0, $1) }
        for code in newest.dropFirst(VersionNames.countMax) { names[code] = nil }
    }

    private static func isCode(_ text: String) -> Bool { text.utf8.count <= 19 && text.isDigits }

    /// The version before its code. The console's own names have it the other way round: `5401 (5.4.0)`.
    private static func name(_ title: String, _ code: String) -> String? {
        var title = title.tamed.trimmed
        if title.hasPrefix("\(code) ("), title.hasSuffix(")") {
            title = String(title.dropFirst(code.count + 2).dropLast())
        }
        title = title.clipped(to: charactersMax).trimmed
        if title.isEmpty || title == code { return nil }
        return title.contains(code) ? title : "\(title) (\(code))"
    }

    // MARK: - In the cursor

    var json: JSON {
        let written = names.sorted { $0.key < $1.key }.map { ($0.key, JSON.string($0.value)) }
        return ["asked": JSON(asked), "names": .object(JSONObject(written))]
    }

    /// Reads what `json` wrote; anything else is as good as nothing.
    init(_ json: JSON?) {
        asked = json?["asked"]?.string.flatMap { Moment(rfc3339: $0) }
        for member in json?["names"]?.object?.members.prefix(VersionNames.countMax) ?? [] {
            if let name = member.value.string, !name.isEmpty { names[member.name] = name }
        }
    }
}

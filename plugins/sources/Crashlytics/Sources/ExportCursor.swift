internal import PluginKit

/// What a poll leaves to remember of the tables in BigQuery: when the newest session of each began.
///
/// A table that has stalled has no rows in a span that ends now, and from then on only the memory tells it from an app
/// that nobody uses.
struct ExportCursor: Hashable, Sendable {
    /// By the table's full name.
    private var newest: [String: Moment] = [:]

    /// Reads what `json` wrote of these tables; anything else is as good as nothing.
    init(_ json: JSON?, of tables: [ExportTables]) {
        for table in tables {
            newest[table.fullName] = json?["newest"]?[table.fullName]?.string.flatMap { Moment(rfc3339: $0) }
        }
    }

    var json: JSON {
        ["newest": .object(JSONObject(newest.sorted { $0.key < $1.key }.map { ($0.key, JSON($0.value)) }))]
    }

    /// When the newest session of a table began, as far as any poll could tell.
    subscript(_ table: ExportTables) -> Moment? {
        get { newest[table.fullName] }
        set { newest[table.fullName] = [newest[table.fullName], newValue].compactMap(\.self).max() }
    }
}

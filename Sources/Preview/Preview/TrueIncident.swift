public import PluginKit

/// Something that truly happened, as people know afterwards: what a rule should have found.
public struct TrueIncident: Hashable, Sendable {
    public let app: String
    public let span: TimeSpan

    public init(app: String, span: TimeSpan) {
        self.app = app
        self.span = span
    }

    /// Reads a file of JSON lines: `{"app": "shop-ios", "from": "2026-11-20T09:00:00Z", "to": "2026-11-20T11:30:00Z"}`.
    ///
    /// Other members are passed over, so that a note may stand beside. Broken lines are told and the rest is used.
    public static func read(
        _ bytes: [UInt8], file: String
    ) -> (incidents: [TrueIncident], complaints: [ObservationReader.Complaint]) {
        var incidents: [TrueIncident] = []
        var complaints: [ObservationReader.Complaint] = []
        func complain(_ line: Int, _ column: Int?, _ sentence: String) {
            complaints.append(.init(level: .error, file: file, line: line, column: column, sentence: sentence))
        }
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() where line.contains(where: { $0 > 0x20 }) {
            do {
                incidents.append(try TrueIncident(JSONReader(JSON(parsing: line))))
            } catch let error as JSONSyntaxError {
                complain(index + 1, error.column, error.problem)
            } catch {
                complain(index + 1, nil, "\(error)")
            }
        }
        return (incidents, complaints)
    }

    private init(_ reader: JSONReader) throws(JSONMismatch) {
        let from = try reader.member("from").moment()
        let to = try reader.member("to")
        guard let span = TimeSpan(from: from, to: try to.moment()) else {
            throw to.mismatch(expected: "an instant after 'from' (\(from))")
        }
        self.init(app: try reader.member("app").nonEmptyString(), span: span)
    }
}

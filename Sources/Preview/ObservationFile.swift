public import PluginKit

/// Reads lines of observations out of a stream of bytes; a broken line is told and the rest is used.
public struct ObservationFile: Sendable {
    /// Something about one line that people should know.
    public struct Complaint: Sendable, CustomStringConvertible {
        public let file: String
        /// From 1.
        public let line: Int
        /// In bytes, from 1; nil where the line is JSON but not an observation.
        public let column: Int?
        public let sentence: String

        public var description: String {
            "\(file):\(line)" + (column.map { ":\($0)" } ?? "") + ": error: \(sentence)"
        }
    }

    public private(set) var lines: [ObservationLine] = []
    public private(set) var complaints: [Complaint] = []
    /// Lines of sources that were not asked for, by source.
    public private(set) var skipped: [String: Int] = [:]

    private let name: String
    private let sources: Set<String>
    private var number = 0
    private var rest: [UInt8] = []
    private var isOverlong = false

    /// - Parameters:
    ///   - name: the file's name, for complaints.
    ///   - sources: the sources whose lines are wanted.
    public init(name: String, sources: Set<String>) {
        self.name = name
        self.sources = sources
    }

    /// Takes in the next bytes of the file.
    public mutating func take(_ bytes: some Sequence<UInt8>) {
        for byte in bytes {
            if byte == UInt8(ascii: "\n") {
                endLine()
            } else if rest.count < ObservationLine.lineBytesMax {
                rest.append(byte)
            } else {
                isOverlong = true
            }
        }
    }

    /// Ends the file, and puts the lines in the order in which they were seen.
    public mutating func finish() {
        if !rest.isEmpty { endLine() }
        // Stable: lines seen at one moment stay in the order of the file.
        lines = lines.enumerated().sorted { ($0.element.seen, $0.offset) < ($1.element.seen, $1.offset) }.map(\.element)
    }

    /// The lines in groups of what one source saw at one moment.
    public var batches: [[ObservationLine]] {
        var batches: [[ObservationLine]] = []
        for line in lines {
            if let last = batches.last?.first, last.seen == line.seen, last.source == line.source {
                batches[batches.count - 1].append(line)
            } else {
                batches.append([line])
            }
        }
        return batches
    }

    private mutating func endLine() {
        defer {
            rest.removeAll(keepingCapacity: true)
            isOverlong = false
        }
        number += 1
        if isOverlong {
            complain(nil, "the line is longer than \(ObservationLine.lineBytesMax >> 20) MiB")
            return
        }
        guard rest.contains(where: { $0 != 0x20 && $0 != 0x09 && $0 != 0x0D }) else { return }
        let json: JSON
        do {
            json = try JSON(parsing: rest)
        } catch {
            complain(error.column, error.problem)
            return
        }
        do {
            let line = try ObservationLine(json)
            if sources.contains(line.source) {
                lines.append(line)
            } else {
                skipped[line.source, default: 0] += 1
            }
        } catch {
            complain(nil, error.description)
        }
    }

    private mutating func complain(_ column: Int?, _ sentence: String) {
        complaints.append(Complaint(file: name, line: number, column: column, sentence: sentence))
    }
}

public import Journal
internal import PluginKit

/// How the program ends.
public enum ExitStatus: Int32, Sendable {
    case fine = 0
    /// The answer is no: an invalid config, a damaged journal.
    case no = 1
    case wrongUsage = 2
    /// It could not be done: no source answered, the folder is not writable, another bot holds the lock.
    case impossible = 3
}

/// Why a command cannot go on, and the status it ends with.
public struct Failure: Error, Hashable, Sendable {
    public let status: ExitStatus
    /// Empty when everything has been said.
    public let sentence: String

    public init(_ status: ExitStatus, _ sentence: String = "") {
        self.status = status
        self.sentence = sentence
    }
}

extension Failure {
    /// A name that is not known, with the nearest that is.
    public init(noSuch what: String, _ name: String, known: some Sequence<String>) {
        let near = name.nearest(in: known).map { "; did you mean \($0)?" } ?? ""
        self.init(
            .wrongUsage, "there is no \(what) '\(name)'; known: \(known.sorted().joined(separator: ", "))\(near)")
    }

    /// What a journal's trouble means for a command.
    public init(_ error: JournalError) {
        switch error {
        case .newerVersion, .foreignFile, .refused: self.init(.no, error.description)
        default: self.init(.impossible, error.description)
        }
    }
}

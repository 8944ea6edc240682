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
    /// Characters of a name that are repeated to whoever wrote it.
    private static let nameMax = 60

    /// A name that is not known, with the nearest that is.
    ///
    /// - Parameter path: the config's that does not have it, for people; nil where no config says which there are.
    public init(noSuch what: String, _ name: String, in path: String? = nil, known: some Sequence<String>) {
        let names = known.sorted()
        let place = path.map { " in \($0)" } ?? ""
        self.init(
            .wrongUsage,
            "there is no \(what) '\(name.tamed.clipped(to: Failure.nameMax))'\(place); known: "
                + names.joined(separator: ", ") + name.guess(in: names))
    }

    /// An option that none of those has, with the nearest that one of them has.
    public init(noOption name: String, of owners: [String], known: some Sequence<String>) {
        let names = known.sorted()
        let have = owners.count == 1 ? "\(owners[0]) has no" : "neither \(owners.joined(separator: " nor ")) has an"
        self.init(
            .wrongUsage,
            "\(have) option '\(name.tamed.clipped(to: Failure.nameMax))'; known: "
                + names.joined(separator: ", ") + name.guess(in: names))
    }

    /// What a journal's trouble means for a command.
    public init(_ error: JournalError) {
        switch error {
        case .newerVersion, .foreignFile, .refused: self.init(.no, error.description)
        // A bot goes on by itself once there is space, and a command has ended.
        case .diskFull(let path):
            self.init(.impossible, "no space left on the disk of \(path); free some, and run this again")
        default: self.init(.impossible, error.description)
        }
    }
}

import AlertModel

/// Why there is no such time zone. `description` is a sentence for the person who has to fix it.
public enum ZoneError: Error, Hashable, Sendable {
    /// The text cannot be the name of a zone.
    case nameMalformed(String)
    /// The database has no such zone; `suggestion` is the name that was probably meant.
    case unknown(name: String, suggestion: String?)
    /// The database lists the zone, but its file is not there.
    case notInstalled(name: String)
    /// There is no database in the folder.
    case noDatabase(folder: String)
    /// The file is there but cannot be read; `reason` is in the system's words.
    case notReadable(path: String, reason: String)
    /// The file is longer than any zone needs.
    case tooLarge(path: String, bytesMax: Int)
    /// The file counts leap seconds, as those under `right/` do, which Unix time does not.
    case countsLeapSeconds(name: String)
    /// The file is not what RFC 9636 describes; `problem` says where and why.
    case malformed(name: String, problem: String)
}

extension ZoneError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .nameMalformed(let name):
            return "'\(name.quotable)' cannot be a time zone; write a name such as Europe/Madrid or UTC"
        case .unknown(let name, let suggestion?):
            return "there is no time zone '\(name)'; did you mean \(suggestion)?"
        case .unknown(let name, nil):
            return "there is no time zone '\(name)'; write an IANA name such as Europe/Madrid or UTC"
        case .notInstalled(let name):
            return "the time zone '\(name)' is known but not installed; "
                + "install it with: apt-get install tzdata tzdata-legacy"
        case .noDatabase(let folder):
            return "there is no time zone database in \(folder); install it with: apt-get install tzdata"
        case .notReadable(let path, let reason):
            return "cannot read the time zone file \(path): \(reason); give the bot's user the right to read it"
        case .tooLarge(let path, let bytesMax):
            return "\(path) is longer than \(bytesMax) bytes and cannot be a time zone file; "
                + "restore it with: apt-get install --reinstall tzdata"
        case .countsLeapSeconds(let name):
            let plain = name.hasPrefix("right/") ? String(name.dropFirst("right/".count)) : nil
            return "the time zone '\(name)' counts leap seconds, which wall times here do not; "
                + (plain.map { "write \($0)" } ?? "restore the usual files with: apt-get install --reinstall tzdata")
        case .malformed(let name, let problem):
            return "the file of the time zone '\(name)' is damaged: \(problem); "
                + "restore it with: apt-get install --reinstall tzdata"
        }
    }
}

// Runtime is the thin shell around the core: it journals what was decided, performs the effects, and feeds the answers
// back as inputs. Everything outside is a port, so the whole bot runs in a test or in a simulated world as well.

public import AlertCore
public import Journal
public import PluginKit

/// Time, in its two kinds: the wall's, which people can set, and the machine's, which only moves on.
public protocol Clock: Sendable {
    func now() -> Moment
    /// Time since the machine started, suspends included.
    func uptime() -> Duration
    /// Waits until `uptime()` reaches the given value; throws when cancelled.
    func sleep(until uptime: Duration) async throws
}

/// The network.
public protocol Web: Sendable {
    func perform(_ request: HTTPRequest, timeout: Duration) async throws(TransportError) -> HTTPResponse
    /// Hands a mail to its server.
    func send(_ mail: Mail, timeout: Duration) async throws(TransportError) -> MailAnswer
    /// Where tasks run best that do little but wait for it; nil for wherever others run.
    var executor: (any TaskExecutor)? { get }
}

extension Web {
    public var executor: (any TaskExecutor)? { nil }
}

/// Files that sources read.
public protocol Files: Sendable {
    func read(_ request: FileRequest) async -> FileResult
}

/// What turns figures into pictures.
public protocol Painter: Sendable {
    /// A picture of the chart, the same for the same chart; the hours are those of the zone, numbers and days are
    /// written as the words have it.
    func image(of chart: Chart, in zone: Zone, words: Words) throws(PaintTrouble) -> ChartImage
}

/// Why there is no picture, as a clause for people.
public struct PaintTrouble: Error, Hashable, Sendable {
    public let sentence: String

    public init(_ sentence: String) { self.sentence = sentence }
}

/// The rest of the host.
public protocol Host: Sendable {
    /// Whether it runs on battery or wants to save power.
    func isLowOnPower() -> Bool
    /// Writes to standard output.
    func print(_ text: String)
    /// Writes entries to the log, those of one turn together.
    func log(_ notes: [Note])
    /// Whether the log shows the details of its entries: most do not, and to find them is work.
    var logsDetails: Bool { get }
}

extension Host {
    public func log(_ note: Note) { log([note]) }
}

/// The ports a bot needs.
public struct Ports: Sendable {
    public var clock: any Clock
    public var web: any Web
    public var files: any Files
    public var host: any Host
    /// Nil where no message gets a picture.
    public var painter: (any Painter)?
    /// The folder in which what comes of polls is recorded; nil for not at all.
    public var recording: (any JournalDisk)?
    /// Makes polls and deliveries fail at random; nil in earnest.
    public var faults: Faults?

    public init(
        clock: any Clock, web: any Web, files: any Files, host: any Host, painter: (any Painter)? = nil,
        recording: (any JournalDisk)? = nil, faults: Faults? = nil
    ) {
        self.clock = clock
        self.web = web
        self.files = files
        self.host = host
        self.painter = painter
        self.recording = recording
        self.faults = faults
    }
}

/// Failures made on purpose, the same for the same seed.
public struct Faults: Sendable {
    /// From 0 to 1.
    public let rate: Double
    public let seed: UInt64

    public init(rate: Double, seed: UInt64) {
        self.rate = rate
        self.seed = seed
    }

    /// What is said of all that fails so.
    public static let sentence = "failed on purpose (--fault-rate)"

    /// Whether the thing of that name, at that time, fails.
    public func strikes(_ name: String, at moment: Moment) -> Bool {
        StableHash.unit(String(seed), name, moment.description, "fault") < rate
    }
}

/// Masks secrets in words that came from outside: a service may send back what it was sent.
public struct Redactor: Sendable {
    private var values: [String]
    private var masks: [SecretMask]

    public init(_ secrets: [Secret]) {
        self.init(values: secrets.flatMap { [$0.reveal()] + Redactor.telling(in: $0.reveal()) })
    }

    private init(values: [String]) {
        self.values = Set(values).sorted { ($0.count, $0) > ($1.count, $1) }
        masks = self.values.map { SecretMask(Secret($0)) }
    }

    /// What of a secret address tells enough to use it, for a service says which path it does not know: the path with
    /// what is behind it, the path alone, its last part, and the values that are asked with.
    private static func telling(in address: String) -> [String] {
        guard let colon = address.firstIndex(of: ":"), address[colon...].hasPrefix("://"),
            let start = address[colon...].dropFirst(3).firstIndex(of: "/")
        else { return [] }
        let target = address[start...].prefix { $0 != "#" }
        let path = target.prefix { $0 != "?" }
        let values = target.dropFirst(path.count + 1).split(separator: "&")
            .compactMap { $0.split(separator: "=", maxSplits: 1).dropFirst().first }
        let tokens = path.split(separator: "/").suffix(1) + values
        return [target, path].filter { $0.count >= pathCharactersMin }.map(String.init)
            + tokens.filter { $0.count >= valueCharactersMin }.map(String.init)
    }

    /// Shorter paths are no secrets, and words of many sentences.
    private static let pathCharactersMin = 12
    /// Shorter values and names are words rather than tokens.
    private static let valueCharactersMin = 16

    /// Masks one more.
    func masking(_ secret: Secret) -> Redactor {
        let value = secret.reveal()
        guard !values.contains(value) else { return self }
        // The longest first, as above; the others need not be made again.
        let place = values.firstIndex { ($0.count, $0) < (value.count, value) } ?? values.count
        var redactor = self
        redactor.values.insert(value, at: place)
        redactor.masks.insert(SecretMask(secret), at: place)
        return redactor
    }

    /// Masks some more.
    func masking(_ secrets: [Secret]) -> Redactor { secrets.reduce(self) { $0.masking($1) } }

    /// Masks the credentials in a request's headers that are tokens rather than words: for names, which rules match. A header
    /// such as `X-App-Key` may name the app itself.
    func masking(credentialsOf request: HTTPRequest) -> Redactor {
        let headers = request.headers.filter { header in
            let name = header.name.lowercased().replacing("-", with: "").replacing("_", with: "")
            return ["authorization", "cookie", "token", "secret", "password", "apikey"].contains { name.contains($0) }
        }
        let pieces = headers.flatMap(\.value.pieces)
        let secrets = pieces.compactMap { if case .secret(let secret) = $0 { secret } else { nil } }
        return masking(secrets.filter { $0.reveal().isTokenlike })
    }

    public func redact(_ text: String) -> String { masks.reduce(text) { $1.masked(in: $0) } }

    /// The same observation with secrets masked in the titles of its issues, which come from crashing programs, and without links
    /// that hold any, as of a service that repeats its own query. Names stay, for rules match them, and so do words that are too
    /// short to be tokens, such as the name of an organization.
    func redactIssues(in observation: Observation) -> Observation {
        guard !observation.issues.isEmpty else { return observation }
        let masks = masks.prefix(values.prefix { $0.count >= Redactor.valueCharactersMin }.count)
        var observation = observation
        for (place, issue) in observation.issues.enumerated() {
            let title = masks.reduce(issue.title) { $1.masked(in: $0) }
            if title != issue.title { observation.issues[place].title = title }
            if let url = issue.url, masks.reduce(url, { $1.masked(in: $0) }) != url {
                observation.issues[place].url = nil
            }
        }
        return observation
    }

    /// The same observation with secrets masked in its names: a source that repeats what it was sent would have the credential for
    /// an app's name, in every message and on every page.
    func redactNames(in observation: Observation) -> Observation {
        guard !masks.isEmpty else { return observation }
        var observation = observation
        let subject = observation.subject
        let names = (redact(subject.app), subject.release.map(redact), subject.environment.map(redact))
        if names != (subject.app, subject.release, subject.environment) {
            observation.subject = Subject(source: subject.source, app: names.0, release: names.1, environment: names.2)
        }
        for (name, value) in observation.labels where redact(value) != value {
            observation.labels[name] = redact(value)
        }
        observation.issues = observation.issues.map { issue in
            var issue = issue
            (issue.id, issue.release, issue.status) = (
                redact(issue.id), issue.release.map(redact), issue.status.map(redact)
            )
            return issue
        }
        return observation
    }
}

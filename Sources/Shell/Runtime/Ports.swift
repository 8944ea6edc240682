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

    /// What came of a request, as plugins hear of it.
    func fetch(_ request: HTTPRequest, timeout: Duration) async -> FetchResult {
        do {
            return .answered(try await perform(request, timeout: timeout))
        } catch {
            return .failed(error)
        }
    }
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

/// What became of a text for standard output.
public enum Printing: Hashable, Sendable {
    case done
    /// Not all of it was taken, or nothing; the sentence says why.
    case failed(String)
    /// Its reader has stopped in the middle: nobody knows whether the rest will be read.
    case stuck
}

/// The rest of the host.
public protocol Host: Sendable {
    /// Whether it runs on battery or wants to save power.
    func isLowOnPower() -> Bool
    /// Writes to standard output, and says what became of that. However long its reader takes, nobody else waits.
    func print(_ text: String, within limit: Duration) async -> Printing
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

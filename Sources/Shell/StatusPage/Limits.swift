import AlertModel
import Glibc

/// How much the page takes and gives; plenty for people, little for a flood.
struct Limits: Sendable {
    /// Twice what common servers allow: cookies that other programs set for `localhost` come along.
    var headBytesMax = 16_384
    /// Of a command; the longest has some hundred incident ids.
    var bodyBytesMax = 65_536
    /// An eighth of the 1024 descriptors that a process has by default.
    var connectionsMax = 128
    /// A quarter of the connections, so that open pages never keep probes out.
    var streamsMax = 32
    /// Readers that wait for the one before them.
    var readersMax = 16
    /// How long a reader may have waited for those before it: whoever waits longer is told to come again, while there is
    /// time left to hear it.
    var readerWaitMax = Duration.seconds(10)
    /// From accepting a connection to the last byte of its answer; also for each piece of a stream.
    var exchangeTimeMax = Duration.seconds(30)
    /// How long a client may owe its request before it has to go when others find no room.
    var patience = Duration.seconds(1)
    /// Of a body that nobody wants, or that is too long: read and forgotten, as whoever still sends does not hear the
    /// answer. One that says it is longer gets its answer at once; one that does not say is cut.
    var discardedBytesMax = 262_144
    /// What a stream hands to the system at a time.
    var streamBlockBytes = 4096
    /// What is written down of a stream before its reader has to take it: many cards, and little beside the megabytes that
    /// the system keeps for whoever reads slowly.
    var eventBytesAtOnce = 65_536
    /// Connections that are taken before those that are here get their turn.
    var acceptsAtOnce = 64
    /// How often the file of a unix socket is looked for: as often as the journal tries again what the disk refused.
    var socketInterval = Duration.seconds(5)
    /// Half of the 30 s to 60 s after which proxies usually close a silent connection.
    var heartbeat = Duration.seconds(15)
    /// Between two looks of a stream at the inbox: for people, what comes within it comes at once.
    var ringInterval = Duration.seconds(1)
    /// The messages on the page: some screens full; whoever wants more asks for the history.
    var messagesMax = 200
    /// What is searched for: the page's own fields take no more.
    static let wordsMax = 80
    /// Of an app or a rule, or a pattern of one.
    static let nameMax = 200
    /// A mute lasts a second to a year, as on the command line.
    static let muteSeconds: ClosedRange<Int64> = 1...31_536_000
    static let reasonMax = 500
    var historyDefault = 100
    var historyMax = 1000
    /// The wait before connections are taken again when the machine has run out of descriptors.
    var exhaustionPause = Duration.milliseconds(100)

    init() {}

    /// For a process that may have so many descriptors: an eighth of them is for connections, whoever wants one, and the rest
    /// is left to polls, deliveries and the journal.
    init(descriptorsMax: Int) {
        connectionsMax = min(connectionsMax, max(descriptorsMax / 8, Limits.connectionsMin))
        streamsMax = connectionsMax / 4
    }

    /// So few that pages can still be read.
    private static let connectionsMin = 4

    /// For this process as it was started.
    static var ofThisProcess: Limits {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return Limits() }
        return Limits(descriptorsMax: Int(clamping: limit.rlim_cur))
    }

    /// How many deliveries somebody wants to see.
    func historyCount(_ request: Request) throws(Mistake) -> Int {
        guard let written = request.parameter("limit") else { return historyDefault }
        guard let count = Int(written), (1...historyMax).contains(count) else {
            let found = written.tamed.clipped(to: 40)
            throw Mistake(sentence: "limit: found '\(found)', expected a whole number from 1 to \(historyMax).")
        }
        return count
    }
}

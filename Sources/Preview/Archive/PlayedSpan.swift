internal import AlertCore
public import BotConfig
public import PluginKit
public import Preview
internal import Runtime
public import SystemPorts

/// A span of the past as commands play it: from a file, from what the running bot has recorded, or from the sources.
public struct PlayedSpan: Sendable {
    /// Which part of the past is wanted.
    public struct Wish: Hashable, Sendable {
        /// A file to play instead of what the bot has recorded; `-` for standard input.
        public var observations: String?
        /// How far back, as people write it.
        public var since: String?
        /// The folder that keeps what sources were asked for; nil for the usual one.
        public var cache: String?

        public init(observations: String? = nil, since: String? = nil, cache: String? = nil) {
            self.observations = observations
            self.since = since
            self.cache = cache
        }
    }

    private let config: Config
    /// All that are played, by the names of their files.
    private let named: [(name: String, config: Config)]
    private let wish: Wish
    private let end: Moment?
    private let machine: Machine

    /// - Parameters:
    ///   - config: whose sources and whose recording are meant.
    ///   - name: its file's, where there are others.
    ///   - others: other configs that are played beside it, with sources of their own, by the names of their files.
    ///   - wish: what is played of them.
    ///   - end: where the span ends; nil for now.
    public init(
        _ config: Config, named name: String = "the config", and others: [(name: String, config: Config)] = [],
        _ wish: Wish, until end: Moment?, on machine: Machine
    ) {
        self.config = config
        named = [(name: name, config: config)] + others
        self.wish = wish
        self.end = end
        self.machine = machine
    }

    /// Gives every batch to `take`, in the order of arrival; gives back whether all of it could be had.
    public func play(_ take: (ObservationReader.Batch) -> Void) async throws(Failure) -> Bool {
        var lines: [String: Int] = [:]
        let isWhole = try await playAll { batch in
            lines[batch.source, default: 0] += batch.lines.count
            take(batch)
        }
        // Where one config has them and another has not, the two differ in what they were shown, and not in what they say.
        for (name, config) in named {
            machine.terminal.warn(ofSkipped: lines.filter { config.sources[$0.key] == nil }, notNamedBy: name)
        }
        return isWhole
    }

    private func playAll(_ take: (ObservationReader.Batch) -> Void) async throws(Failure) -> Bool {
        if let observations = wish.observations {
            var file = ObservationFiles(observations, sources: sources, machine.terminal)
            let isWhole = try file.play(take)
            if file.isOfUnnamedSources { throw .unnamed(observations) }
            return isWhole
        }
        let folder = RecordedFolder(config.bot.stateFolder, asOf: machine.clock.now())
        guard let since = wish.since else { return try playRecording(folder, from: nil, take) }
        let begin = (end ?? machine.clock.now()) - (try Duration(option: "--since", since))
        // The recording knows what the bot saw; the sources know more of the past, and some of them nothing.
        let isAlone = RecalledPast.sources(configs).isEmpty
        if try isAlone ? !folder.files().isEmpty : covers(folder, from: begin) {
            return try playRecording(folder, from: begin, take)
        }
        return try await RecalledPast(since: since, until: end, configs, cache: wish.cache, on: machine).play(take)
    }

    /// Whether what is recorded of the span begins soon after its begin, and ends soon before its end: in the first tenth of it,
    /// and in the last. A recording that ended before it says nothing of it, though its last file may be of the day in which
    /// the span begins.
    private func covers(_ folder: RecordedFolder, from begin: Moment) throws(Failure) -> Bool {
        let end = end ?? machine.clock.now()
        let slack = max(PlayedSpan.recordingGapMax, min(.days(1), (end - begin).scaled(by: 0.1)))
        let files = try folder.files(since: begin, until: end)
        func times(_ path: String) throws(Failure) -> (first: Moment, last: Moment)? {
            var file = ObservationFiles(
                recorded: [path], since: begin, sources: sources, isQuiet: true, machine.terminal)
            _ = try file.play { _ in }
            guard let first = file.first, let last = file.last else { return nil }
            return (first, last)
        }
        for path in files {
            guard let first = try times(path)?.first else { continue }
            guard first - begin <= slack else { return false }
            for path in files.reversed() {
                if let last = try times(path)?.last { return end - last <= slack }
            }
        }
        return false
    }

    private var configs: [Config] { named.map(\.config) }
    private var sources: Set<String> { Set(configs.flatMap(\.sources.keys)) }

    /// Plays what the bot has recorded, and says of which span that is.
    private func playRecording(
        _ folder: RecordedFolder, from begin: Moment?, _ take: (ObservationReader.Batch) -> Void
    ) throws(Failure) -> Bool {
        let files = try folder.files(since: begin, until: end)
        guard !files.isEmpty else {
            throw Failure(
                .impossible,
                try folder.files().isEmpty
                    ? folder.emptySentence + "; replay a file with --observations FILE"
                    : "nothing from that span is recorded in \(folder.path)")
        }
        if begin == nil, let remark = try folder.leftOut(until: end) {
            machine.terminal.error("alertbot: warning: \(remark)")
        }
        var file = ObservationFiles(recorded: files, since: begin, sources: sources, machine.terminal)
        var unrecorded = sources
        let isWhole = try file.play { batch in
            unrecorded.remove(batch.source)
            take(batch)
        }
        if let first = file.first, let last = file.last {
            let gaps = begin.map { [first - $0, (end ?? machine.clock.now()) - last] } ?? []
            let isShort = gaps.contains { $0 > PlayedSpan.recordingGapMax }
            machine.terminal.error(
                "alertbot: \(isShort ? "warning: played only" : "played") what was recorded from "
                    + "\(clock(first)) to \(clock(min(last, end ?? last)))")
        }
        // A config that names sources of its own would otherwise pass for one that says nothing about them.
        if !unrecorded.isEmpty {
            let isOne = unrecorded.count == 1
            machine.terminal.error(
                "alertbot: warning: nothing was recorded of \(isOne ? "source" : "sources") "
                    + "\(unrecorded.sorted().joined(separator: ", ")), which \(isOne ? "is" : "are") left out")
        }
        return isWhole
    }

    private func clock(_ moment: Moment) -> String { config.plan.zone.words(moment, readAt: machine.clock.now()) }

    /// How long after the begin that was asked for a recording may begin, or end before the end, without a warning: sources are
    /// polled at least every 30 minutes unless told otherwise, and a poll may fail.
    private static let recordingGapMax = Duration.hours(1)
}

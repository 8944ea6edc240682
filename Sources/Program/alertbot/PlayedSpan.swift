internal import AlertCore
internal import ArgumentParser
internal import BotConfig
internal import PluginKit
internal import Preview

/// Which part of the past a command plays.
struct SpanOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "Play this file instead of what the bot has recorded; - for standard input.", valueName: "file"))
    var observations: String?
    @Option(
        name: .long,
        help: ArgumentHelp(
            "Play so much of the past, such as 30d: from the recording, or from the sources where it does not reach back "
                + "so far.", valueName: "duration"))
    var since: String?
    @Option(
        name: .long,
        help: ArgumentHelp(
            "With --since: the folder that keeps what sources were asked for (default: $XDG_CACHE_HOME/alertbot).",
            valueName: "folder"))
    var cache: String?

    func validate() throws {
        if since != nil, observations != nil {
            throw ValidationError(
                "--since is about the past of the bot or of its sources; leave it out, or --observations")
        }
        if cache != nil, since == nil { throw ValidationError("--cache belongs to --since") }
    }
}

/// A span of the past as commands play it: from a file, from what the running bot has recorded, or from the sources.
struct PlayedSpan {
    private let config: Config
    private let others: [Config]
    private let span: SpanOptions
    private let end: Moment?

    /// - Parameters:
    ///   - config: whose sources and whose recording are meant.
    ///   - others: other configs that are played beside it, with sources of their own.
    ///   - span: what is played of them.
    ///   - end: where the span ends; nil for now.
    init(_ config: Config, and others: [Config] = [], _ span: SpanOptions, until end: Moment?) {
        self.config = config
        self.others = others
        self.span = span
        self.end = end
    }

    /// Gives every batch to `take`, in the order of arrival; gives back whether all of it could be had.
    func play(_ take: (ObservationReader.Batch) -> Void) async throws(Failure) -> Bool {
        if let observations = span.observations {
            var file = PlayedFile(observations, sources: sources)
            return try file.play(take)
        }
        let folder = RecordedFolder(config.bot.stateFolder)
        guard let since = span.since else { return try playRecording(folder, from: nil, take) }
        let begin = (end ?? SystemClock().now()) - (try length(since, "--since"))
        // The recording knows what the bot saw; the sources know more of the past, and some of them nothing.
        let reachesBack = try !folder.files(until: begin).isEmpty
        let isThere = try !folder.files(since: begin).isEmpty
        if reachesBack || isThere && PlayedPast.sources(configs).isEmpty {
            return try playRecording(folder, from: begin, take)
        }
        return try await PlayedPast(since: since, until: end, configs, cache: span.cache).play(take)
    }

    private var configs: [Config] { [config] + others }
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
                    ? folder.emptySentence + "; play a file with --observations FILE"
                    : "nothing of that span is recorded in \(folder.path)")
        }
        var file = PlayedFile(recorded: files, since: begin, sources: sources)
        let isWhole = try file.play(take)
        if let first = file.first, let last = file.last {
            let isShort = begin.map { first - $0 > PlayedSpan.recordingGapMax } ?? false
            Output.error(
                "alertbot: \(isShort ? "warning: played only" : "played") what was recorded from \(first) "
                    + "to \(min(last, end ?? last))")
        }
        return isWhole
    }

    /// How long after the begin that was asked for a recording may begin without a warning: sources are polled at least
    /// every 30 minutes unless told otherwise, and a poll may fail.
    private static let recordingGapMax = Duration.hours(1)
}

/// What truly happened, from the file that `--incidents` names; nil where none is named.
func readTruth(_ path: String?) throws(Failure) -> (truth: [TrueIncident]?, isWhole: Bool) {
    guard let path else { return (nil, true) }
    switch wholeFile(path, bytesMax: truthBytesMax) {
    case .failure(let error):
        throw Failure(.impossible, "the incidents \(path) can not be read: \(error.sentence)")
    case .success(let bytes):
        let (truth, complaints) = TrueIncident.read(bytes, file: path)
        for complaint in complaints { Output.error(complaint.description) }
        return (truth, complaints.isEmpty)
    }
}

/// Ten thousand incidents have their place in it, more than anybody remembers.
private let truthBytesMax = 1 << 20

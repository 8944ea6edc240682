public import AlertCore
internal import Archive
public import BotConfig
public import PluginKit
public import Preview
public import Runtime
public import SystemPorts

/// What would be said now: the ways in which `dry-run` gets its figures, each played on a copy of the state.
public struct DryRun: Sendable {
    private let config: Config
    private let state: State
    private let faults: Faults?
    private let machine: Machine

    /// - Parameters:
    ///   - state: what the bot knows when the preview begins.
    ///   - faults: what fails on purpose.
    public init(_ config: Config, from state: State, faults: Faults?, on machine: Machine) {
        self.config = config
        self.state = state
        self.faults = faults
        self.machine = machine
    }

    /// What a file of observations leads to.
    ///
    /// - Parameters:
    ///   - path: `-` for standard input.
    ///   - end: where virtual time ends; nil for the last line.
    public func play(_ path: String, until end: Moment?) throws(Failure) -> (preview: Preview, isWhole: Bool) {
        var file = ObservationFiles(path, sources: config.sources.keys, machine.terminal)
        var playback = Playback(config.plan, from: state, until: end, faults: faults)
        let isWhole = try file.play { playback.feed($0) }
        if file.isOfUnnamedSources { throw .unnamed(path) }
        for remark in playback.remarks(until: end, in: config.plan.zone, readAt: machine.clock.now()) {
            machine.terminal.error("alertbot: warning: \(remark)")
        }
        warnOfOldFigures(from: playback.firstSeen)
        let preview = playback.finish(pollsOn: true, now: machine.clock.now())
        tellFaults(preview)
        return (preview, isWhole)
    }

    /// What the bot has seen since is not unlearned: an incident of today would end with the figures of last week.
    private func warnOfOldFigures(from first: Moment?) {
        let known = state.schedule.sources.filter { config.sources[$0.key] != nil }.values.compactMap(\.lastGood).max()
        guard let first, let known, first < known else { return }
        let (zone, now) = (config.plan.zone, machine.clock.now())
        machine.terminal.error(
            "alertbot: warning: the observations begin at \(zone.words(first, readAt: now)), before the bot's last figures "
                + "(\(zone.words(known, readAt: now))), and are replayed on top of what it knows now; to see what they lead to by "
                + "themselves, use a config with another 'state'")
    }

    /// What would be said if every source said again what it has said last.
    public func repeatRecorded(at now: Moment) throws(Failure) -> Preview {
        let folder = RecordedFolder(config.bot.stateFolder, asOf: machine.clock.now())
        let pushed = Set(config.plan.sources.filter(\.isPushed).map(\.name))
        let batches = try folder.lastFigures(
            of: config.sources.keys, pushed: pushed, until: now, on: machine.terminal)
        let part = try folder.searchedPart(until: now)
        guard !batches.isEmpty else {
            let place = part.map { "\($0) of \(folder.path)" } ?? folder.path
            throw Failure(.impossible, "no figures are recorded in \(place); leave out --recorded to poll")
        }
        let recorded = Set(batches.map(\.source))
        for source in config.sources.keys.sorted() where !recorded.contains(source) {
            let place = part.map { " in \($0)" } ?? ""
            machine.terminal.error("alertbot: source \(source): no figures are recorded\(place)")
        }
        var preview = Preview(plan: config.plan, state: state, start: now, faults: faults)
        for batch in batches.map(withoutOldPushes) {
            let times = [batch.lines.map(\.seen).min(), batch.seen].compactMap(\.self)
                .map { config.plan.zone.words($0, readAt: now) }
            // Of what is pushed, each app has its own.
            let span = times.first == times.last ? times.prefix(1).joined() : times.joined(separator: " to ")
            machine.terminal.error("alertbot: source \(batch.source): its figures are from \(span)")
            let age = now - batch.seen
            preview.feed(batch.lines.map { $0.moved(by: age) }, asked: batch.asked + age, at: now)
        }
        preview.advance(to: now)
        preview.expectNoMoreAnswers()
        tellLeftOut(preview)
        tellFaults(preview)
        return preview
    }

    /// An answer without what was pushed so long before the rest of it that nobody believes it any more.
    private func withoutOldPushes(_ batch: ObservationReader.Batch) -> ObservationReader.Batch {
        let oldest = batch.seen - config.plan.figuresLast(batch.source)
        let lines = batch.lines.filter { $0.seen >= oldest }
        guard lines.count < batch.lines.count else { return batch }
        let left = (batch.lines.count - lines.count).counted("line")
        machine.terminal.error(
            "alertbot: source \(batch.source): \(left) from before \(config.plan.zone.words(oldest, readAt: machine.clock.now())) "
                + "left out: such old figures are not believed any more")
        return ObservationReader.Batch(seen: batch.seen, asked: batch.asked, lines: lines)
    }

    /// Figures that are not believed leave no message either.
    private func tellLeftOut(_ preview: Preview) {
        for remark in preview.leftOut.remarks { machine.terminal.error("alertbot: warning: \(remark)") }
    }

    /// Polls that failed on purpose leave no message, so they are told of here.
    private func tellFaults(_ preview: Preview) {
        guard let faults else { return }
        let polls = preview.faultyPolls
        machine.terminal.error(
            "alertbot: \(polls.failed) of \(polls.all.counted("poll")) \(Faults.sentence), seed \(faults.seed)")
    }

    /// What would be said if every source were polled once, and said at that time what it says now.
    ///
    /// - Parameter moment: nil for now.
    public func poll(at moment: Moment?) async throws(Failure) -> Preview {
        let inputs = await polls().sorted { $0.sourceName < $1.sourceName }
        let polled = machine.clock.now()
        let now = moment ?? polled
        let answers = inputs.map { $0.moved(by: now - polled) }
        // By a later time the bot will have polled many times: all sources answer before anything is told that was held
        // till then.
        let isLater = now > polled
        var preview = Preview(
            plan: config.plan, state: state, start: now, faults: faults, answers: isLater ? answers : [])
        var failures = 0
        for (input, answer) in zip(inputs, answers) {
            if let failure = input.failure {
                failures += 1
                machine.terminal.error("alertbot: source \(input.sourceName): \(failure)")
            }
            if let silence = input.silence(in: config.plan.zone) {
                machine.terminal.error("alertbot: source \(input.sourceName): \(silence)")
            }
            for warning in input.warnings(for: config.plan) {
                machine.terminal.error("alertbot: source \(input.sourceName): warning: \(warning.tamed)")
            }
            for note in input.notes {
                machine.terminal.error("alertbot: source \(input.sourceName): \(note.tamed)")
            }
            if !isLater { preview.take(answer) }
        }
        for source in config.plan.sources where source.isPushed {
            machine.terminal.error(
                "alertbot: source \(source.name): it receives pushes and is not polled; --recorded takes the last figures that reached the bot"
            )
        }
        guard inputs.isEmpty || failures < inputs.count else {
            throw Failure(.impossible, "no source answered, so there is nothing to judge")
        }
        preview.advance(to: now)
        preview.expectNoMoreAnswers()
        tellLeftOut(preview)
        return preview
    }

    /// One poll of each source, so many at once as the config allows. What is pushed, nobody can ask for.
    private func polls() async -> [Input] {
        let ports = machine.ports(stateFolder: config.bot.stateFolder, faults: faults)
        let poller = Poller(ports: ports, redactor: Redactor(config.secrets), tokens: TokenVault())
        let plan = config.plan
        let polled = plan.sources.filter { !$0.isPushed }
        let bar = machine.terminal.progress("Polling", of: polled.count)
        defer { bar.end() }
        return await withTaskGroup(of: Input.self) { group in
            var waiting = polled
            var underWay: [String: SourcePlan] = [:]
            func startNext() {
                while underWay.count < plan.concurrency, let index = waiting.firstIndex(where: hasRoom) {
                    let next = waiting.remove(at: index)
                    guard let source = config.sources[next.name] else { continue }
                    underWay[next.name] = next
                    let order = plan.previewOrder(for: next, state)
                    group.addTask { await poller.poll(order, source) }
                }
            }
            // A preview is as polite to one host as the bot is.
            func hasRoom(_ source: SourcePlan) -> Bool {
                guard let host = source.host else { return true }
                return underWay.values.count { $0.host == host } < plan.pollsMax(to: host)
            }
            startNext()
            var inputs: [Input] = []
            while let input = await group.next() {
                inputs.append(input)
                underWay[input.sourceName] = nil
                bar.show(inputs.count, of: polled.count)
                startNext()
            }
            return inputs
        }
    }
}

extension Input {
    fileprivate var sourceName: String {
        if case .polled(let source, _, _) = self { source } else { "" }
    }

    /// Why there is nothing to judge, though the source has answered.
    fileprivate func silence(in zone: Zone) -> String? {
        guard case .polled(_, let report, _) = self else { return nil }
        switch report.outcome {
        case .noData: return "no data: it answered, and nothing happened in the span"
        case .stale(let measured): return "stale: its figures are from \(zone.words(measured)), older than allowed"
        case .values, .unchanged, .failed: return nil
        }
    }

    /// What the source has to say to whoever looks at a poll by hand.
    fileprivate var notes: [String] {
        if case .polled(_, let report, _) = self { report.notes } else { [] }
    }

    /// In what the answer is not whole.
    fileprivate func warnings(for plan: Plan) -> [String] {
        if case .polled(let source, let report, _) = self { plan.warnings(of: report, from: source) } else { [] }
    }

    fileprivate var failure: PollFailure? {
        guard case .polled(_, let report, _) = self, case .failed(let failure) = report.outcome else { return nil }
        return failure
    }
}

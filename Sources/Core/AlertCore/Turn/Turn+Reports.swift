internal import PluginKit

// What a poll found out: it changes what is known of its source, becomes figures, and is judged.

extension Turn {
    /// Takes in lines of a file: what sources saw, or how polls ended that brought no figures.
    mutating func receiveLines(_ lines: [ObservationLine], asked: Moment) {
        // Nearly always they are of one source.
        var seen: [(source: String, observations: [Observation])] = []
        var unread: [String: Unread] = [:]
        var missing: [String: [PollFailure]] = [:]
        for case .partial(let poll) in lines {
            unread[poll.source, default: .nothing].formUnion(poll.unread)
            if let failure = poll.failure { missing[poll.source, default: []].append(PollFailure(failure)) }
        }
        func report(_ outcome: PollOutcome, of source: String) -> PollReport {
            PollReport(outcome, unread: unread[source] ?? .nothing)
                .waiting(after: missing[source, default: []])
        }
        for index in lines.indices {
            switch lines[index] {
            case .observed(let observation):
                let source = observation.subject.source
                if let index = seen.firstIndex(where: { $0.source == source }) {
                    seen[index].observations.append(observation)
                } else {
                    seen.append((source, [observation]))
                }
            case .empty(let poll):
                receiveReport(
                    of: poll.source, report(PollOutcome(poll.outcome), of: poll.source), asked: asked,
                    validators: state.schedule.sources[poll.source]?.validators ?? [:])
            // It says something of the answer beside it.
            case .partial: break
            }
        }
        for (name, observations) in seen.sorted(by: { $0.source < $1.source }) {
            receiveReport(
                of: name, report(.values(observations), of: name), asked: asked,
                validators: state.schedule.sources[name]?.validators ?? [:])
        }
    }

    /// Takes in what a poll found out.
    ///
    /// - Parameters:
    ///   - asked: when the poll began; nil where that is known already.
    ///   - isOfBefore: whether it began before the machine slept: then it says how things were, and the source is asked
    ///     again.
    /// - Returns: how many observations were kept.
    @discardableResult
    mutating func receiveReport(
        of name: String, _ report: PollReport, asked: Moment? = nil, isOfBefore: Bool = false,
        validators: [String: SourceRecord.Validator]
    ) -> Int {
        guard let source = plan.source(name) else { return 0 }
        var kept = 0
        if !isOfBefore { hear(name) }
        var record = state.schedule.sources[name] ?? SourceRecord()
        if let asked {
            record.lastPolled = asked
            state.schedule.keep(record, of: name, &output)
        }
        if let cursor = report.cursor { record.cursor = cursor }
        record.validators = validators
        record.noteTaken(report)
        let warnings = plan.warnings(of: report, from: name)
        for warning in warnings { output.note(.warning, "source \(name): \(warning)", ["source": name]) }
        if case .failed(let failure) = report.outcome {
            output.note(
                .warning, "source \(name): \(failure.reason.rawValue): \(failure.description)", ["source": name])
            let news = record.noteFailure(
                failure, of: source, figuresLast: plan.figuresLast(name), at: now)
            receiveNews(news, of: name)
        } else {
            if report.outcome != .unchanged { record.note(warnings: warnings) }
            kept = receiveAnswer(report, of: source, &record)
        }
        pace(source).plan(&record, notBefore: report.wait, at: now)
        if isOfBefore { record.hurry(source, at: now) }
        let limit = report.accountsLimit.flatMap { $0 > now ? $0 : nil }
        record.limit = limit
        state.schedule.keep(record, of: name, &output)
        judgeSource(name, isOfFew: report.isOfFew)
        if let limit { state.schedule.hold(source, until: limit, plan) }
        state.schedule.requeue(name, plan)
        return kept
    }

    /// What waits for the first answer of a source after a start is looked at by what it says.
    private mutating func hear(_ source: String) {
        guard state.schedule.endCatchUp(of: source) else { return }
        state.agenda.hear(source, at: now)
        if state.schedule.allCatchUp == nil { state.agenda.hear(nil, at: now) }
        for channel in plan.channels where state.outbox.hasWaiting(for: channel.name) {
            state.agenda.dispatch(channel.name, at: now)
        }
    }

    /// - Returns: how many observations were kept.
    private mutating func receiveAnswer(
        _ report: PollReport, of source: SourcePlan, _ record: inout SourceRecord
    ) -> Int {
        var kept = 0
        let lastGood = record.lastGood
        foresee(source.name, record)
        switch report.outcome {
        case .values(let observations):
            noteUsable(report, of: source.name, &record)
            record.noteAnswer(.values, of: source, unread: report.unread, at: now)
            let taken = receiveFigures(observations, of: source.name, except: report.unread)
            kept = taken.count
            noteRemarks(taken.remarks, of: source.name, &record)
            noteNews(of: taken.subjects, of: source.name)
            // All that the source has is looked through, so not with each app of which it tells by itself.
            if state.schedule.sources[source.name]?.lastOutcome == .unchanged {
                record.confirmed = state.relied(on: record.confirmed, of: source.name)
            }
            _ = state.schedule.noteJudged(source.name)
            let closeness = judge(taken.subjects, of: source.name, withoutNewFigures: taken.withoutNewFigures)
            record.noteFigures(closeness)
            if report.unread == .nothing, state.schedule.takeAwaitedFigures(of: source.name) {
                endIncidentsWithoutRule(of: source.name)
            }
            judgeVanished(of: source.name, except: report.unread, since: lastGood, record)
            state.incidents.firstLook.settle(taken.subjects, except: taken.withoutNewFigures)
        case .unchanged:
            noteUsable(report, of: source.name, &record)
            // What the figures say is as before; what the rules say of them need not be. And after a failure it is news
            // that the figures still hold.
            let isNews = record.lastOutcome != .values && record.lastOutcome != .unchanged
            if state.schedule.noteJudged(source.name) || isNews {
                let subjects = state.figures.subjects(of: source.name)
                let aged = subjects.filter { state.figures.series[$0].map { $0.figuresSeen < $0.lastSeen } ?? false }
                let isNear = judge(
                    subjects, of: source.name, asSeen: true, except: report.unread, withoutNewFigures: Set(aged))
                if isNear == .near { record.isNear = true }
                state.incidents.firstLook.settle(subjects, except: Set(aged))
            }
            judgeOpenIssues(of: source.name, except: report.unread)
            record.noteAnswer(.unchanged, of: source, unread: report.unread, at: now)
        case .noData:
            noteUsable(report, of: source.name, &record)
            record.noteAnswer(
                .noData, of: source, unread: report.unread, isAsBefore: report.isAsBefore, at: now)
            judgeVanished(of: source.name, except: report.unread, since: lastGood, record)
        case .stale(let measured): receiveStale(measured, of: source, &record)
        case .failed: break
        }
        // What was kept says itself since when its source is known.
        if kept == 0, record.silentSince == nil, !record.isUntouched(source) {
            state.figures.noteAnswer(of: source.name, asked: record.lastPolled ?? now, &output)
        }
        return kept
    }

    /// Says what of an answer no rule judges: in the log when that begins, with the source for as long as it goes on.
    private mutating func noteRemarks(_ remarks: [String], of source: String, _ record: inout SourceRecord) {
        guard !remarks.isEmpty else { return }
        let told = state.schedule.sources[source]?.warnings ?? []
        for remark in remarks {
            let sentence = "source \(source): \(remark)"
            output.leftOut.append(sentence)
            if !told.contains(remark) { output.note(.warning, sentence, ["source": source]) }
        }
        record.note(warnings: remarks + record.warnings)
    }

    /// An answer that is good, whatever is in it.
    private mutating func noteUsable(_ report: PollReport, of source: String, _ record: inout SourceRecord) {
        clearTrouble(.sourceStopped, about: source)
        noteLack(of: report, of: source, &record)
        let news = waitNews(of: report, of: source)
        if case .nothing = news { clearTrouble(.sourceFailing, about: source) }
        receiveNews(news, of: source)
    }

    private mutating func receiveStale(_ measured: Moment, of source: SourcePlan, _ record: inout SourceRecord) {
        record.noteAnswer(.stale, of: source, at: now)
        output.note(
            .warning,
            source.isPushed
                ? "source \(source.name): nobody has pushed anything to it since \(measured)"
                : "source \(source.name): its figures are from \(measured), older than allowed",
            ["source": source.name])
        let news = record.staleNews(
            of: source, measured: measured, figuresLast: plan.figuresLast(source.name), at: now)
        // With figures that are too old it is not over: it goes on as another trouble.
        if case .nothing = news { clearTrouble(.sourceStopped, about: source.name) }
        receiveNews(news, of: source.name)
    }

    /// A part that has been missing for as long as figures stay good is a trouble of its own: the rest is there, and nothing that
    /// waits for a source that does not answer waits for this.
    private mutating func noteLack(of report: PollReport, of source: String, _ record: inout SourceRecord) {
        record.noteLack(report, at: now)
        guard let lack = record.lack else {
            clearTrouble(.partialAnswers, about: source)
            return
        }
        guard lack.count >= 2, now - lack.since >= plan.figuresLast(source) else { return }
        raiseTrouble(
            .partialAnswers, about: source, since: lack.since,
            Phrase(
                .troubleLack, [.source: .text(source), .moment: .moment(lack.since), .cause: .text(lack.sentence)]))
    }

    private mutating func receiveNews(_ news: SourceNews, of source: String) {
        switch news {
        case .nothing: break
        case .failing(let phrase, let since):
            raiseTrouble(.sourceFailing, about: source, since: since, phrase)
        case .stopped(let phrase): raiseTrouble(.sourceStopped, about: source, phrase)
        }
    }

    /// What there is to say of an answer that is usable and asks not to be followed by another for longer than its figures
    /// stay good: nothing will be known meanwhile.
    private func waitNews(of report: PollReport, of name: String) -> SourceNews {
        guard let until = report.wait, until - now >= plan.figuresLast(name) else { return .nothing }
        let cause = report.warnings.first ?? "its request budget is used up"
        return .failing(
            Phrase(.troubleWait, [.source: .text(name), .until: .moment(until), .cause: .text(cause)]), since: now)
    }

    private func pace(_ source: SourcePlan) -> PollPace {
        // Who is told has no intervals, so nobody need know why they would stretch: a push may bring one app of thousands.
        guard !source.isPushed else {
            return PollPace(
                source: source, hasPending: false, isIdle: false, isLowOnPower: state.schedule.isLowOnPower)
        }
        // A rule without `for` fires in this very turn: there is nothing to watch for.
        let hasPending = state.incidents.pending(of: source.name).contains {
            (plan.detector($0.rule)?.detector.holdTime ?? .zero) > .zero
        }
        return PollPace(
            source: source, hasPending: hasPending, isIdle: isIdle(source), isLowOnPower: state.schedule.isLowOnPower)
    }

    /// Whether nobody would be told, whatever the source said: every way out is closed to every incident it could make.
    private func isIdle(_ source: SourcePlan) -> Bool {
        guard source.slowsWhen.contains(.idle), plan.hasCalendar || state.mutes.isAnyInForce(at: now) else {
            return false
        }
        let subjects = state.figures.unordered(of: source.name)
        guard !subjects.isEmpty else { return false }
        let rules = plan.rules(of: source.name)
        for subject in subjects {
            let labels = state.figures.series[subject]?.labels ?? [:]
            for detector in rules where detector.concerns(subject, labels: labels) {
                let incident = Incident(
                    rule: detector.name, subject: subject, labels: labels, severity: .critical, since: now,
                    evidence: Evidence(sentence: ""))
                let wouldPass = plan.channels(for: incident, at: now).contains { channel in
                    let opening = Notification(incident: incident, kind: .opened, severity: .critical, channel: channel)
                    return state.calendarClosure(for: opening, at: now, plan) == nil
                }
                if wouldPass { return false }
            }
        }
        return true
    }

    // MARK: - Judging

    /// Asks the rules about subjects, and moves incidents along; gives back how close the closest figure is to a limit.
    private mutating func judge(
        _ subjects: [Subject], of source: String, asSeen: Bool = false, except unread: Unread = .nothing,
        withoutNewFigures: Set<Subject>
    ) -> Judgement.Closeness {
        var question = Question(plan, of: source, at: now)
        question.withoutNewFigures = withoutNewFigures
        question.tellsJudgements = tellsJudgements
        question.asSeen = asSeen
        question.unconfirmed = asSeen ? unread : .anything
        var closeness = Judgement.Closeness.far
        // What is said of ten thousand apps need not be in memory all at once: no rule sees what another opens.
        var rest = subjects[...]
        while !rest.isEmpty {
            take(state.judge(rest.prefix(Turn.judgedAtOnce), question), &closeness)
            rest = rest.dropFirst(Turn.judgedAtOnce)
        }
        take(state.judge(appsOf: subjects, question), &closeness)
        return closeness
    }

    /// Asks what of open issues is over by an answer that is as before: what it does not name goes on being named by nobody.
    ///
    /// - Parameter unread: the apps of which it is none.
    private mutating func judgeOpenIssues(of source: String, except unread: Unread) {
        if case .anything = unread { return }
        guard !state.incidents.isEmpty else { return }
        var question = Question(plan, of: source, at: now)
        question.rules.removeAll { !$0.detector.readsIssues }
        question.unconfirmed = unread
        guard !question.rules.isEmpty else { return }
        let open = state.figures.unordered(of: source).filter {
            state.incidents.isOpen($0) && !unread.contains($0.app)
        }.sorted()
        for ruling in state.judge(open, question).all {
            if case .judged(let judgement) = ruling.word, case .ok(recovered: true) = judgement.verdict,
                state.incidents[identity: ruling.identity] != nil
            {
                track(ruling)
            }
        }
    }

    /// Looks at what the config finds otherwise than it stands, before the first answer since it was loaded says anything new.
    private mutating func foresee(_ source: String, _ record: SourceRecord) {
        guard state.incidents.firstLook.takeDue(source), plan.remembersSwings else { return }
        var question = Question(plan, of: source, at: now)
        question.asSeen = true
        func note(_ rulings: [Ruling]) {
            for ruling in rulings {
                guard case .judged(let judgement) = ruling.word,
                    state.incidents.standsOtherwise(than: judgement, ruling.identity)
                else { continue }
                state.incidents.firstLook.foresee(ruling.identity, isOfApp: ruling.rule.scope == .app)
            }
        }
        let subjects = state.figures.subjects(of: source)
        var rest = subjects[...]
        while !rest.isEmpty {
            note(state.judge(rest.prefix(Turn.judgedAtOnce), question).all)
            rest = rest.dropFirst(Turn.judgedAtOnce)
        }
        note(state.judge(appsOf: subjects, question).all)
        note(state.judgeVanished(of: source, except: .nothing, record, plan, at: now))
    }

    private mutating func take(_ rulings: Rulings, _ closeness: inout Judgement.Closeness) {
        output.judged += rulings.given
        closeness = min(closeness, rulings.closeness)
        for ruling in rulings.all { track(ruling) }
    }

    /// Subjects of which the rulings are taken in before the next are judged.
    private static let judgedAtOnce = 256

    /// Asks the rules about sessions what they say of apps that the source does not name any more: theirs are none.
    ///
    /// Once a minute is often enough, for all that the source has are asked about: a file may bring one app a line.
    ///
    /// - Parameters:
    ///   - unread: what the source could not be asked about.
    ///   - lastGood: when the source answered before.
    private mutating func judgeVanished(
        of source: String, except unread: Unread, since lastGood: Moment?, _ record: SourceRecord
    ) {
        func minute(_ moment: Moment) -> Int64 { moment.milliseconds / 60_000 }
        guard plan.asksAboutSessions(of: source), lastGood.map({ minute($0) != minute(now) }) ?? true else { return }
        for ruling in state.judgeVanished(of: source, except: unread, record, plan, at: now) {
            track(ruling, isVanished: true)
            state.incidents.firstLook.settle([ruling.subject])
        }
    }

    /// Takes in that newer figures have come: of a few, it is asked whether their source stays well with them; of many it is
    /// looked at as a whole.
    private mutating func noteNews(of subjects: [Subject], of source: String) {
        guard state.wellSources[source] != nil, !subjects.isEmpty else { return }
        let isFew = subjects.count <= WellSources.newsMax
        state.wellSources.note(news: isFew ? state.wellUntil(subjects, of: source, plan) : nil, of: source)
    }

    /// Asks the rules that watch a source as such.
    ///
    /// - Parameter isOfFew: whether it was told of a few apps, and may be told of others soon.
    mutating func judgeSource(_ name: String, isOfFew: Bool = false) {
        guard plan.watchesSources else { return }
        // Drawings show every judgement, those that say the same again too.
        if !tellsJudgements, let judged = state.wellSources.judged(name, at: now) {
            output.judged += judged
            return
        }
        var question = Question(plan, of: name, at: now)
        question.asksHowLong = isOfFew
        let rulings = state.judge(source: name, question)
        state.wellSources.note(rulings, of: name)
        output.judged += rulings.given
        for ruling in rulings.all { track(ruling) }
    }

    /// Moves incidents along with what a rule thinks now.
    ///
    /// - Parameter isVanished: whether it is about what the newest answer does not name.
    private mutating func track(_ ruling: Ruling, isVanished: Bool = false) {
        let rule = ruling.rule
        switch ruling.word {
        case .unconcerned(let why):
            follow(
                state.incidents.end(
                    trackedBy: rule.name, ruling.subject, because: why, at: now, &output))
        case .judged(let judgement):
            if tellsJudgements {
                output.judgements.append(
                    JudgementRecord(
                        rule: rule.name, subject: ruling.subject, key: ruling.key, judgement: judgement))
            }
            guard !isOutweighed(judgement, of: ruling) else { return }
            var isFresh = isVanished
            if case .firing = judgement.verdict, !isVanished {
                isFresh = state.areFiguresFresh(of: ruling.subject, for: rule, plan, at: now)
            }
            follow(state.incidents.track(rule, ruling, judgement, isFresh: isFresh, plan, at: now, &output))
            noteUnsettled(ruling, judgement)
        }
    }

    /// Whether it finds all well by figures that are too old to be believed, and older than what an open incident rests on.
    private func isOutweighed(_ judgement: Judgement, of ruling: Ruling) -> Bool {
        guard case .ok = judgement.verdict else { return false }
        return state.incidents[identity: ruling.identity]?.rests(onNewerThan: judgement) == true
            && !state.areFiguresFresh(of: ruling.subject, for: ruling.rule, plan, at: now)
    }

    /// What was good in the very instant in which it opened, or must be well for a while, ends with one of the next answers, also
    /// with one that says 'as before'.
    private mutating func noteUnsettled(_ ruling: Ruling, _ judgement: Judgement) {
        guard case .ok(recovered: true) = judgement.verdict,
            let incident = state.incidents[identity: ruling.identity],
            ruling.rule.detector.holdTime > .zero || incident.endsFrom != nil
        else { return }
        state.schedule.forgetJudged(ruling.subject.source)
    }

    // MARK: - Another config

    /// Ends the incidents that the config has no place for any more.
    mutating func endIncidentsWithoutRule() {
        for incident in state.incidents.inOrder where incident.isOpen {
            if let why = state.whyOutdated(incident, under: plan) { close(incident, because: why) }
        }
    }

    /// Ends what had to wait until a source has brought figures: what is without any has lost them otherwise, with a record of
    /// the journal.
    private mutating func endIncidentsWithoutRule(of source: String) {
        for incident in state.incidents.all.filter({ $0.isOpen && $0.subject.source == source }).inOrder {
            if let why = state.whyOutdated(incident, under: plan, hasFigures: true) { close(incident, because: why) }
        }
    }
}

extension PollReport {
    /// Whether it tells of a few apps at most, so that others of its source may be told of at any moment.
    fileprivate var isOfFew: Bool {
        guard case .values(let observations) = outcome else { return true }
        return observations.count <= WellSources.newsMax
    }

    /// Until when the budget of the source's account is used up, if the service said so; trouble of its own is none.
    fileprivate var accountsLimit: Moment? {
        guard case .failed(let failure) = outcome, failure.reason == .rateLimited, !failure.isOfAnotherAccount else {
            return limit
        }
        return [limit, failure.retryAt].compactMap(\.self).max() ?? wait
    }
}

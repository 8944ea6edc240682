internal import AlertCore
internal import PluginKit
internal import Runtime
internal import StatusPage

// What the page shows of each app: what its rules think, with the figures of the last day.

extension Bot.Look {
    /// - Parameter hear: takes in each judgement, those too that the page has no room for.
    func apps(_ shown: [Subject], _ hear: (Judged) -> Void = { _ in }) -> [PageApp] {
        let wanted = Set(shown)
        var judgements = Judgements(most: Most.verdicts)
        var (unlisted, unlistedWell): ([Subject: Int], [Subject: Int]) = ([:], [:])
        Core(plan: plan).judge(state, at: now, where: { wanted.contains(AppKey($0).subject) }) { judged in
            hear(judged)
            judgements.add(judged)
            unlisted[AppKey(judged.subject).subject, default: 0] += 1
            if judged.rank == .fine { unlistedWell[AppKey(judged.subject).subject, default: 0] += 1 }
        }
        let kept = judgements.kept
        for judged in kept {
            unlisted[AppKey(judged.subject).subject, default: 0] -= 1
            if judged.rank == .fine { unlistedWell[AppKey(judged.subject).subject, default: 0] -= 1 }
        }
        let verdicts = Dictionary(grouping: kept) { AppKey($0.subject).subject }
        var seen: [Subject: Moment] = [:]
        var watched: Set<Subject> = []
        for (subject, series) in state.figures.series {
            let app = AppKey(subject).subject
            guard wanted.contains(app) else { continue }
            seen[app] = max(seen[app] ?? series.lastSeen, series.lastSeen)
            // Asked only where no rule says anything: it may be that none has anything to say.
            if verdicts[app] == nil, !watched.contains(app),
                plan.detectors.contains(where: { $0.watches(subject, labels: series.labels) })
            {
                watched.insert(app)
            }
        }
        return shown.map { app in
            PageApp(
                name: app.app, source: app.source, seen: seen[app],
                age: seen[app].map { "\(max(.zero, now - $0).rough) ago" } ?? "",
                verdicts: (verdicts[app] ?? []).map(verdict), unlisted: unlisted[app] ?? 0,
                unlistedWell: unlistedWell[app] ?? 0, isWatched: verdicts[app] != nil || watched.contains(app))
        }
    }

    private func verdict(_ judged: Judged) -> PageVerdict {
        let evidence = judged.judgement.evidence
        let subject = judged.subject
        let about = [subject.release, subject.environment, judged.key].compactMap(\.self).joined(separator: ", ")
        let limit: String? =
            switch (evidence.reference, evidence.metric) {
            case (.usual(let value)?, let metric?): "usually \(text(value, of: metric))"
            case (.olderRelease(let value)?, let metric?): "older release \(text(value, of: metric))"
            default: evidence.limit?.words
            }
        let tone: PageVerdict.Tone =
            switch judged.judgement.verdict {
            // What figures say that nobody has confirmed since is not how things are.
            case .ok: judged.noNewsSince == nil ? .fine : .unknown
            case .firing(let severity): .firing(severity)
            case .unknown: .unknown
            }
        return PageVerdict(
            rule: judged.rule, about: about.isEmpty ? nil : about, tone: tone,
            metric: evidence.metric.map { Metric($0).title },
            figure: evidence.metric.flatMap { metric in
                evidence.figure.map { text($0.value, of: metric, by: evidence.limit) }
            },
            limit: limit, chart: chart(evidence, of: subject, rule: judged.rule),
            noNews: judged.noNewsSince.map { "no news since \(plan.zone.words($0, readAt: now))" })
    }

    private func text(_ value: Double, of metric: String, by limit: Comparison? = nil) -> String {
        Metric(metric).isRate(by: limit) ? value.percent : value.plain
    }

    private func chart(_ evidence: Evidence, of subject: Subject, rule: String) -> PageChart? {
        guard let metric = evidence.metric, let series = state.figures.series[subject] else { return nil }
        let points = ChartPoints(series, Metric(metric), from: now - .hours(24), to: now)
        guard points.all.count >= ChartPoints.least else { return nil }
        var usual: Double?
        switch evidence.reference {
        case .usual(let value), .olderRelease(let value): usual = value
        case nil: break
        }
        let release = subject.release.map { " of \($0)" } ?? ""
        let limit = evidence.limit.map { ", limit \($0.words)" } ?? ""
        return PageChart(
            points: points.all, limit: evidence.limit?.limit, usual: usual,
            isRate: Metric(metric).isRate(by: evidence.limit),
            // A bot that is young fills its picture all the same.
            from: max(now - .hours(24), (points.all.first?.at ?? now) - .minutes(1)), to: now,
            title: "\(Metric(metric).title)\(release) over the last day\(limit) (rule \(rule))")
    }
}

/// An app as one source sees it, with all its releases.
struct AppKey {
    let subject: Subject

    init(_ subject: Subject) { self.subject = Subject(source: subject.source, app: subject.app) }
}

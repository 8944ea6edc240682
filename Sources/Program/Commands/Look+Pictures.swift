internal import AlertCore
internal import PluginKit
internal import Runtime
internal import StatusPage

// What the pictures of the page show: every figure that a rule judges, of an app and its newest releases, with what was
// found and said meanwhile.

extension Bot.Look {
    /// More lines would be told apart by nobody.
    private static let releasesMax = 4
    /// More would be scrolled past.
    private static let picturesMax = 12
    /// Before an incident, so that its fall is seen.
    private static let lead = Duration.hours(6)
    /// However long an incident lasts: so far back are figures kept hour by hour.
    private static let reachMax = Duration.days(7)
    private static let marksMax = 60

    /// The figures of an app over the last day, as each of its sources sees them.
    ///
    /// - Parameter judged: what the rules think of them.
    func pictures(of apps: [Subject], _ judged: [Judged]) -> [PagePicture] {
        let byApp = Dictionary(grouping: judged) { AppKey($0.subject).subject }
        let pictures = apps.flatMap { app -> [PagePicture] in
            let named = (byApp[app] ?? []).compactMap { judged in
                judged.judgement.evidence.metric.map { (metric: $0, judged: judged) }
            }
            let byMetric = Dictionary(grouping: named, by: \.metric)
            return byMetric.sorted { $0.key < $1.key }.compactMap { metric, all in
                picture(of: app, Metric(metric), judged: all.map(\.judged), from: now - .hours(24))
            }
        }
        return Array(pictures.prefix(Self.picturesMax))
    }

    /// The figure that an incident is about, since some hours before it began.
    func picture(of incident: Incident) -> PagePicture? {
        guard let metric = incident.evidence.metric else { return nil }
        let app = AppKey(incident.subject).subject
        var judged: [Judged] = []
        Core(plan: plan).judge(state, at: now, where: { AppKey($0).subject == app }) { one in
            if one.judgement.evidence.metric == metric { judged.append(one) }
        }
        let from = max(now - Self.reachMax, min(now - .hours(24), incident.since - Self.lead))
        return picture(
            of: app, Metric(metric), judged: judged, from: from, beside: incident.subject)
    }

    private func picture(
        of app: Subject, _ metric: Metric, judged: [Judged], from: Moment, beside named: Subject? = nil
    ) -> PagePicture? {
        let lines = lines(of: app, metric, beside: named, from: from)
        guard let first = lines.flatMap(\.points).map(\.at).min() else { return nil }
        let limits = judged.compactMap { judged in judged.judgement.evidence.limit.map { (judged.rule, $0) } }
        var picture = PagePicture(
            lines: lines, isRate: metric.unit == .rate,
            // A bot that is young fills its picture all the same.
            from: max(from, first - .minutes(1)), to: now, zone: plan.zone,
            title: "\(metric.title) of \(app.app) over \((now - max(from, first - .minutes(1))).rough)")
        var known: Set<Double> = []
        picture.limits = limits.filter { known.insert($0.1.limit).inserted }
            .map { PagePicture.Limit(value: $0.1.limit, words: "\($0.1.words) (\($0.0))") }
        for case .usual(let usual) in judged.compactMap(\.judgement.evidence.reference) { picture.usual = usual }
        picture.stretches = stretches(of: app, metric, from: picture.from)
        picture.marks = marks(of: app, from: picture.from)
        return picture
    }

    /// The app as a whole, and of its parts those that an incident is about and the newest.
    private func lines(of app: Subject, _ metric: Metric, beside named: Subject?, from: Moment) -> [PagePicture.Line] {
        let parts = state.figures.series.keys.filter { AppKey($0).subject == app && $0 != app }
        let newest = parts.sorted { left, right in
            let (mine, other) = (state.figures.series[left]?.firstSeen, state.figures.series[right]?.firstSeen)
            return mine == other ? left < right : (mine ?? .earliest) > (other ?? .earliest)
        }
        let first = [named].compactMap(\.self).filter { parts.contains($0) }
        let shown = first + newest.filter { $0 != named }.prefix(Self.releasesMax - first.count)
        return ([app] + shown).compactMap { subject in
            guard let series = state.figures.series[subject] else { return nil }
            let points = ChartPoints(series, metric, from: from, to: now).all
            guard points.count >= ChartPoints.least else { return nil }
            let name = [subject.release, subject.environment].compactMap(\.self).joined(separator: ", ")
            return PagePicture.Line(name: name.isEmpty ? nil : name, points: points)
        }
    }

    /// Incidents about the figure, those that are over too, as far as something was said of them.
    private func stretches(of app: Subject, _ metric: Metric, from: Moment) -> [PagePicture.Stretch] {
        var found: [String: IncidentSummary] = [:]
        for entry in state.outbox.history where entry.at >= from {
            for incident in entry.delivery.message.incidents { found[incident.id] = incident }
        }
        for incident in state.incidents.all where incident.state != .pending {
            found[incident.id] = IncidentSummary(incident)
        }
        return found.values
            .filter { AppKey($0.subject).subject == app && $0.evidence.metric == metric.name }
            .filter { ($0.until ?? now) >= from }
            .sorted { ($0.since, $0.id) < ($1.since, $1.id) }
            .suffix(Most.dead)
            .map { incident in
                let end = incident.until.map { "to \(plan.zone.words($0))" } ?? "until now"
                let release = incident.subject.release.map { ", release \($0)" } ?? ""
                return PagePicture.Stretch(
                    id: incident.id, from: incident.since, to: incident.until, severity: incident.severity,
                    words:
                        "\(incident.severity.rawValue) (\(incident.rule)\(release)) from \(plan.zone.words(incident.since)) \(end)"
                )
            }
    }

    /// What was said of the app, once for all channels, and when its releases came.
    private func marks(of app: Subject, from: Moment) -> [PagePicture.Mark] {
        var said: Set<String> = []
        let messages = state.outbox.history.compactMap { entry -> PagePicture.Mark? in
            guard entry.at >= from, case .delivered = entry.end,
                let about = entry.delivery.message.incidents.first(where: { AppKey($0.subject).subject == app }),
                said.insert("\(about.id) \(entry.delivery.kind.rawValue) \(entry.at.milliseconds / 60_000)").inserted
            else { return nil }
            return PagePicture.Mark(
                .message, at: entry.at, words: "\(entry.delivery.kind.rawValue): \(entry.delivery.message.headline)")
        }
        let releases = state.figures.series.compactMap { subject, series -> PagePicture.Mark? in
            guard AppKey(subject).subject == app, subject.environment == nil, let release = subject.release,
                let came = series.firstSeen, came > from
            else { return nil }
            return PagePicture.Mark(.release, at: came, words: release)
        }
        return messages.suffix(Self.marksMax)
            + releases.sorted { ($0.at, $0.words) < ($1.at, $1.words) }.suffix(Self.marksMax)
    }
}

/// A figure over a time: hour by hour, and poll by poll where those are kept.
struct ChartPoints {
    private(set) var all: [PageChart.Point] = []

    /// Fewer make no picture.
    static let least = 2
    /// Nothing narrower is drawn by itself.
    private static let columns = 240

    init(_ series: Series, _ metric: Metric, from: Moment, to: Moment) {
        func point(_ span: TimeSpan, _ metrics: Metrics) -> PageChart.Point? {
            guard let value = metrics.figure(metric)?.value, span.to > from else { return nil }
            return PageChart.Point(at: span.to, figure: value)
        }
        let samples = series.samples.compactMap { point($0.span, $0.metrics) }
        let hours = series.trail.compactMap { point($0.span, $0.metrics) }
        // Where polls are rarer than hours they say no more.
        guard samples.count > hours.count, let first = samples.first else {
            all = hours
            return
        }
        all = hours.filter { $0.at < first.at } + ChartPoints.thinned(samples, from: from, to: to)
    }

    /// Of those in one column the lowest and the highest, in their order: no peak is lost.
    private static func thinned(_ points: [PageChart.Point], from: Moment, to: Moment) -> [PageChart.Point] {
        guard points.count > columns else { return points }
        let width = max((to - from).inSeconds, 1) / Double(columns)
        let groups = Dictionary(grouping: points.indices) { Int((points[$0].at - from).inSeconds / width) }
        return groups.sorted { $0.key < $1.key }.flatMap { _, indices -> [PageChart.Point] in
            let low = indices.min { points[$0].figure < points[$1].figure } ?? indices[0]
            let high = indices.max { points[$0].figure < points[$1].figure } ?? indices[0]
            return Set([low, high]).sorted().map { points[$0] }
        }
    }
}

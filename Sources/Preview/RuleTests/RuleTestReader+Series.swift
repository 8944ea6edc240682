internal import AlertCore
internal import BotConfig
internal import PluginKit
internal import YAMLKit

// Series of polls in the short notation.

extension RuleTestReader {
    /// One metric of a series.
    private struct Figures {
        let name: String
        let position: Position
        let steps: [Notation.Step]

        /// A single figure stands for as many polls as there are.
        func step(_ index: Int) -> Notation.Step { steps[min(index, steps.count - 1)] }
    }

    /// The lines of one series.
    mutating func series(_ series: SeriesReading, at position: Position) -> [ObservationLine] {
        guard let blank = blank(series, at: position) else { return [] }
        let every = series["every"].flatMap { duration($0, "every") } ?? RuleTestReader.everyDefault
        let figures = series.figures.filter { metricNames.contains($0.key) }.compactMap { self.figures(of: $0) }
        let count = figures.map(\.steps.count).max() ?? 0
        for figure in figures where figure.steps.count != count && figure.steps.count != 1 {
            report(figure.position, "'\(figure.name)' has \(figure.steps.count) figures, but there are \(count) polls")
        }
        guard every.inSeconds * Double(count) <= RuleTestReader.lengthMax.inSeconds else {
            report(
                position,
                "\(count.counted("poll")) at an interval of \(every.grammar) \(count == 1 ? "spans" : "span") more than "
                    + "\(RuleTestReader.lengthMax.grammar), the most that a test may cover")
            return []
        }
        var lines: [ObservationLine] = []
        for index in 0..<count {
            let look = line(figures.map { ($0.name, $0.step(index)) }, blank.moved(by: every * index))
            if case .observed(let observation) = look, let flaw = observation.flaw {
                report(position, "the figures are not plausible: \(flaw)")
                break
            }
            if let look { lines.append(look) }
        }
        return lines
    }

    /// Longer than anything that a rule remembers, and played in seconds.
    private static let lengthMax = Duration.days(400)

    /// As often as most sources have new figures at best.
    private static let everyDefault = Duration.minutes(1)

    private mutating func figures(of entry: Entry) -> Figures? {
        let notation = value(entry.value, entry.key) { text throws(GrammarError) in
            try Notation(grammar: text, unit: Metric(entry.key).unit)
        }
        return notation.map { Figures(name: entry.key, position: entry.value.position, steps: $0.steps) }
    }

    /// The first poll of a series, without figures.
    private mutating func blank(_ series: SeriesReading, at position: Position) -> Observation? {
        guard let source = source(series, at: position), let app = required(series, "app", at: position)?.scalar,
            let started = required(series, "start", at: position), let start = moment(started, "start", after: nil)
        else { return nil }
        let span = ["span", "every"].lazy.compactMap { name in series[name].map { (name, $0) } }.first
        let length = span.flatMap { duration($0.1, $0.0) } ?? RuleTestReader.everyDefault
        let delay = series["seen_after"].flatMap { duration($0, "seen_after", canBeZero: true) } ?? .zero
        let isComplete = series["complete"].flatMap { choice($0, "complete", ["true", "false"]) } != "false"
        let labels = (series["labels"].map { entries(of: $0, "'labels'") } ?? []).map {
            ($0.key, $0.value.scalar ?? "")
        }
        return Observation(
            subject: Subject(
                source: source, app: app, release: series["release"]?.scalar,
                environment: series["environment"]?.scalar),
            span: TimeSpan(lasting: length, until: start), seen: start + delay, isComplete: isComplete,
            metrics: Metrics(), labels: Dictionary(labels) { $1 })
    }

    private func line(_ steps: [(String, Notation.Step)], _ blank: Observation) -> ObservationLine? {
        var observation = blank
        for (name, step) in steps {
            switch step {
            case .figure(let value): observation.metrics[name] = value
            case .nothing: return nil
            case .failed(let reason):
                return .failed(source: blank.subject.source, reason: reason, seen: blank.seen)
            }
        }
        return .observed(observation)
    }

    /// Looks at what is written of a series whose figures nobody knows.
    mutating func checkWritten(_ series: SeriesReading, at position: Position) {
        if series["source"] != nil { _ = source(series, at: position) }
        for name in ["every", "span"] { _ = series[name].flatMap { duration($0, name) } }
        _ = series["seen_after"].flatMap { duration($0, "seen_after", canBeZero: true) }
        _ = series["complete"].flatMap { choice($0, "complete", ["true", "false"]) }
    }

    /// The source that a series is of; where the config has only one, that.
    private mutating func source(_ series: SeriesReading, at position: Position) -> String? {
        let known = config.sources.keys.sorted()
        guard let node = series["source"] else {
            if known.count == 1 { return known[0] }
            report(position, "'source' is missing; known are \(known.joined(separator: ", "))")
            return nil
        }
        guard let name = text(node, "source") else { return nil }
        guard known.contains(name) else {
            report(
                node.position,
                "there is no source '\(name.clipped(to: 60))' in the config; known are "
                    + known.joined(separator: ", "), suggestion: name.nearest(in: known))
            return nil
        }
        return name
    }
}

extension Observation {
    fileprivate func moved(by time: Duration) -> Observation {
        var moved = self
        moved.span = TimeSpan(lasting: span.length, until: span.to + time)
        moved.seen = seen + time
        return moved
    }
}

/// The entries of a series, and those of the test that hold where it says nothing of its own.
struct SeriesReading {
    private let own: [Entry]
    private let defaults: [Entry]

    init(_ own: [Entry], over defaults: SeriesReading? = nil) {
        self.own = own
        self.defaults = defaults?.own ?? []
    }

    subscript(_ name: String) -> Node? { (own + defaults).first { $0.key == name }?.value }

    /// Entries that may be metrics; those of the test as far as the series has none of that name.
    var figures: [Entry] { own + defaults.filter { entry in !own.contains { $0.key == entry.key } } }
}

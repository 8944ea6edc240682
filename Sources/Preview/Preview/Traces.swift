internal import AlertCore
public import PluginKit

/// What rules thought of subjects over time, in bounded space: for drawings.
public struct Traces: Sendable {
    /// One rule and one subject.
    public struct Key: Hashable, Sendable, Comparable {
        public let rule: String
        public let subject: Subject

        public static func < (left: Key, right: Key) -> Bool {
            (left.subject, left.rule) < (right.subject, right.rule)
        }
    }

    /// One or several polls that follow each other: the worst of them counts for all.
    public struct Point: Hashable, Sendable {
        /// When the first of the polls was.
        public let from: Moment
        /// When the last of the polls was.
        public private(set) var to: Moment
        /// The figure that was furthest on the bad side of its limit; nil where there was none.
        public private(set) var figure: Double?
        /// The figure that was furthest on the good side; the same where there was one poll.
        public private(set) var best: Double?
        /// The limit that was judged by.
        public private(set) var limit: Double?
        /// The value that the figure truly has at best (or at worst, for limits from above), where the rule says so.
        public private(set) var bound: Double?
        /// What the figure usually is at that time, where the rule knows it.
        public private(set) var usual: Double?
        /// The worst severity with which the rule fired; nil while it did not.
        public private(set) var severity: Severity?
        private var isBelow: Bool

        init(_ judgement: Judgement, at moment: Moment) {
            from = moment
            to = moment
            figure = judgement.evidence.figure?.value
            best = figure
            limit = judgement.evidence.limit?.limit
            bound = judgement.evidence.bound
            if case .usual(let value)? = judgement.evidence.reference { usual = value }
            isBelow = judgement.evidence.limit?.relation.isBelow ?? true
            if case .firing(let severity) = judgement.verdict { self.severity = severity }
        }

        /// Takes in the point that follows.
        public mutating func take(_ next: Point) {
            to = next.to
            if let other = next.figure, figure.map({ isBelow ? other < $0 : other > $0 }) ?? true {
                (figure, bound) = (other, next.bound)
            }
            if let other = next.best, best.map({ isBelow ? other > $0 : other < $0 }) ?? true { best = other }
            limit = next.limit ?? limit
            usual = next.usual ?? usual
            severity = [severity, next.severity].compactMap { $0 }.max()
        }
    }

    /// What one rule thought of one subject.
    public struct Trace: Hashable, Sendable {
        public private(set) var metric: String?
        public private(set) var points: [Point] = []
        /// Looks that are one point by now.
        private var looksPerPoint = 1
        private var looksOfLast = 0

        /// Most points kept: as many as a wide picture has columns. Beyond it each two neighbours become one.
        public static let pointsMax = 2000

        mutating func add(_ judgement: Judgement, at moment: Moment) {
            metric = judgement.evidence.metric ?? metric
            let point = Point(judgement, at: moment)
            if let last = points.indices.last, looksOfLast < looksPerPoint {
                points[last].take(point)
                looksOfLast += 1
                return
            }
            if points.count == Trace.pointsMax { halve() }
            points.append(point)
            looksOfLast = 1
        }

        private mutating func halve() {
            points = stride(from: 0, to: points.count, by: 2).map { index in
                var point = points[index]
                if index + 1 < points.count { point.take(points[index + 1]) }
                return point
            }
            looksPerPoint *= 2
        }
    }

    public private(set) var traces: [Key: Trace] = [:]

    mutating func add(_ record: JudgementRecord, at now: Moment) {
        // What single issues do over time is no figure of the app.
        guard record.key == nil else { return }
        traces[Key(rule: record.rule, subject: record.subject), default: Trace()].add(record.judgement, at: now)
    }
}

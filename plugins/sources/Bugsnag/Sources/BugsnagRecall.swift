internal import PluginKit

/// The days that Bugsnag has counted, each as the first poll after its end would have brought it.
///
/// One answer has all of them, so only the first stretch asks. Releases are counted from their first day on and errors are as
/// they are now: of neither does Bugsnag tell what it was.
struct BugsnagRecall: Sendable {
    private let recall: Recall
    /// Knows the projects, and what the server allows.
    private let poll: BugsnagPoll
    /// When the days were asked for, or the first of them.
    private let asked: Moment
    /// What was answered, by the projects' ids.
    private var answers: [String: JSON] = [:]

    /// Bugsnag has the last thirty days of UTC, the one that is still filling among them (its documentation of the API).
    private static let kept = Duration.days(30)
    /// Bugsnag does not say how late it is. Minutes, as far as is known.
    private static let lateness = Duration.minutes(5)

    init(of source: BugsnagSource, _ recall: Recall) {
        self.recall = recall
        let cursor = recall.cursor?["poll"]
        poll = BugsnagPoll(
            of: source, Poll(source: recall.source, now: recall.now, cursor: cursor, spans: recall.spans))
        guard let text = recall.cursor?["asked"]?.string, let asked = Moment(rfc3339: text),
            (recall.to...recall.now).contains(asked)
        else {
            asked = recall.now
            return
        }
        self.asked = asked
        for member in recall.cursor?["answers"]?.object?.members ?? [] { answers[member.name] = member.value }
    }

    func begin() -> RecallStep {
        guard recall.to > recall.now - BugsnagRecall.kept else { return .finish(RecallReport(.lines([]))) }
        return poll.knowingProjects { poll, failure in failure.map { .fail($0) } ?? ask(0, poll) }
    }

    private func ask(_ number: Int, _ poll: BugsnagPoll) -> RecallStep {
        guard number < poll.cursor.projects.count else { return finish(poll) }
        let project = poll.cursor.projects[number]
        if answers[project.id] != nil { return ask(number + 1, poll) }
        return poll.askDays(of: project) { poll, answer in
            var recall = self
            switch answer {
            case .failure(let failure):
                // What was told stands, or a budget too small for all projects would never be enough.
                return .finish(RecallReport(.failed(failure), cursor: cursor(poll)))
            case .success(let answer):
                recall.answers[project.id] = answer.body.value
                return recall.ask(number + 1, poll)
            }
        }
    }

    private func finish(_ poll: BugsnagPoll) -> RecallStep {
        var (days, warnings) = ([Observation](), poll.warnings)
        do throws(PollFailure) {
            for project in poll.cursor.projects {
                guard let answer = answers[project.id] else { continue }
                let told = try poll.days(of: project, in: JSONReader(answer), since: nil, at: asked)
                days += told.days
                if let flaw = told.flaw { warnings.append(flaw.description) }
            }
        } catch {
            return .fail(error)
        }
        var lines: [ObservationLine] = []
        for var day in days where day.isComplete {
            day.seen = recall.poll(notBefore: day.span.to + BugsnagRecall.lateness)
            if recall.from < day.seen, day.seen <= recall.to { lines.append(.observed(day)) }
        }
        return .finish(
            RecallReport(
                .lines(lines.sorted { $0.seen < $1.seen }), cursor: cursor(poll), warnings: warnings))
    }

    private func cursor(_ poll: BugsnagPoll) -> JSON {
        let told = answers.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        return ["poll": poll.cursor.json, "asked": JSON(asked), "answers": .object(JSONObject(told))]
    }
}

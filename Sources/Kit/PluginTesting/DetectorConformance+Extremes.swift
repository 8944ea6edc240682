internal import PluginKit

// Whatever a source may bring.

extension DetectorConformance {
    func flawsOfHostileNames(_ rule: any Detector) -> [String] {
        HostileText.all.flatMap { text in
            let hostile = firesOn.map { observation in
                var hostile = observation
                let subject = observation.subject
                hostile.subject = Subject(
                    source: subject.source, app: subject.app + text, release: subject.release.map { $0 + text },
                    environment: (subject.environment ?? "") + text)
                hostile.labels = ["team": text, text: "x"]
                for index in hostile.issues.indices {
                    hostile.issues[index].id += text
                    hostile.issues[index].title += text
                    hostile.issues[index].release = text
                    hostile.issues[index].url = text
                }
                return hostile
            }
            return play(rule, hostile).flaws.map { "hostile names: \($0)" }
        }
    }

    /// From where it stands before the last poll, that poll brings what no source should.
    func flawsAtExtremes(_ rule: any Detector) -> [String] {
        guard let last = firesOn.polls.last else { return [] }
        let before = play(rule, Array(firesOn.dropLast(last.count))).rehearsal
        return (oddFigures(last) + oddTimes(last)).flatMap { words, poll in
            [false, true].flatMap { wild in
                var played = play(rule, poll, from: before, wild: wild)
                // What is odd stays among the figures; those after it are as always.
                played = play(rule, last, from: played.rehearsal, wild: wild)
                played.rehearsal.wait(.days(400))
                return played.flaws + flaws(of: played.rehearsal.findings, by: rule)
            }.once.map { "\(words): \($0)" }
        }
    }

    /// Every figure at its extremes, alone and with all others: nobody there, more than there are people, below
    /// nothing, more than everything, and what is no number.
    private func oddFigures(_ poll: [Observation]) -> [(String, [Observation])] {
        let odd: [Double] = [
            0, -0.0, 1, 0.5, -1, 1.5, .leastNonzeroMagnitude, Metrics.countMax, Metrics.valueMax, -Metrics.valueMax,
            1e300,
            .greatestFiniteMagnitude, .infinity, -.infinity, .nan,
        ]
        let metrics = Set(poll.flatMap { $0.metrics.entries.map(\.metric) }).sorted { $0.name < $1.name }
        func changed(_ change: (inout Observation) -> Void) -> [Observation] {
            poll.map { observation in
                var observation = observation
                change(&observation)
                return observation
            }
        }
        var polls: [(String, [Observation])] = [
            ("an observation without figures", changed { ($0.metrics, $0.issues) = ([:], []) }),
            ("an unfinished span", changed { $0.isComplete = false }),
        ]
        for value in odd {
            for metric in metrics {
                polls.append(("\(metric.name) of \(value)", changed { $0.metrics[metric] = value }))
            }
            polls.append(
                ("figures of \(value)", changed { for metric in metrics { $0.metrics[metric] = value } }))
            polls.append(
                (
                    "issues of \(value) users",
                    changed { poll in
                        for index in poll.issues.indices {
                            (poll.issues[index].users, poll.issues[index].events) = (value, value)
                        }
                    }
                ))
        }
        for metric in metrics { polls.append(("no \(metric.name)", changed { $0.metrics[metric] = nil })) }
        return polls
    }

    private func oddTimes(_ poll: [Observation]) -> [(String, [Observation])] {
        func moved(_ words: String, _ span: (Observation) -> (TimeSpan, Moment)) -> (String, [Observation]) {
            (
                words,
                poll.map { observation in
                    var observation = observation
                    (observation.span, observation.seen) = span(observation)
                    return observation
                }
            )
        }
        return [
            moved("a span of a millisecond") { (TimeSpan(lasting: .milliseconds(1), until: $0.span.to), $0.seen) },
            moved("a span of a year") { (TimeSpan(lasting: .days(366), until: $0.span.to), $0.seen) },
            moved("a span of last week") {
                (TimeSpan(lasting: $0.span.length, until: $0.span.to - .days(7)), $0.seen)
            },
            moved("an older look") { ($0.span, $0.seen - .days(1)) },
            moved("the first moment of all") { _ in
                (TimeSpan(lasting: .hours(1), until: .earliest + .hours(1)), .earliest + .hours(1))
            },
            moved("the last moment of all") { _ in (TimeSpan(lasting: .hours(1), until: .latest), .latest) },
        ]
    }
}

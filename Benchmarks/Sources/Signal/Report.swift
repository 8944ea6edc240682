internal import Glibc
internal import Measuring

/// The tables of one size of app.
struct Report {
    let trial: Trial
    private let optimumLimits: [Int]

    init(_ trial: Trial) {
        self.trial = trial
        let alarms = max(Double(trial.falseAlarms[Contestant.rules.rawValue]), 0.5)
        optimumLimits = Trial.depths.indices.map { trial.optimumLimit(depth: $0, alarms: alarms) }
    }

    func write() {
        let days = trial.appDays
        print("## \(trial.title)")
        print("")
        print(
            "\(number(days)) quiet app-days from the day on which `drop` was ready; of each kind of incident \(trial.found.count / (4 * 4))."
        )
        print("")
        let name = "\(number(trial.size.usersPerDay)) users, \(trial.size.watched.rawValue)"
        let alarms = Table("alarms, " + name, ["", "false alarms per app-month", "one in so many app-days"])
        for contestant in Contestant.all(trial.size.watched) {
            let count = trial.falseAlarms[contestant.rawValue]
            let rate = fixed(Double(count) / days * 30, count == 0 ? 0 : 2)
            alarms.add([contestant.title, rate, count == 0 ? "none" : fixed(days / Double(count), 1)])
        }
        print("")
        print(
            "Found within 1 h / 6 h / 24 h in percent, then the median and the 90th percentile of the delay in minutes."
        )
        print("")
        let shown: [Contestant] =
            [.bare, .consecutive, .velocity, .rules] + (trial.size.watched == .releases ? [.each] : [])
        let found = Table("delays, " + name, ["incident"] + shown.map(\.title) + ["optimum", "bound"])
        for depth in Trial.depths.indices {
            for shape in Shape.allCases {
                found.add(
                    ["\(points(depth)) \(shape.rawValue)"]
                        + shown.map { cell(delays($0, depth, shape)) }
                        + [cell(optimum(depth, shape)), shape == .step ? bound(depth) : ""])
            }
        }
        print("")
        print("Geometric means over the shapes of the medians of the example rules, as multiples:")
        print("")
        let multiples = Table("multiples, " + name, ["depth", "of the optimum", "of the bare threshold"])
        for depth in Trial.depths.indices {
            let best = ratio(depth) { optimum(depth, $0) }
            let bare = ratio(depth) { delays(.bare, depth, $0) }
            multiples.add([points(depth), best, bare])
        }
    }

    /// One line for each trial: what was aimed at.
    static func writeSummary(_ reports: [Report]) {
        print("")
        print("False alarms an app-month, and the median delays of the example rules as multiples of the optimum's:")
        print("")
        let watchers: [Contestant] = [.bare, .threshold, .drop, .rules]
        let depths = Trial.depths.indices
        let table = Table(
            "summary",
            ["users a day", "watched"] + watchers.map(\.title) + depths.map { "\(reports[0].points($0))" }, names: 2)
        for report in reports {
            let trial = report.trial
            if trial.size.watched == .releases {
                let alarms = Double(trial.falseAlarms[Contestant.each.rawValue]) / trial.appDays * 30
                table.add(
                    [
                        number(trial.size.usersPerDay), "the same, each release by itself", "", "", "",
                        fixed(alarms, 2),
                    ]
                        + depths.map { depth in
                            report.ratio(depth, of: .each) { report.optimum(depth, $0) }
                        })
            }
            let alarms = watchers.map { fixed(Double(trial.falseAlarms[$0.rawValue]) / trial.appDays * 30, 2) }
            table.add(
                [number(trial.size.usersPerDay), trial.size.watched.rawValue] + alarms
                    + depths.map { depth in report.ratio(depth) { report.optimum(depth, $0) } })
        }
    }

    // MARK: - Delays

    /// In minutes; nil where it was not found in time. Whoever was ringing already has found nothing.
    private func delays(_ contestant: Contestant, _ depth: Int, _ shape: Shape) -> [Double?] {
        trial.found.filter { $0.depth == depth && $0.shape == shape && !$0.wasRinging[contestant.rawValue] }
            .map { found in found.after[contestant.rawValue].map { Double($0) * 5 } }
    }

    private func optimum(_ depth: Int, _ shape: Shape) -> [Double?] {
        let limit = optimumLimits[depth]
        return trial.found.filter { $0.depth == depth && $0.shape == shape && $0.optimum[limit] != 0 }
            .map { found in found.optimum[limit].map { Double($0) * 5 } }
    }

    private func quantile(_ delays: [Double?], _ share: Double) -> Double? {
        guard !delays.isEmpty else { return nil }
        let sorted = delays.map { $0 ?? .infinity }.sorted()
        let value = sorted[min(sorted.count - 1, Int(share * Double(sorted.count)))]
        return value.isFinite ? value : nil
    }

    private func cell(_ delays: [Double?]) -> String {
        guard !delays.isEmpty else { return "rings always" }
        let shares = [60.0, 360, 1440].map { limit in
            fixed(100 * Double(delays.count { ($0 ?? .infinity) <= limit }) / Double(delays.count), 0)
        }
        let times = [0.5, 0.9].map { quantile(delays, $0).map { fixed($0, 0) } ?? "–" }
        return shares.joined(separator: "/") + ", " + times.joined(separator: " ")
    }

    private func ratio(
        _ depth: Int, of contestant: Contestant = .rules, _ other: (Shape) -> [Double?]
    ) -> String {
        var sum = 0.0
        for shape in Shape.allCases {
            guard let mine = quantile(delays(contestant, depth, shape), 0.5) else { return "not found" }
            guard let theirs = quantile(other(shape), 0.5) else { return "it finds less than half" }
            sum += log(mine / theirs)
        }
        return fixed(exp(sum / Double(Shape.allCases.count)), 2)
    }

    /// What no rule can beat on average at a sudden incident: the logarithm of the time between false alarms over what
    /// a span tells (the Kullback-Leibler divergence of the two rates, times the users).
    private func bound(_ depth: Int) -> String {
        let alarms = max(Double(trial.falseAlarms[Contestant.rules.rawValue]), 0.5)
        let spansBetween = trial.appDays * Double(App.stepsPerDay) / alarms
        let (quiet, worse) = (trial.rate, trial.rate + Trial.depths[depth])
        let divergence = worse * log(worse / quiet) + (1 - worse) * log((1 - worse) / (1 - quiet))
        return fixed(max(5, log(spansBetween) / (divergence * trial.usersPerSpan) * 5), 0)
    }

    // MARK: - Text

    private func points(_ depth: Int) -> String { "\(fixed(Trial.depths[depth] * 100, depth == 0 ? 1 : 0)) points" }
}

extension Trial {
    fileprivate var title: String { "\(number(size.usersPerDay)) users a day, \(size.watched.rawValue)" }
}

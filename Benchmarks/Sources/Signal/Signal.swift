internal import Glibc

/// `signal [--quick] [--seed N] [--users N] [--visits N] [--loop-spans N] [--watched NAME] [--part NAME]`: how fast rules
/// find incidents of known begin and depth, and how often they ring for nothing, beside the best that can be done, and
/// in apps that are worse at some hours of every week; then what rules on issues and on stale sources tell, and what
/// gates spare and cost.
///
/// What is reported has seed 1. Whoever turns the constants of a rule does so with seeds from 100 on, or the figures
/// would only say how well it knows these very apps.
@main struct Signal {
    /// What there is to measure; all of it unless one is named.
    private enum Part: String, CaseIterable {
        case figures, weekly, issues, stale, gates
    }

    static func main() throws {
        let arguments = CommandLine.arguments
        func word(_ name: String) -> String? {
            arguments.firstIndex(of: name).flatMap { $0 + 1 < arguments.count ? arguments[$0 + 1] : nil }
        }
        func value(_ name: String) -> UInt64? { word(name).flatMap(UInt64.init) }
        var parts = Part.allCases
        if let name = word("--part") {
            guard let part = Part(rawValue: name) else {
                print(
                    "signal: there is no part '\(name)'; there is: "
                        + "\(Part.allCases.map(\.rawValue).joined(separator: ", "))"
                )
                exit(2)
            }
            parts = [part]
        }
        let seed = value("--seed") ?? 1
        let isQuick = arguments.contains("--quick")
        let sizes: [Double] = value("--users").map { [Double($0)] } ?? [500, 20_000, 1_000_000]
        let kinds = word("--watched").flatMap(Watched.init(rawValue:)).map { [$0] } ?? Watched.allCases
        let visits = value("--visits").map { max(1, Double($0)) } ?? 3
        let loopSpans = value("--loop-spans").map { max(1, Double($0)) } ?? 1
        let loops = loopSpans > 1 ? ", loops of \(Int(loopSpans)) spans" : ""
        print("Signal: seed \(seed), \(Int(visits)) visits a day\(loops)\(isQuick ? ", quick" : "")")
        for part in parts {
            switch part {
            case .figures:
                var reports: [Report] = []
                for users in sizes {
                    for watched in kinds {
                        let size = Trial.Size(
                            usersPerDay: max(1, users), visits: visits, watched: watched, apps: isQuick ? 8 : 60,
                            days: isQuick ? 60 : 120, daysBetweenIncidents: isQuick ? 30 : 60,
                            loopSpans: loopSpans)
                        let report = Report(try Trial(size, seed: seed))
                        print("")
                        report.write()
                        reports.append(report)
                    }
                }
                Report.writeSummary(reports)
            case .weekly: try WeeklyTrial.write(sizes, apps: isQuick ? 4 : 30, seed: seed)
            case .issues:
                IssueReport.write(
                    sizes.map {
                        IssueTrial(usersPerDay: max(1, $0), apps: isQuick ? 2 : 24, days: isQuick ? 30 : 90, seed: seed)
                    })
            case .stale: StaleTrial(sources: isQuick ? 4 : 40, days: isQuick ? 30 : 120, seed: seed).write()
            case .gates: GateReport.write(days: isQuick ? 20 : 60, seed: seed)
            }
        }
    }
}

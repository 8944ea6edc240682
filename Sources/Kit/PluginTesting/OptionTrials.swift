internal import PluginKit
internal import Synchronization

/// A plugin made with options that a config may hold, however odd: each declared setting at its bounds and with hostile
/// words, alone and in pairs.
///
/// What the grammar of a setting refuses never reaches a plugin, so all that is tried here passes it.
struct OptionTrials<Made> {
    /// One way to write an option.
    struct Trial {
        let name: String
        let value: Option.Value
    }

    private let manifest: PluginManifest
    /// The options that the author gave, which make the plugin.
    private let given: [Trial]
    private let make: (Options) throws(ProblemList) -> Made
    private let asked = Asked()

    /// What was asked for, by name.
    private final class Asked: Sendable {
        let names = Mutex<Set<String>>([])
    }

    init(_ manifest: PluginManifest, _ options: Options, _ make: @escaping (Options) throws(ProblemList) -> Made) {
        self.manifest = manifest
        given = manifest.options.compactMap { spec in
            options[named: spec.name].map { Trial(name: spec.name, value: $0.value) }
        }
        self.make = make
    }

    /// The plugin with the author's options.
    func made() throws(ProblemList) -> Made { try make(options(given)) }

    /// Every setting alone at its extremes, beside the author's options.
    private var trials: [Trial] {
        manifest.options.flatMap { spec in spec.kind.extremes.map { Trial(name: spec.name, value: $0) } }
    }

    /// What is wrong with the plugin's dealings with options.
    ///
    /// - Parameter use: asked of every plugin that was made, with a few words on its options: what goes wrong with it.
    func violations(_ use: (Made, String) -> [String]) -> [String] {
        var found = requiredViolations
        let trials = trials
        for trial in trials {
            let written = given.filter { $0.name != trial.name } + [trial]
            do throws(ProblemList) {
                found += use(try make(options(written)), trial.words)
            } catch {
                found += flaws(of: error, written, isFine: true).map { "\(trial.words): \($0)" }
            }
        }
        for (index, one) in trials.enumerated() {
            for other in trials[(index + 1)...] where other.name != one.name {
                let written = given.filter { $0.name != one.name && $0.name != other.name } + [one, other]
                do throws(ProblemList) {
                    _ = try make(options(written))
                } catch {
                    found += flaws(of: error, written, isFine: false).map { "\(one.words), \(other.words): \($0)" }
                }
            }
        }
        return found.once + askedViolations
    }

    /// Those that must be there are missed, each by its name.
    private var requiredViolations: [String] {
        manifest.options.filter(\.isRequired).compactMap { spec in
            do throws(ProblemList) {
                _ = try make(options(given.filter { $0.name != spec.name }))
                return "'\(spec.name)' is required, but nothing is missed when it is left out"
            } catch {
                let isNamed = error.problems.contains { $0.message.contains("'\(spec.name)'") }
                return isNamed ? nil : "'\(spec.name)' is left out, and no problem names it"
            }
        }
    }

    /// What is read is declared, and the other way round.
    private var askedViolations: [String] {
        let asked = asked.names.withLock { $0 }
        let declared = Set(manifest.options.map(\.name))
        return asked.subtracting(declared).sorted().map { "'\($0)' is read and not declared, so no config can have it" }
            + declared.subtracting(asked).sorted().map { "'\($0)' is declared and never read, so it has no effect" }
    }

    /// - Parameter isFine: whether the plugin is content without the last of the options, so that the fault is with
    ///   what is written and not with what is missing.
    private func flaws(of list: ProblemList, _ written: [Trial], isFine: Bool) -> [String] {
        guard !list.problems.isEmpty else { return ["refused without a problem"] }
        var found: [String] = []
        let places = Set(written.indices.map(OptionTrials.place))
        for problem in list.problems {
            let isPlaced = places.contains(problem.position) || (!isFine && problem.position == WrittenOptions.place)
            if !isPlaced {
                let place = "\(problem.position.line):\(problem.position.column)"
                found.append(
                    "the problem '\(problem.message.clipped(to: 80))' is placed at \(place), where no option is")
            }
            if let flaw = problem.message.lineFlaw(charactersMax: 400) {
                found.append("the message of a problem \(flaw)")
            }
            for words in [problem.suggestion, problem.advice].compactMap(\.self) {
                if let flaw = words.lineFlaw(charactersMax: 200) { found.append("what a problem suggests \(flaw)") }
            }
        }
        return found
    }

    /// Where the option stands that comes in that place.
    private static func place(_ index: Int) -> Position { Position(line: index + 2, column: 9) }

    private func options(_ written: [Trial]) -> Options {
        var values: [String: Option] = [:]
        for (index, trial) in written.enumerated() {
            values[trial.name] = Option(
                trial.value.placed(at: OptionTrials.place(index)), at: OptionTrials.place(index))
        }
        let asked = asked
        return Options(name: "rule", position: WrittenOptions.place, values: values).noting { spec in
            asked.names.withLock { _ = $0.insert(spec.name) }
        }
    }
}

extension OptionTrials.Trial {
    /// The option in a few words.
    fileprivate var words: String { "\(name): \("\(value)".quotable)" }
}

extension Option.Value {
    /// The same with all its parts at one place.
    fileprivate func placed(at place: Position) -> Option.Value {
        switch self {
        case .list(let elements): .list(elements.map { Option($0.value.placed(at: place), at: place) })
        case .map(let entries): .map(entries.map { ($0.name, Option($0.option.value.placed(at: place), at: place)) })
        default: self
        }
    }
}

extension EventCalendar {
    /// A day of every year, and a night of every week.
    fileprivate static let sample: EventCalendar = {
        let text = """
            BEGIN:VCALENDAR
            BEGIN:VEVENT
            DTSTART;VALUE=DATE:20001225
            RRULE:FREQ=YEARLY
            END:VEVENT
            BEGIN:VEVENT
            DTSTART:20260101T220000
            DURATION:PT4H
            RRULE:FREQ=WEEKLY
            END:VEVENT
            END:VCALENDAR
            """
        let calendar = try? EventCalendar(Array(text.utf8), name: "sample.ics", zones: ZoneDatabase())
        return calendar ?? EventCalendar(emptyNamed: "sample.ics")
    }()
}

extension OptionKind {
    /// Values at the bounds of what may be written, and such that nobody thinks of.
    fileprivate var extremes: [Option.Value] {
        switch self {
        case .text, .plain, .name, .callee: return (["x"] + HostileText.all).map { .text(GuardedText($0)) }
        case .path: return [.text("x")]
        case .calendar:
            return [EventCalendar(emptyNamed: "empty.ics"), .sample].map(Option.Value.calendar)
        case .flag: return [.flag(true), .flag(false)]
        case .integer(let range): return [.integer(range.lowerBound), .integer(range.upperBound)]
        case .number(let range): return [.number(range.lowerBound), .number(range.upperBound)]
        case .duration(let range, _): return [.duration(range.lowerBound), .duration(range.upperBound)]
        case .percentage(let range?), .points(let range?):
            return [.fraction(range.lowerBound), .fraction(range.upperBound)]
        case .percentage(nil): return read(["0%", "0.0000001%", "50%", "100%", "100000%"])
        case .points(nil): return read(["0pp", "0.0000001pp", "50pp", "100pp"])
        case .margin: return read(["0pp", "0.0000001pp", "100pp", "0.0000001", "999999999999999"])
        case .url, .link: return read(["https://example.com"])
        case .rate: return read(["1 per 1s", "1 per 999999999d", "\(Int.max) per 1s"])
        case .comparison: return read(["< 0%", "> 100%", "<= 99.5%", ">= 1e300", "< -1e300", "> 0"])
        case .days: return read(["mon", "mon-sun", "sat,sun"])
        case .hours: return read(["00:00-24:00", "22:00-07:00", "02:30-02:31", "23:59-00:00"])
        case .instant: return read(["0001-01-01", "9999-12-31 23:59", "2026-03-29 02:30"])
        case .choice(let words): return read(words)
        case .metric: return read(Metric.wellKnown.map(\.name) + ["checkout_seconds"])
        case .orOff(let inner): return [.off] + inner.extremes
        case .list(let inner, let mayBeEmpty):
            let elements = inner.extremes
            let lists = elements.map { [$0] } + [elements] + (mayBeEmpty ? [[]] : [])
            return lists.map { list in .list(list.map { Option($0, at: WrittenOptions.place) }) }
        case .map(let inner):
            return inner.extremes.map { .map([("x", Option($0, at: WrittenOptions.place))]) }
        case .match:
            let conditions = [[], [("app", "shop-*")], [("team", "*"), ("app", "")]]
            return conditions.map { list in
                .match(Match(list.map { Match.Condition(property: $0.0, patterns: [Glob($0.1)]) }))
            }
        case .section(let specs):
            // What must be there, and then one more after the other.
            let least = specs.filter(\.isRequired).compactMap { spec in spec.kind.extremes.first.map { (spec.name, $0) }
            }
            let others = specs.flatMap { spec in spec.kind.extremes.map { (spec.name, $0) } }
            return ([[]] + others.map { [$0] }).map { more in
                var values: [String: Option] = [:]
                for (name, value) in least + more { values[name] = Option(value, at: WrittenOptions.place) }
                return .section(Options(name: "", position: WrittenOptions.place, values: values))
            }
        }
    }

    /// Those that the grammar takes.
    private func read(_ texts: [String]) -> [Option.Value] {
        texts.compactMap { text in (try? value(GuardedText(text))).flatMap(\.self) }
    }
}

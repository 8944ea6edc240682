import PluginKit
import PluginTesting
import Synchronization
import Testing

/// A detector that makes the mistake it is told to make; without one, it fires when sessions exceed a limit.
private struct Sloppy: Detector {
    enum Mistake: String, CaseIterable, Sendable {
        case none
        case badName, optionTwice, takesMatch, noSentence, badDefault
        case readsUndeclared, ignoresOption, misplaces, refusesWithoutProblem, missesNothing, missesNameless, echoes
        case needsUnnamed, negativeSpan
        case rash, calm, silent, noisy, neverWell
        case noSentenceOfAlarm, noEvidence, unnamedSeverity, noReason, leaks, talksOn
        case twice, emptyKey, glancesOver
        case counts, random, readsUnnamedMetric, readsUnnamedIssues, looksFarther, goesByOrder, mixes, forgets
    }

    @TaskLocal static var mistake = Mistake.none

    static var manifest: PluginManifest {
        let help = mistake == .noSentence ? "The limit" : "The limit."
        let above = Setting("above", .integer(0...1_000_000), default: mistake == .badDefault ? -1 : 1000, help)
        let least = RequiredSetting("least", .integer(1...10), "How many figures it takes.")
        let note = Setting("note", .plain, "What to say.")
        var settings: [any SettingDeclaration] = [above, least, note]
        if mistake == .optionTwice { settings.append(above) }
        if mistake == .takesMatch { settings.append(Setting("match", .plain, "What it is about.")) }
        if mistake == .readsUndeclared { settings.removeAll { $0.name == "note" } }
        return PluginManifest(name: mistake == .badName ? "Sloppy!" : "sloppy", summary: "Sloppy.", options: settings)
    }

    static var memories: [MemoryKind] { mistake == .forgets ? [MemoryKind(Forgetful.self)] : [] }

    /// What rules must not have: something that lives on between two questions.
    private final class Box: Sendable {
        let count = Mutex(0)
        let mostSessions = Mutex(0.0)
        let lastApp = Mutex("")
    }

    private let mistake = Sloppy.mistake
    private let box = Box()
    private let chance = Int.random(in: 0 ... .max)
    private let above: Double

    init(options: Options, context: RuleContext) throws(ProblemList) {
        let above = Setting("above", .integer(0...1_000_000), default: 1000, "The limit.")
        let least = RequiredSetting("least", .integer(1...10), "How many figures it takes.")
        let note = Setting("note", .plain, "What to say.")
        self.above = Double(options[above])
        if mistake != .ignoresOption { _ = options[note] }
        if mistake == .missesNothing {
            _ = options.has(least)
        } else if mistake == .missesNameless, !options.has(least) {
            throw ProblemList(options.position, "something is missing")
        } else {
            _ = try options[least]
        }
        guard options[above] > 0 else {
            switch mistake {
            case .refusesWithoutProblem: throw ProblemList([])
            case .misplaces: throw ProblemList(options.position, "'above' is 0, so it fires always")
            default: throw ProblemList(options.position(of: above), "'above' is 0, so it fires always")
            }
        }
        if mistake == .echoes, let note = options[note], note.contains("\u{1B}") {
            throw ProblemList(options.position, "'\(note)' is strange")
        }
    }

    var metrics: [Metric] { mistake == .readsUnnamedMetric ? [] : [.sessions] }
    var lookback: Duration { .minutes(10) }
    var spans: [Duration] { mistake == .negativeSpan ? [.zero - .hours(1)] : [] }
    var holdTime: Duration { .zero }
    var severities: Set<Severity>? { [mistake == .unnamedSeverity ? .info : .warning] }
    var needs: MemoryNeeds { mistake == .needsUnnamed ? [MemoryNeed(Asked.self, .something)] : [] }

    func findings(in sight: Sight, at now: Moment) -> [Finding] {
        let count = box.count.withLock { count in
            count += 1
            return count
        }
        guard let sample = sight.series.samples.last, let sessions = sample.metrics[.sessions] else {
            return withoutFigures
        }
        let isBusy = isBusy(sessions, sight)
        var evidence = Evidence(
            metric: "sessions", figure: Figure(value: sessions, share: nil), span: sample.span,
            sentence: "\(sessions.counted("sessions")), more than \(above.plain)")
        switch mistake {
        case .noSentenceOfAlarm: evidence.sentence = ""
        case .noEvidence: evidence = Evidence(sentence: evidence.sentence)
        case .leaks: evidence.sentence += " in \(sight.subject.app)"
        case .talksOn: evidence.sentence += String(repeating: ", really", count: 100)
        case .counts: evidence.sentence += ", asked \(count) times"
        case .random: evidence.sentence += ", \(chance)"
        case .readsUnnamedIssues: evidence.sentence += ", \(sight.series.issues.count) issues"
        case .looksFarther: evidence.sentence += ", \(sight.series.samples.count) spans"
        case .goesByOrder:
            let last = box.lastApp.withLock { last in
                defer { last = sight.subject.app }
                return last
            }
            evidence.sentence += ", after \(last)"
        case .forgets: evidence.sentence += ", \(sight.series.memory(Forgetful.self).count) times"
        default: break
        }
        let verdict: Judgement.Verdict =
            isBusy ? .firing(.warning) : mistake == .neverWell ? .unknown("who knows?") : .ok(recovered: true)
        let finding = Finding(Judgement(verdict, .between, evidence), key: mistake == .emptyKey ? "" : nil)
        return mistake == .twice ? [finding, finding] : [finding]
    }

    private func isBusy(_ sessions: Double, _ sight: Sight) -> Bool {
        switch mistake {
        case .calm: false
        case .noisy: true
        case .mixes:
            box.mostSessions.withLock { most in
                most = max(most, sight.subject.app.hasSuffix("-other") ? sessions * 2 : 0)
                return sessions > above || most > 1.5 * above
            }
        default: sessions > above
        }
    }

    private var withoutFigures: [Finding] {
        switch mistake {
        case .silent: []
        case .rash: [Finding(Judgement(.firing(.warning), .near, Evidence(sentence: "Better safe than sorry.")))]
        case .noReason: [Finding(Judgement(.unknown(" "), .far, Evidence(sentence: "")))]
        default: [Finding(Judgement(.unknown("no sessions are known"), .far, Evidence(sentence: "")))]
        }
    }
}

/// Counts what it is fed with, and does not write it down.
private struct Forgetful: StandingMemory {
    static let name = "forgetful"
    private(set) var count = 0
    init() {}
    init(_ reader: JSONReader) throws(JSONMismatch) {}
    mutating func add(_ observation: Observation) { count += 1 }
    func put(into json: inout JSONWriter) { json.object { _ in } }
}

private struct Asked: AskedMemory {
    enum Need: String, JSONWritable, JSONReadable {
        case something
        init(_ reader: JSONReader) throws(JSONMismatch) { self = .something }
        func put(into json: inout JSONWriter) { json.put(rawValue) }
    }

    static let name = "asked"
    let need: Need
    init(_ need: Need) { self.need = need }
    init(_ reader: JSONReader) throws(JSONMismatch) { need = try Need(reader) }
    mutating func add(_ observation: Observation) {}
    func put(into json: inout JSONWriter) { need.put(into: &json) }
}

/// One whose glance thinks that it cannot judge.
private struct Blind: SubjectDetector {
    static let manifest = PluginManifest(name: "blind", summary: "Blind.", options: [])
    init(options: Options, context: RuleContext) throws(ProblemList) {}
    var metrics: [Metric] { [.sessions] }
    var lookback: Duration { .zero }
    var spans: [Duration] { [] }
    var holdTime: Duration { .zero }
    func isBlind(to series: Series, at now: Moment) -> Bool { true }
    func judge(_ series: Series, at now: Moment) -> Judgement {
        Judgement(.ok(recovered: true), .far, Evidence(sentence: "All is well."))
    }
}

/// One whose glance does not see what it judges.
private struct Shortsighted: SubjectDetector {
    static let manifest = PluginManifest(name: "shortsighted", summary: "Shortsighted.", options: [])
    init(options: Options, context: RuleContext) throws(ProblemList) {}
    var metrics: [Metric] { [.sessions] }
    var lookback: Duration { .zero }
    var spans: [Duration] { [] }
    var holdTime: Duration { .zero }
    func glance(_ series: Series, at now: Moment) -> Judgement.Closeness? { .far }
    func judge(_ series: Series, at now: Moment) -> Judgement {
        guard let sample = series.samples.last else {
            return Judgement(.unknown("no figures"), .far, Evidence(sentence: ""))
        }
        let isBusy = sample.metrics[.sessions] ?? 0 > 1000
        return Judgement(
            isBusy ? .firing(.warning) : .ok(recovered: true), .far,
            Evidence(span: sample.span, sentence: "Look there!"))
    }
}

/// One that falls over a figure, and one that falls over an option.
private struct Brittle: Detector {
    static let window = Setting("window", .integer(0...10), default: 1, "How many.")
    static let manifest = PluginManifest(name: "brittle", summary: "Brittle.", options: [window])
    @TaskLocal static var dividesByOption = false
    private let share: Int

    init(options: Options, context: RuleContext) throws(ProblemList) {
        let window = options[Self.window]
        share = Self.dividesByOption ? 100 / window : window
    }

    var metrics: [Metric] { [.sessions] }
    var lookback: Duration { .zero }
    var spans: [Duration] { [] }
    var holdTime: Duration { .zero }

    func findings(in sight: Sight, at now: Moment) -> [Finding] {
        guard let sample = sight.series.samples.last, let sessions = sample.metrics[.sessions] else { return [] }
        // What is no number, or too large a one, has no whole one.
        let count = Self.dividesByOption ? (sessions > 1000 ? 1001 : 0) : Int(sessions)
        let evidence = Evidence(span: sample.span, sentence: "\(count) sessions")
        return [Finding(Judgement(count > 1000 ? .firing(.warning) : .ok(recovered: true), .far, evidence))]
    }
}

@Suite struct `Conformance of detectors` {
    private static let busy: [Observation] = .seen(
        [800, 900, 1100, 1200, 1300].map { ["sessions": $0, "users": $0 / 2] },
        issues: [.init(id: "a", title: "boom", users: 3)])
    private static let quiet: [Observation] = .seen(["sessions": 800], times: 3)

    private func violations(_ mistake: Sloppy.Mistake) -> [String] {
        Sloppy.$mistake.withValue(mistake) {
            DetectorConformance(Sloppy.self, ["least": "3"], firesOn: Self.busy, quietOn: Self.quiet).violations()
        }
    }

    @Test(arguments: Sloppy.Mistake.allCases) private func `every mistake is found, and nothing else`(
        _ mistake: Sloppy.Mistake
    ) {
        let violations = violations(mistake)
        let words =
            switch mistake {
            case .none, .silent, .glancesOver: ""
            case .badName: "the manifest's name 'Sloppy!' is not of small letters"
            case .optionTwice: "declares an option twice"
            case .takesMatch: "declares 'match', which every rule has"
            case .noSentence: "the manifest's text on 'above' is not a sentence"
            case .badDefault: "the default of 'above' is -1, which its own declaration refuses"
            case .readsUndeclared: "'note' is read and not declared"
            case .ignoresOption: "'note' is declared and never read"
            case .misplaces: "is placed at 1:3, where no option is"
            case .refusesWithoutProblem: "refused without a problem"
            case .missesNothing: "'least' is required, but nothing is missed"
            case .missesNameless: "'least' is left out, and no problem names it"
            case .echoes: "the message of a problem has control characters"
            case .needsUnnamed: "needs the memory 'asked', which its `memories` does not name"
            case .negativeSpan: "it wants a span of"
            case .rash: "fires without any figures"
            case .calm: "does not fire on what it is to fire on"
            case .noisy: "it fires where all is well"
            case .neverWell: "it never says that all is well"
            case .noSentenceOfAlarm: "the sentence of an alarm is empty"
            case .noEvidence: "it fires without evidence"
            case .unnamedSeverity: "fires with warning, which its `severities` does not name"
            case .noReason: "the reason why it cannot judge is empty"
            case .leaks: "hostile names: the sentence of an alarm has"
            case .talksOn: "more than 600"
            case .twice: "two findings of one answer are about the same thing"
            case .emptyKey: "a finding has an empty key"
            case .counts: "asked about twice, get two answers"
            case .random: "another rule with the same options says other things"
            case .readsUnnamedMetric: "reads metrics that its `metrics` does not name"
            case .readsUnnamedIssues: "reads issues, but `readsIssues` is false"
            case .looksFarther: "looks further back than its `lookback`"
            case .goesByOrder: "the order in which a poll names its subjects"
            case .mixes: "figures of another app change what it says"
            case .forgets: "after a restart it says other things"
            }
        #expect(violations.isEmpty == words.isEmpty, "\(violations.prefix(3))")
        #expect(violations.contains { $0.contains(words) } || words.isEmpty, "\(violations.prefix(3))")
    }

    @Test func `a glance that overlooks an alarm is found`() {
        let found = DetectorConformance(Shortsighted.self, firesOn: Self.busy, quietOn: Self.quiet).violations()
        #expect(found.first == "a glance says far, but it fires: Look there!")
        #expect(found.allSatisfy { $0.hasSuffix("a glance says far, but it fires: Look there!") })
    }

    @Test func `a glance that takes what is judged for unknown is found`() {
        let found = DetectorConformance(Blind.self, firesOn: Self.busy, quietOn: Self.quiet).violations()
        #expect(found.contains { $0.hasSuffix("a glance says that nothing can be judged, but it is: All is well.") })
    }

    @Test func `options that make no rule are reported as such`() {
        let found = DetectorConformance(Sloppy.self, ["least": "3", "above": "0"], firesOn: [], quietOn: [])
            .violations()
        #expect(found == ["the options given make no rule: 'above' is 0, so it fires always"])
        let mistyped = DetectorConformance(Sloppy.self, ["lest": "3"], firesOn: [], quietOn: []).violations()
        #expect(mistyped == ["the options given can be in no config: the manifest has no option 'lest'"])
    }

    @Test func `what falls over a figure does so in the suite`() async {
        await #expect(processExitsWith: .failure) {
            _ = DetectorConformance(
                Brittle.self, firesOn: .seen(["sessions": 1200]), quietOn: .seen(["sessions": 800])
            ).violations()
        }
    }

    @Test func `what falls over an option does so in the suite`() async {
        await #expect(processExitsWith: .failure) {
            _ = Brittle.$dividesByOption.withValue(true) {
                DetectorConformance(
                    Brittle.self, firesOn: .seen(["sessions": 1200]), quietOn: .seen(["sessions": 800])
                ).violations()
            }
        }
    }
}

@Suite struct `Rehearsals of detectors` {
    private func rehearsal() throws -> DetectorRehearsal {
        DetectorRehearsal(try (["least": "3"] as WrittenOptions).detector(Sloppy.self))
    }

    @Test func `figures come, and a verdict is there`() throws {
        var rehearsal = try rehearsal()
        #expect(rehearsal.verdict == nil)
        let begin = rehearsal.now
        rehearsal.see(["users": 5])
        #expect(rehearsal.verdict == .unknown("no sessions are known"))
        rehearsal.see(["sessions": 1200])
        #expect(rehearsal.verdict == .firing(.warning))
        #expect(rehearsal.sentence == "1,200 sessions, more than 1,000")
        #expect(rehearsal.findings.map(\.subject) == [.rehearsed])
        try rehearsal.restart()
        rehearsal.wait(.minutes(5))
        #expect(rehearsal.verdict == .firing(.warning))
        #expect(rehearsal.see(["sessions": 3]).map(\.judgement.verdict) == [.ok(recovered: true)])
        #expect(rehearsal.now - begin == .minutes(20))
    }

    @Test func `what the core would not keep is not shown`() throws {
        var rehearsal = try rehearsal()
        rehearsal.see(["sessions": 800])
        rehearsal.see(["sessions": -5000])
        rehearsal.see(["sessions": 1e18])
        #expect(rehearsal.sentence == "800 sessions, more than 1,000")
        // What has no figure left is no look.
        rehearsal.see(["sessions": .nan])
        #expect(rehearsal.sentence == "800 sessions, more than 1,000")
    }

    @Test func `a whole app and a release of it are not both judged`() throws {
        var rehearsal = try rehearsal()
        let release = Subject(source: "ios", app: "shop", release: "1.0")
        #expect(rehearsal.see(["sessions": 1], of: release).map(\.subject) == [release])
        #expect(
            rehearsal.see(.seen(["sessions": 2], of: release) + .seen(["sessions": 3])).map(\.subject) == [.rehearsed])
    }
}

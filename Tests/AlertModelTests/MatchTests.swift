import AlertModel
import Chance
import Testing

@Suite struct `Globs` {
    @Test(arguments: [
        ("shop-ios", "shop-ios", true), ("shop-ios", "shop-iOS", false), ("shop-ios", "shop-ios2", false),
        ("", "", true),
        ("", "x", false), ("*", "", true), ("*", "anything", true), ("**", "x", true), ("shop-*", "shop-", true),
        ("shop-*", "shop-ios", true), ("shop-*", "myshop-ios", false), ("*-ios", "shop-ios", true),
        ("*-ios", "shop-ios-2", false),
        ("a*b*c", "a-b-b-c", true), ("a*b*c", "a-c-b", false), ("?", "", false), ("?", "é", true), ("?", "xy", false),
        ("sh?p", "shop", true), ("*?*", "", false), ("*?*", "x", true), ("5.?.*", "5.2.0", true),
        ("5.?.*", "5x2.0", false),
        ("[a-z]", "b", false), ("[a-z]", "[a-z]", true), ("a.c", "abc", false), ("*aab", "aaaaab", true),
        ("a*", "a\nb", true),
    ])
    func `a pattern fits the whole text or not`(pattern: String, text: String, fits: Bool) {
        #expect(Glob(pattern).fits(text) == fits)
    }

    @Test func `a hostile pattern costs no more than the product of both lengths`() {
        let pattern = Glob(String(repeating: "*a", count: 200) + "*b")
        #expect(!pattern.fits(String(repeating: "a", count: 5000)))
    }

    /// The definition, spelled out: slow, but plainly right.
    private func fitsByDefinition(_ pattern: Substring, _ text: Substring) -> Bool {
        guard let first = pattern.first else { return text.isEmpty }
        if first == "*" {
            return fitsByDefinition(pattern.dropFirst(), text)
                || (!text.isEmpty && fitsByDefinition(pattern, text.dropFirst()))
        }
        return !text.isEmpty && (first == "?" || first == text.first)
            && fitsByDefinition(pattern.dropFirst(), text.dropFirst())
    }

    @Test(arguments: SeededRandom.seeds)
    func `patterns fit as their definition says`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<2000 {
            let pattern = random.list(upTo: 6) { $0.one(of: ["a", "b", "*", "?"]) }.joined()
            let text = random.list(upTo: 7) { $0.one(of: ["a", "b"]) }.joined()
            guard Glob(pattern).fits(text) == fitsByDefinition(pattern[...], text[...]) else {
                Issue.record("'\(pattern)' against '\(text)' (seed \(seed))")
                return
            }
        }
    }
}

@Suite struct `Matches` {
    private func match(_ conditions: [(String, [String])]) -> Match {
        Match(conditions.map { Match.Condition(property: $0.0, patterns: $0.1.map(Glob.init)) })
    }

    static let properties = ["source": "ios", "app": "shop-ios", "team": "checkout"]

    @Test(
        arguments: [
            ([], true), ([("app", ["shop-ios"])], true), ([("app", ["shop-android", "shop-i*"])], true),
            ([("app", ["shop-android"])], false), ([("app", ["shop-*"]), ("source", ["android"])], false),
            ([("app", ["shop-*"]), ("source", ["ios"])], true), ([("team", ["checkout"])], true),
            ([("release", ["5.*"])], false),
            ([("release", ["*"])], true), ([("app", [])], false),
        ] as [([(String, [String])], Bool)])
    func `every property must fit one of its patterns`(conditions: [(String, [String])], fits: Bool) {
        #expect(match(conditions).fits { Self.properties[$0] } == fits)
    }

    @Test func `a condition is found by its property`() {
        let match = match([("app", ["a"]), ("team", ["b"])])
        #expect(match["team"]?.patterns.map(\.pattern) == ["b"])
        #expect(match["release"] == nil)
    }

    @Test func `an incident knows its properties, and other names are labels`() {
        let incident = Incident(
            rule: "floor", subject: Subject(source: "ios", app: "shop", release: "5", environment: "prod"),
            labels: ["team": "checkout", "app": "never this"], severity: .critical, since: Fixtures.start,
            evidence: Evidence(issue: AlertModel.Issue(id: "X-1", title: ""), sentence: ""))
        let found = (Match.properties + ["team", "nope"]).map { incident.property($0) }
        #expect(found == ["ios", "shop", "5", "prod", "floor", "critical", "X-1", "checkout", nil])
    }
}

@Suite struct `What is like an incident` {
    @Test func `the same rule about the same thing, and nothing else`() {
        func incident(_ rule: String = "new", _ app: String = "shop", release: String? = nil, key: String? = "A")
            -> Incident
        {
            Incident(
                rule: rule, subject: Subject(source: "ios", app: app, release: release), key: key, labels: [:],
                severity: .warning, since: Moment(milliseconds: 0), evidence: Evidence(sentence: ""))
        }
        let likeness = incident().likeness
        #expect(likeness.fits(incident(release: "5.2").property))
        for other in [incident("floor"), incident("new", "game"), incident(key: "B")] {
            #expect(!likeness.fits(other.property))
        }
        #expect(!incident(release: "5.2").likeness.fits(incident(release: "5.3").property))
        // Whoever names an app or a release may choose any name.
        let star = incident("new", "*", release: "5.*\u{301}", key: "a?*")
        #expect(star.likeness.fits(star.property))
        for other in [
            incident("new", "shop", release: "5.*\u{301}", key: "a?*"),
            incident("new", "*", release: "5.2.1\u{301}", key: "a?*"),
            incident("new", "*", release: "5.*\u{301}", key: "a?bc"),
        ] {
            #expect(!star.likeness.fits(other.property), "\(other.subject)")
        }
    }
}

import AlertCore
import Chance
import PluginKit
import Testing

@testable import BotConfig

/// With a thousand teams, things are looked up by their names: the answers are those of whoever looks at each.
@Suite struct `Many names` {
    @Test(arguments: SeededRandom.seeds)
    func `a match finds those sources that are found when each is looked at`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<100 {
            var sources: [ConfigLoader.SourceEntry] = []
            for _ in 0..<random.below(12) { sources.append(source(random.name())) }
            let list = ConfigLoader.SourceList(sources)
            for _ in 0..<10 {
                let (one, other) = (random.match(["source", "app"]), random.match(["source"]))
                #expect(places(list.seen(by: one)) == places(sources.filter { isSeen($0, by: one) }), "\(one)")
                #expect(
                    places(list.seen(by: one).seen(by: other))
                        == places(sources.filter { isSeen($0, by: one) && isSeen($0, by: other) }), "\(one), \(other)")
                #expect(
                    places(list.seen(byAnyOf: [one, other]))
                        == places(sources.filter { isSeen($0, by: one) || isSeen($0, by: other) }), "\(one), \(other)")
            }
        }
    }

    @Test(arguments: SeededRandom.seeds)
    func `of many routes only those are left out that take nothing of a rule and its sources`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var fewest = Int.max
        for _ in 0..<20 {
            var routes: [Route] = []
            for number in 0..<40 {
                routes.append(Route(match: random.match(["rule", "source", "app"], exactly: 0.97), to: ["\(number)"]))
            }
            let index = RouteIndex(routes)
            for _ in 0..<20 {
                let rule = random.name()
                let sources: Set<String>? = random.happens(0.3) ? nil : [random.name(), random.name()]
                let kept = index.about(rules: [rule], sources: sources).flatMap(\.to)
                fewest = min(fewest, kept.count)
                #expect(kept == routes.flatMap(\.to).filter(kept.contains), "in their order")
                for route in routes where !kept.contains(route.to[0]) {
                    let isOfRule = route.match["rule"]?.fits(rule) ?? true
                    let isOfSource = route.match["source"].map { sources?.contains(where: $0.fits) ?? true } ?? true
                    #expect(!isOfRule || !isOfSource, "\(route.match) of \(rule) and \(sources ?? [])")
                }
            }
        }
        #expect(fewest < 10)
    }

    @Test(arguments: SeededRandom.seeds)
    func `circles of gates that wait are those that are found by walking from each`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var found = 0
        for _ in 0..<200 {
            var gates: [GatePlan] = []
            for number in 0..<random.below(9) {
                let (held, cause) = (random.match(["source", "app"]), random.match(["source", "app"]))
                gates.append(GatePlan(name: "gate-\(number)", gate: Waiting(for: cause), match: held))
            }
            let circles = WaitingGates(gates).circles.sorted { $0.key < $1.key }
            let names = circles.map { circle in circle.value.map { gates[$0].name } }
            let walked = circlesFoundByWalking(gates)
            found += walked.count
            #expect(names == walked, "\(gates.map { "\($0.match) waits for \(String(describing: $0.gate.waitsFor))" })")
        }
        #expect(found > 0)
    }

    @Test func `ten thousand gates that wait for each other are one circle, and without the last none`() {
        var gates: [GatePlan] = []
        for number in 0..<10_000 {
            let next = (number + 1) % 10_000
            gates.append(
                GatePlan(name: "gate-\(number)", gate: Waiting(for: .source("s\(next)")), match: .source("s\(number)")))
        }
        #expect(WaitingGates(gates).circles == [0: Array(0..<10_000)])
        #expect(WaitingGates(Array(gates.dropLast())).circles == [:])
    }

    @Test func `each name that is none is told with the nearest of all`() {
        var random = SeededRandom(printedFor: "names that are none")
        let names = (0..<60).map { "team-\($0)" }
        var wrong: [String] = []
        for _ in 0..<200 {
            var letters = Array(random.pick(names) ?? "")
            letters[random.below(letters.count)] = "x"
            letters.swapAt(0, random.below(3))
            wrong.append(String(letters))
        }
        let sources = names.map { "\n  \($0): {plugin: feed, url: https://feed.example}" }.joined()
        let rules = wrong.enumerated().map { number, name in
            "\n  r\(number): {plugin: limit, metric: users, limit: \"< 5\", match: {source: \"\(name)\"}}"
        }
        let result = load("sources:\(sources)\nrules:\(rules.joined())\nchannels:\n  team: {plugin: page}\n")
        let known = (names.sorted().prefix(20) + ["40 others"]).joined(separator: ", ")
        let told = result.problems.filter { $0.message.hasPrefix("there is no source") }
        #expect(told.map(\.message) == wrong.map { "there is no source '\($0)'; known: \(known)" })
        #expect(told.map(\.suggestion) == wrong.map { $0.nearest(in: names) })
    }

    @Test func `a rule that names its sources is as quick as one with a pattern that fits them`() throws {
        let result = load(
            """
            sources:
              ios: {plugin: any, every: 2m}
              web: {plugin: any, every: 10m}
            rules:
              named: {plugin: limit, metric: users, limit: "< 5", match: {source: [web, ios]}}
              fitted: {plugin: limit, metric: users, limit: "< 5", match: {source: [we?, io?]}}
              one: {plugin: limit, metric: users, limit: "< 5", match: {source: ios}}
              other: {plugin: limit, metric: users, limit: "< 5", match: {source: io?}}
            channels:
              team: {plugin: page}
            """)
        let delays = try #require(result.config).plan.detectionDelays
        #expect(delays.map(\.usual) == [.minutes(10), .minutes(10), .minutes(2), .minutes(2)])
        #expect(delays[0].worst == delays[1].worst)
        #expect(delays[2].worst == delays[3].worst)
    }

    private func source(_ name: String) -> ConfigLoader.SourceEntry {
        ConfigLoader.SourceEntry(
            plan: SourcePlan(name: name), source: nil, renewal: nil, position: Position(line: 1, column: 1))
    }

    private func places(_ sources: some Sequence<ConfigLoader.SourceEntry>) -> [ObjectIdentifier] {
        sources.map { ObjectIdentifier($0) }
    }

    private func isSeen(_ source: ConfigLoader.SourceEntry, by match: Match) -> Bool {
        match["source"].map { condition in condition.patterns.contains { $0.fits(source.plan.name) } } ?? true
    }

    /// From each gate down to what it waits for, and so on, until one comes again.
    private func circlesFoundByWalking(_ gates: [GatePlan]) -> [[String]] {
        var circles: [[String]] = []
        for gate in gates {
            var chain = [gate]
            while let last = chain.last, let cause = last.gate.waitsFor,
                let next = gates.first(where: { gate in
                    gate.name != last.name && cause.isWithin(gate.match)
                        && !(gate.gate.waitsFor.map { cause.isWithin($0) } ?? false)
                })
            {
                if let first = chain.firstIndex(where: { $0.name == next.name }) {
                    let names = chain[first...].map(\.name)
                    if first == 0, gates.first(where: { names.contains($0.name) })?.name == gate.name {
                        circles.append(names)
                    }
                    break
                }
                chain.append(next)
            }
        }
        return circles
    }
}

/// A gate that waits for incidents.
private struct Waiting: Gate {
    static let manifest = PluginManifest(name: "waiting", summary: "Waits.", options: [])

    let waitsFor: Match?

    init(for cause: Match) { waitsFor = cause }

    init(options: Options, context: RuleContext) throws(ProblemList) { waitsFor = nil }
}

extension Match {
    fileprivate static func source(_ name: String) -> Match {
        Match([Match.Condition(property: "source", patterns: [Glob(name)])])
    }
}

extension SeededRandom {
    fileprivate mutating func name() -> String {
        pick(["ios", "web", "tv", "ios-beta", "web-beta", "tv-beta", "IOS", "i"]) ?? ""
    }

    /// A match of some of the properties.
    ///
    /// - Parameter chance: how often a name is no pattern.
    fileprivate mutating func match(_ properties: [String], exactly chance: Double = 0.8) -> Match {
        var conditions: [Match.Condition] = []
        for property in properties where happens(0.7) {
            var patterns: [Glob] = []
            for _ in 0...below(2) {
                patterns.append(Glob(happens(chance) ? name() : pick(["*", "ios*", "?eb", "*-beta", "none"]) ?? "*"))
            }
            conditions.append(Match.Condition(property: property, patterns: patterns))
        }
        return Match(conditions)
    }
}

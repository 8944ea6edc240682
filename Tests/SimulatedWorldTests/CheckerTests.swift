internal import AlertCore
internal import AlertTesting
internal import PluginKit
internal import Testing

@testable internal import Journal
@testable internal import SimulatedWorld

/// Every checker catches a bot, or a world, that breaks its promise. That `outcomeLies` is caught is seen where its failure is shrunk.
@Suite struct `Checkers` {
    @Test(
        arguments: [
            (.syncLies, DurableFirst.name), (.markForgotten, NothingTwice.name), (.gatesOpen, GatesObeyed.name),
            (.gatesOpen, BudgetsKept.name), (.waitsUnheard, WaitsKept.name), (.pollsHang, Lively.name),
            (.picturesTwice, PicturesFollow.name), (.pushesEarly, PushesKept.name),
        ] as [(Sabotage, String)])
    func `a broken bot is caught`(sabotage: Sabotage, checker: String) {
        #expect(firstFailure(sabotage, of: checker) != nil, "nobody noticed \(sabotage)")
    }

    private let world = World(seed: 1, sabotage: nil, traceMax: 0)

    private func delivery(_ kind: Notification.Kind, number: Int) -> Delivery {
        let incident = Incident(
            rule: "look", subject: .shop, labels: [:], severity: .warning, since: .rehearsalStart,
            evidence: Evidence(sentence: ""))
        return Delivery(
            id: "d\(number)", channel: "slack", number: number, kind: kind, incident: incident.id,
            message: Message(
                kind: kind, severity: .warning, at: .rehearsalStart, headline: "",
                incidents: [IncidentSummary(incident)]), queued: .rehearsalStart)
    }

    @Test(arguments: [.resolved, .escalated, .reminder] as [Notification.Kind])
    func `a course without a beginning is caught`(kind: Notification.Kind) {
        var checker = ResolvedWhereOpened()
        #expect(throws: Breach.self) { try checker.observe(.accepted(delivery(kind, number: 1)), world) }
    }

    @Test func `a beginning without an end is caught`() throws {
        var checker = ResolvedWhereOpened()
        try checker.observe(.accepted(delivery(.opened, number: 1)), world)
        #expect(throws: Breach.self) { try checker.observe(.drained, world) }
    }

    @Test func `a beginning with its end is fine`() throws {
        var checker = ResolvedWhereOpened()
        try checker.observe(.accepted(delivery(.opened, number: 1)), world)
        try checker.observe(.accepted(delivery(.resolved, number: 2)), world)
        try checker.observe(.drained, world)
    }

    /// An opening that was given up, and what a start reads of it while the incident goes on.
    private func givenUp() throws -> (EndedDelivery, State) {
        let opening = delivery(.opened, number: 1)
        let incident = Incident(try #require(opening.message.incidents.first))
        let ended = EndedDelivery(delivery: opening, end: .dead("answered 400"), at: .rehearsalStart)
        world.truth.apply(.incidents(.incident(incident)))
        world.truth.apply(.outbox(.ended(ended)))
        return (ended, world.truth)
    }

    @Test func `a start does not bring back a beginning that never arrived`() throws {
        let (opening, state) = try givenUp()
        var checker = ResolvedWhereOpened()
        for happening in [.accepted(opening.delivery), .ended(opening), .opened(state)] as [Happening] {
            try checker.observe(happening, world)
        }
        world.truth = World.emptyState
        try checker.observe(.drained, world)
    }

    @Test func `a start does not take back a beginning that may have arrived`() throws {
        let (opening, state) = try givenUp()
        var checker = ResolvedWhereOpened()
        let lost = Happening.lost(channel: "slack", delivery: opening.delivery.id, isCertain: false)
        for happening in [.accepted(opening.delivery), lost, .ended(opening), .drained, .opened(state)] as [Happening] {
            try checker.observe(happening, world)
        }
        try checker.observe(.accepted(delivery(.escalated, number: 2)), world)
    }

    @Test func `a message that overtakes another of its incident is caught`() throws {
        for number in 1...2 { world.truth.apply(.outbox(.delivery(delivery(.opened, number: number)))) }
        let reading = ChatService.Reading(key: nil, isMarked: false, isShown: true, body: 0)
        var checker = InOrder()
        try checker.observe(.accepts(channel: "slack", delivery: "d1", reading), world)
        try checker.observe(.accepts(channel: "slack", delivery: "d2", reading), world)
        #expect(throws: Breach.self) {
            try checker.observe(.accepts(channel: "slack", delivery: "d1", reading), world)
        }
    }

    @Test(arguments: [(Cue.critical, true), (.warning, true), (.fine, false), (.unknown, false)])
    func `bad figures without an incident are caught`(cue: Cue, isCaught: Bool) throws {
        let source = try #require(world.settings.sources.first)
        let subject = Subject(source: source.name, app: source.apps.first ?? "")
        world.time = Timeline(wall: .rehearsalStart)
        _ = world.time.pass(to: 60_000)
        var checker = FiguresHeard()
        try checker.observe(.observed(.cue(cue, of: subject, at: world.time.wall)), world)
        if isCaught {
            #expect(throws: Breach.self) { try checker.observe(.committed, world) }
        } else {
            try checker.observe(.committed, world)
        }
    }

    /// The snapshot before it and the segments since have other records.
    @Test(arguments: [([3, 5], true), ([3], false)] as [(numbers: [Int], isFine: Bool)])
    func `a snapshot that is passed over must be made up for`(numbers: [Int], isFine: Bool) throws {
        func payloads(_ numbers: [Int]) -> [[UInt8]] { numbers.map { Fact.outbox(.numbering(next: $0)).json.bytes } }
        var report = JournalReport()
        report.notices = [.brokenSnapshot(file: "snapshot-2.jsonl", used: false)]
        var checker = RotNoticed()
        let happening = Happening.rotted(
            place: "a copy", whole: payloads([5]), .success((payloads(numbers), report)))
        if isFine {
            try checker.observe(happening, world)
        } else {
            #expect(throws: Breach.self) { try checker.observe(happening, world) }
        }
    }

    /// There and back between two looks of the bot may leave too little to be noticed.
    @Test(arguments: [(60_000, false), (58_000, false), (57_999, true)] as [(Int64, Bool)])
    func `a wait that is short by more than a clock set unnoticed explains is caught`(after: Int64, isCaught: Bool)
        throws
    {
        world.beginLife()
        var checker = WaitsKept()
        try checker.observe(.answered(host: "figures0", delivery: nil, status: 429, told: 60_000), world)
        try checker.observe(.clockStepped(3484), world)
        _ = world.time.pass(to: after)
        if isCaught {
            #expect(throws: Breach.self) { try checker.observe(.polled(source: "figures0"), world) }
        } else {
            try checker.observe(.polled(source: "figures0"), world)
        }
    }

    @Test(
        arguments: [
            ("abc", "abc", 0, true), ("abc", "ac", 1, true), ("abc", "ac", 0, false), ("abc", "axc", 1, false),
            ("abc", "acb", 1, false), ("abcd", "a", 3, false),
        ] as [(whole: String, left: String, damaged: Int, isFine: Bool)])
    func `records that rot altered, or took away in silence, are caught`(
        whole: String, left: String, damaged: Int, isFine: Bool
    ) throws {
        let place = JournalPlace(file: "journal-1.jsonl", line: 2, byteOffset: 1)
        var report = JournalReport()
        report.notices = Array(repeating: .tornTail(place, bytes: 1), count: damaged)
        func payloads(_ text: String) -> [[UInt8]] { text.utf8.map { [$0] } }
        var checker = RotNoticed()
        let happening = Happening.rotted(
            place: "a copy", whole: payloads(whole), .success((payloads(left), report)))
        if isFine {
            try checker.observe(happening, world)
        } else {
            #expect(throws: Breach.self) { try checker.observe(happening, world) }
        }
    }
}

import Testing

@testable import AlertModel

/// Without printing both, which would be pages.
private func expectSame(_ left: History, _ right: History, sourceLocation: SourceLocation = #_sourceLocation) {
    let isSame = left == right
    #expect(isSame, sourceLocation: sourceLocation)
}

/// That the same was learned, whatever odd things came by.
private func expectSameLearned(_ left: History, _ right: History, sourceLocation: SourceLocation = #_sourceLocation) {
    let isSame =
        left.recent == right.recent && left.score == right.score && left.mark == right.mark && left.hours == right.hours
        && left.baseline == right.baseline
    #expect(isSame, sourceLocation: sourceLocation)
}

@Suite struct `What a history takes in` {
    /// A life of ten days.
    private func learned(_ seed: UInt64 = 5) -> Life {
        var life = Life(seed: seed)
        life.pass(days: 10)
        return life
    }

    @Test func `spans in another order, or late by less than six hours, say the same`() {
        let life = learned()
        var (plain, shuffled) = (life, life)
        let spans = (0..<60).map { _ in plain.next(rate: 0.01) }
        for span in spans { plain.history.add(span) }
        // Every third span comes an hour late.
        let late = spans.indices.filter { $0 % 3 == 1 && $0 < 48 }
        for index in spans.indices {
            if !late.contains(index) { shuffled.history.add(spans[index]) }
            if late.contains(index - 12) {
                var span = spans[index - 12]
                span.seen = spans[index].seen
                shuffled.history.add(span)
            }
        }
        #expect(shuffled.history.recent.map(\.bad) == plain.history.recent.map(\.bad))
        #expect(shuffled.history.hours == plain.history.hours)
        #expect(abs(shuffled.history.rarity / plain.history.rarity - 1) < 0.01)
    }

    @Test func `a span seen again is corrected, up or down; an older sight of it changes nothing`() {
        var life = learned()
        let step = life.step
        func add(_ crashed: Double, seen: Int64) -> Bool {
            life.history.add(
                Life.observation(step, users: 300, crashed: crashed, seen: Life.span(step).to + .minutes(seen)))
        }
        let before = life.history.rarity
        #expect(add(30, seen: 1))
        #expect(life.history.rarity > 90)
        #expect(add(1, seen: 2))
        #expect(life.history.rarity < max(before * 3, 15))
        #expect(!add(30, seen: 1))
        #expect(!add(1, seen: 3))
        #expect(life.history.hours.last?.bad ?? 0 < 30)
    }

    @Test func `what is older than six hours comes too late`() {
        var life = learned()
        let missing = life.next()
        life.pass(days: 0.3)
        let before = life.history
        life.history.add(missing)
        expectSameLearned(life.history, before)
    }

    @Test func `spans that overlap those taken are passed over`() {
        var life = learned()
        let before = life.history
        let newest = Life.span(life.step - 1)
        for (from, to) in [(-4, 1), (-1, 4), (-2, -1), (-60, 0), (-65, -5), (0, 0)] as [(Int64, Int64)] {
            guard let span = TimeSpan(from: newest.to + .minutes(from), to: newest.to + .minutes(to)) else { continue }
            life.history.add(
                Observation(
                    subject: Subject(source: "ios", app: "shop"), span: span, seen: newest.to + .minutes(5),
                    metrics: ["users": 100, "crashed_users": 90]))
        }
        expectSameLearned(life.history, before)
    }

    @Test func `hours that slide beside short spans are not compared with them`() {
        var (life, twin) = (Life(seed: 5), Life(seed: 5))
        for _ in 0..<(4 * Life.stepsPerDay) {
            let short = life.next()
            var hour = short
            hour.span = TimeSpan(lasting: .hours(1), until: short.span.to)
            // Of the users of an hour more have crashed than of those of five minutes.
            hour.metrics = ["users": 500, "crashed_users": 25]
            life.history.add(hour)
            life.history.add(short)
            twin.history.add(twin.next())
        }
        // The first hour was all there was, so the first short spans were passed over.
        #expect(life.history.grain == 300_000)
        #expect(life.history.recent.map(\.bad) == twin.history.recent.map(\.bad))
        #expect(life.history.hours == twin.history.hours)
        #expect(life.history.isReady)
        #expect(abs((life.history.usual ?? 0) - (twin.history.usual ?? 1)) < 0.0003)
    }

    @Test func `a source that has changed to longer spans is learned anew`() {
        var life = learned()
        let begin = Life.span(life.step).from + .days(2)
        for hour in 1...80 as ClosedRange<Int64> {
            life.history.add(
                Observation(
                    subject: Subject(source: "ios", app: "shop"),
                    span: TimeSpan(lasting: .hours(1), until: begin + .hours(hour)), seen: begin + .hours(hour),
                    metrics: ["users": 500, "crashed_users": 10]))
            if hour == 30 { #expect(!life.history.isReady) }
        }
        #expect(life.history.isReady)
        #expect(abs((life.history.usual ?? 0) - 0.98) < 0.005)
        #expect(life.history.rarity < 15)
    }

    @Test(
        arguments: [
            ["crashed_users": 5], ["users": 5], ["crash_free_users": 0.5], ["sessions": 100, "crashed_sessions": 50],
            ["users": -5, "crashed_users": 0], ["users": 5, "crashed_users": 6],
            ["users": .infinity, "crashed_users": 1],
            ["users": .nan, "crashed_users": 1], [:],
        ] as [Metrics])
    func `what has no counts that make sense is passed over`(metrics: Metrics) {
        var life = learned()
        let before = life.history
        var observation = life.next()
        observation.metrics = metrics
        life.history.add(observation)
        expectSame(life.history, before)
    }

    @Test func `spans that still fill, and days, are passed over`() {
        var life = learned()
        let before = life.history
        var observation = life.next()
        observation.isComplete = false
        life.history.add(observation)
        observation.isComplete = true
        observation.span = TimeSpan(lasting: .days(1), until: observation.span.to)
        life.history.add(observation)
        expectSame(life.history, before)
    }

    @Test(arguments: [3.0, 30, 3000])
    func `a clock that was hours or years ahead leaves nothing behind that would fit no more`(hours: Double) {
        var life = learned()
        let ahead = Duration.seconds(Int64(hours * 3600))
        var wrong = life
        for _ in 0..<12 {
            var span = wrong.next(rate: 0.03)
            guard let moved = TimeSpan(from: span.span.from + ahead, to: span.span.to + ahead) else { continue }
            span.span = moved
            span.seen = moved.to
            wrong.history.add(span)
        }
        life.history = wrong.history
        life.pass(days: 0.5)
        #expect(life.history.newest == Life.span(life.step - 1))
        #expect(life.history.rarity < 90)
        let steps = life.pass(days: 0.5, rate: 0.05) { $0.rarity > 90 }
        #expect((steps ?? .max) <= 6)
    }

    @Test func `what is kept is bounded`() {
        var history = History(History.Need(metric: "crash_free_users", by: 0.005))
        for minute in 0..<4000 as Range<Int64> {
            let end = Life.begin + .minutes(minute)
            history.add(
                Observation(
                    subject: Subject(source: "ios", app: "shop"), span: TimeSpan(lasting: .minutes(1), until: end),
                    seen: end, metrics: ["users": 10, "crashed_users": minute % 50 == 0 ? 10 : 0]))
        }
        #expect(history.recent.count <= History.recentMax)
        #expect(history.hours.count <= 26)
        #expect(history.score.excluded.count <= 16)
    }
}

@Suite struct `Histories as JSON` {
    @Test(arguments: SeededRandom.seeds)
    func `what is read goes on just as what was written`(seed: UInt64) throws {
        var life = Life(seed: seed)
        for _ in 0..<40 {
            life.pass(days: 0.6, users: 60, rate: life.step % 7 == 0 ? 0.02 : 0.003)
            let text = life.history.json.text
            let read = try History(JSONReader(JSON(parsing: text)))
            expectSame(read, life.history)
            life.history = read
        }
        var twin = Life(seed: seed)
        for _ in 0..<40 { twin.pass(days: 0.6, users: 60, rate: twin.step % 7 == 0 ? 0.02 : 0.003) }
        expectSame(twin.history, life.history)
    }

    @Test func `a series keeps what is asked for, and gives it back from its snapshot`() throws {
        let needs = ["crash_free_users", "crash_free_sessions"].map { History.Need(metric: $0, by: 0.005) }
        var life = Life(seed: 4)
        var series = Series()
        series.learn(needs)
        for _ in 0..<1000 {
            var observation = life.next(users: 50)
            observation.metrics["sessions"] = 70
            observation.metrics["crashed_sessions"] = 0
            series.add(observation, keeping: .hours(1))
        }
        let read = try Series(JSONReader(JSON(parsing: series.json.text)))
        let isSame = read == series
        #expect(isSame)
        #expect(read.history(for: needs[1])?.newestShare == Share(hits: 70, of: 70))
        series.learn([needs[1]])
        #expect(series.histories.map(\.need) == [needs[1]])
        #expect(series.histories[0] == read.histories[1])
        // Snapshots of earlier versions hold no histories.
        guard case .object(var old) = Series().json else { return }
        old["learned"] = nil
        #expect(try Series(JSONReader(.object(old))) == Series())
    }

    @Test func `its size is bounded`() {
        var life = Life(seed: 1)
        life.pass(days: 35)
        #expect(life.history.json.text.utf8.count < 16_000)
    }

    /// Every number of a written history is replaced by every other one in turn: what is taken must still work.
    @Test func `what could not have been is refused, and nothing traps`() throws {
        var life = Life(seed: 2)
        life.pass(days: 4, users: 60)
        let text = life.history.json.text
        let numbers = ["-1", "0", "1e300", "9223372036854775807", "-9223372036854775808", "null", "\"x\"", "[]"]
        var places: [Range<String.Index>] = []
        var index = text.startIndex
        while index < text.endIndex {
            guard text[index].isNumber || text[index] == "-" else {
                index = text.index(after: index)
                continue
            }
            let end = text[index...].firstIndex { !($0.isNumber || "-.eE+".contains($0)) } ?? text.endIndex
            places.append(index..<end)
            index = end
        }
        var refused = 0
        for (count, place) in places.enumerated() where count < 60 || count % 17 == 0 {
            for number in numbers {
                var broken = text
                broken.replaceSubrange(place, with: number)
                do {
                    var history = try History(JSONReader(JSON(parsing: broken)))
                    history.add(Life.observation(life.step, users: 100, crashed: 50))
                    _ = (history.rarity, history.fall, history.usual, history.uncertainty, history.json)
                } catch is JSONMismatch {
                    refused += 1
                }
            }
        }
        #expect(refused > 100)
    }
}

import AlertTesting
import Chance
import PluginKit
import PluginTesting
import Testing

@testable import DropDetector

/// Without printing both, which would be pages.
private func expectSame(_ left: DropMemory, _ right: DropMemory, sourceLocation: SourceLocation = #_sourceLocation) {
    let isSame = left == right
    #expect(isSame, sourceLocation: sourceLocation)
}

/// That the same was learned, whatever odd things came by.
private func expectSameLearned(
    _ left: DropMemory, _ right: DropMemory, sourceLocation: SourceLocation = #_sourceLocation
) {
    let isSame =
        left.recent == right.recent && left.score == right.score && left.mark == right.mark && left.hours == right.hours
        && left.baseline == right.baseline
    #expect(isSame, sourceLocation: sourceLocation)
}

@Suite struct `What a memory of a share takes in` {
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
        for span in spans { plain.memory.add(span) }
        // Every third span comes an hour late.
        let late = spans.indices.filter { $0 % 3 == 1 && $0 < 48 }
        for index in spans.indices {
            if !late.contains(index) { shuffled.memory.add(spans[index]) }
            if late.contains(index - 12) {
                var span = spans[index - 12]
                span.seen = spans[index].seen
                shuffled.memory.add(span)
            }
        }
        #expect(shuffled.memory.recent.map(\.bad) == plain.memory.recent.map(\.bad))
        #expect(shuffled.memory.hours == plain.memory.hours)
        #expect(abs(shuffled.memory.rarity / plain.memory.rarity - 1) < 0.01)
    }

    @Test func `a span seen again is corrected, up or down; an older sight of it changes nothing`() {
        var life = learned()
        let step = life.step
        func add(_ crashed: Double, seen: Int64) -> Bool {
            life.memory.takesIn(
                Life.observation(step, users: 300, crashed: crashed, seen: Life.span(step).to + .minutes(seen)))
        }
        let before = life.memory.rarity
        #expect(add(30, seen: 1))
        #expect(life.memory.rarity > 90)
        #expect(add(1, seen: 2))
        #expect(life.memory.rarity < max(before * 3, 15))
        #expect(!add(30, seen: 1))
        #expect(!add(1, seen: 3))
        #expect(life.memory.hours.last?.bad ?? 0 < 30)
    }

    @Test func `what is older than six hours comes too late`() {
        var life = learned()
        let missing = life.next()
        life.pass(days: 0.3)
        let before = life.memory
        life.memory.add(missing)
        expectSameLearned(life.memory, before)
    }

    @Test func `spans that overlap those taken are passed over`() {
        var life = learned()
        let before = life.memory
        let newest = Life.span(life.step - 1)
        for (from, to) in [(-4, 1), (-1, 4), (-2, -1), (-60, 0), (-65, -5), (0, 0)] as [(Int64, Int64)] {
            guard let span = TimeSpan(from: newest.to + .minutes(from), to: newest.to + .minutes(to)) else { continue }
            life.memory.add(
                Observation(
                    subject: Subject(source: "ios", app: "shop"), span: span, seen: newest.to + .minutes(5),
                    metrics: ["users": 100, "crashed_users": 90]))
        }
        expectSameLearned(life.memory, before)
    }

    @Test func `hours that slide beside short spans are not compared with them`() {
        var (life, twin) = (Life(seed: 5), Life(seed: 5))
        for _ in 0..<(4 * Life.stepsPerDay) {
            let short = life.next()
            var hour = short
            hour.span = TimeSpan(lasting: .hours(1), until: short.span.to)
            // Of the users of an hour more have crashed than of those of five minutes.
            hour.metrics = ["users": 500, "crashed_users": 25]
            life.memory.add(hour)
            life.memory.add(short)
            twin.memory.add(twin.next())
        }
        // The first hour was all there was, so the first short spans were passed over.
        #expect(life.memory.grain.length == 300_000)
        #expect(life.memory.recent.map(\.bad) == twin.memory.recent.map(\.bad))
        #expect(life.memory.hours == twin.memory.hours)
        #expect(life.memory.isReady)
        #expect(abs((life.memory.usual ?? 0) - (twin.memory.usual ?? 1)) < 0.0003)
    }

    @Test func `a source that has changed to longer spans is learned anew`() {
        var life = learned()
        let begin = Life.span(life.step).from + .days(2)
        for hour in 1...80 as ClosedRange<Int64> {
            life.memory.add(
                Observation(
                    subject: Subject(source: "ios", app: "shop"),
                    span: TimeSpan(lasting: .hours(1), until: begin + .hours(hour)), seen: begin + .hours(hour),
                    metrics: ["users": 500, "crashed_users": 10]))
            if hour == 30 { #expect(!life.memory.isReady) }
        }
        #expect(life.memory.isReady)
        #expect(abs((life.memory.usual ?? 0) - 0.98) < 0.005)
        #expect(life.memory.rarity < 15)
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
        let before = life.memory
        var observation = life.next()
        observation.metrics = metrics
        life.memory.add(observation)
        expectSame(life.memory, before)
    }

    @Test func `spans that still fill, and days, are passed over`() {
        var life = learned()
        let before = life.memory
        var observation = life.next()
        observation.isComplete = false
        life.memory.add(observation)
        observation.isComplete = true
        observation.span = TimeSpan(lasting: .days(1), until: observation.span.to)
        life.memory.add(observation)
        expectSame(life.memory, before)
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
            wrong.memory.add(span)
        }
        life.memory = wrong.memory
        life.pass(days: 0.5)
        #expect(life.memory.newest == Life.span(life.step - 1))
        #expect(life.memory.rarity < 90)
        let steps = life.pass(days: 0.5, rate: 0.05) { $0.rarity > 90 }
        #expect((steps ?? .max) <= 6)
    }

    @Test(arguments: [(0.005, 0.004), (0.005, 0.02), (0.02, 0.005)])
    func `a rule that looks for other falls goes on with what is usual, and with the evidence there is`(
        before: Double, now: Double
    ) throws {
        var life = Life(seed: 11, by: before)
        life.pass(days: 25)
        life.pass(days: 0.2, rate: 0.05)
        let other = try #require(
            DropMemory.beginning(DropMemory.Need(metric: "crash_free_users", by: now), from: life.memory))
        #expect(other.baseline == life.memory.baseline)
        #expect(other.hours == life.memory.hours)
        #expect(other.need.by == now)
        #expect(life.memory.rarity > 90 && other.rarity > 90)
        life.memory = other
        life.pass(days: 3)
        #expect(life.memory.score.suspicion == nil, "the fall is over for it too")
        #expect(
            DropMemory.beginning(DropMemory.Need(metric: "crash_free_sessions", by: now), from: life.memory) == nil)
    }

    @Test func `late spans do not make it grow`() throws {
        var memory = DropMemory(DropMemory.Need(metric: "crash_free_users", by: 0.005))
        func add(_ seconds: Range<Int64>) {
            for second in seconds where second % 10 == 0 {
                let end = Life.begin + .seconds(second)
                memory.add(
                    Observation(
                        subject: Subject(source: "ios", app: "shop"), span: TimeSpan(lasting: .seconds(10), until: end),
                        seen: Life.begin + .seconds(7200), metrics: ["users": 10, "crashed_users": 0]))
            }
        }
        add(0..<3600)
        add(4200..<7200)
        add(3600..<4200)
        #expect(memory.recent.count <= DropMemory.recentMax)
        expectSame(try DropMemory(JSONReader(JSON(parsing: memory.json.text))), memory)
    }

    @Test func `what is kept is bounded`() {
        var memory = DropMemory(DropMemory.Need(metric: "crash_free_users", by: 0.005))
        for minute in 0..<4000 as Range<Int64> {
            let end = Life.begin + .minutes(minute)
            memory.add(
                Observation(
                    subject: Subject(source: "ios", app: "shop"), span: TimeSpan(lasting: .minutes(1), until: end),
                    seen: end, metrics: ["users": 10, "crashed_users": minute % 50 == 0 ? 10 : 0]))
        }
        #expect(memory.recent.count <= DropMemory.recentMax)
        #expect(memory.hours.count <= 26)
        #expect(memory.score.excluded.count <= 16)
    }
}

@Suite struct `Memories of a share as JSON` {
    @Test(arguments: SeededRandom.seeds)
    func `what is read goes on just as what was written`(seed: UInt64) throws {
        var life = Life(seed: seed)
        for _ in 0..<40 {
            life.pass(days: 0.6, users: 60, rate: life.step % 7 == 0 ? 0.02 : 0.003)
            let text = life.memory.json.text
            let read = try DropMemory(JSONReader(JSON(parsing: text)))
            expectSame(read, life.memory)
            life.memory = read
        }
        var twin = Life(seed: seed)
        for _ in 0..<40 { twin.pass(days: 0.6, users: 60, rate: twin.step % 7 == 0 ? 0.02 : 0.003) }
        expectSame(twin.memory, life.memory)
    }

    @Test func `a series keeps what is asked for, and gives it back from its snapshot`() throws {
        let kinds = MemoryKinds(DropDetector.memories)
        let needs = ["crash_free_users", "crash_free_sessions"].map { DropMemory.Need(metric: $0, by: 0.005) }
        var life = Life(seed: 4)
        var series = Series(remembering: kinds)
        series.remember([MemoryNeed(DropMemory.self, needs[0]), MemoryNeed(DropMemory.self, needs[1])])
        for _ in 0..<1000 {
            var observation = life.next(users: 50)
            observation.metrics["sessions"] = 70
            observation.metrics["crashed_sessions"] = 0
            series.add(observation, keeping: .hours(1))
        }
        let read = try Series(JSONReader(JSON(parsing: series.json.text)), kinds)
        let isSame = read == series
        #expect(isSame)
        #expect(read.memory(DropMemory.self, needs[1])?.newestShare == Share(hits: 70, of: 70))
        series.remember([MemoryNeed(DropMemory.self, needs[1])])
        #expect(series.memories(DropMemory.self).map(\.need) == [needs[1]])
        let isKept = series.memories(DropMemory.self)[0] == read.memories(DropMemory.self)[1]
        #expect(isKept)
        // Snapshots of the first versions hold none.
        guard case .object(var old) = Series(remembering: kinds).json else { return }
        old["learned"] = nil
        #expect(try Series(JSONReader(.object(old)), kinds) == Series(remembering: kinds))
    }

    @Test func `it is what every memory must be`() {
        var life = Life(seed: 6)
        let observations = (0..<(5 * Life.stepsPerDay)).map { _ in
            life.next(users: 50, rate: life.step > 4 * Life.stepsPerDay ? 0.03 : 0.003)
        }
        let need = DropMemory.Need(metric: "crash_free_users", by: 0.005)
        #expect(MemoryConformance(DropMemory.self, need, fedWith: observations, bytesMax: 20_000).violations() == [])
    }

    @Test func `its size is bounded`() {
        var life = Life(seed: 1)
        life.pass(days: 35)
        #expect(life.memory.json.text.utf8.count < 16_000)
    }

    /// Every number of a written memory is replaced by every other one in turn: what is taken must still work.
    @Test func `what could not have been is refused, and nothing traps`() throws {
        var life = Life(seed: 2)
        life.pass(days: 4, users: 60)
        let text = life.memory.json.text
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
                    var memory = try DropMemory(JSONReader(JSON(parsing: broken)))
                    memory.add(Life.observation(life.step, users: 100, crashed: 50))
                    _ = (memory.rarity, memory.fall(), memory.usual, memory.uncertainty, memory.json)
                } catch is JSONMismatch {
                    refused += 1
                }
            }
        }
        #expect(refused > 100)
    }
}

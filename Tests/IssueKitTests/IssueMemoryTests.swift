import PluginKit
import PluginTesting
import Testing

@testable import IssueKit

private typealias Issue = AlertModel.Issue

@Suite struct `Remembering issues` {
    private static let start = Moment(milliseconds: 1_795_176_000_000)  // 2026-11-20T12:00:00Z

    private func look(_ issues: [Issue], after wait: Duration, lasting: Duration = .minutes(5)) -> Observation {
        let seen = Self.start + wait
        return Observation(
            subject: Subject(source: "ios", app: "shop"), span: TimeSpan(lasting: lasting, until: seen), seen: seen,
            metrics: ["sessions": 1000, "users": 500, "crash_events": 3], issues: issues)
    }

    private func memory(_ looks: [Observation]) -> IssueMemory {
        var memory = IssueMemory()
        for look in looks { memory.add(look) }
        return memory
    }

    struct Birth: Sendable {
        let why: String
        /// After the first look.
        let firstSeen: Duration?
        let named: Duration
        let isPast: Bool
    }

    @Test(arguments: [
        Birth(why: "there in the first look", firstSeen: nil, named: .zero, isPast: true),
        Birth(why: "there before the first look", firstSeen: .hours(-1), named: .zero, isPast: true),
        Birth(why: "old, named for the first time after a week", firstSeen: .days(-40), named: .days(7), isPast: true),
        Birth(why: "born a minute before the first look", firstSeen: .minutes(-1), named: .minutes(5), isPast: true),
        Birth(why: "born a minute after it", firstSeen: .minutes(1), named: .minutes(5), isPast: false),
        Birth(why: "of unknown age, on the first day", firstSeen: nil, named: .hours(23), isPast: true),
        Birth(why: "of unknown age, later", firstSeen: nil, named: .days(1), isPast: false),
        Birth(why: "from the future", firstSeen: .days(9), named: .hours(1), isPast: false),
    ])
    func `what was there when the bot began to look is the past`(birth: Birth) throws {
        let issue = Issue(id: "a", title: "", firstSeen: birth.firstSeen.map { Self.start + $0 })
        let memory = memory([look([Issue(id: "other", title: "")], after: .zero), look([issue], after: birth.named)])
        let record = try #require(memory["a"])
        #expect(record.isPast == birth.isPast, "\(birth.why)")
        #expect(record.born <= Self.start + birth.named)
    }

    @Test(
        arguments: [
            (["unresolved", "unresolved"], nil), (["unresolved", "resolved"], nil), (["resolved", "unresolved"], 1),
            (["resolved", "ignored", "unresolved"], nil), (["ongoing", "regressed"], 1),
            (["regressed", "regressed"], nil), (["fixed", "open", "open"], 1),
            (["resolved", "unresolved", "resolved", "unresolved"], 3), (["regressed", "ongoing", "regressed"], 2),
            (["nonsense", "other"], nil),
        ] as [([String], Int?)])
    func `an issue is back when it was resolved, or when the source says so anew`(
        statuses: [String], back: Int?
    ) throws {
        let looks = statuses.enumerated().map { index, status in
            look([Issue(id: "a", title: "", status: status)], after: .minutes(5 * Int64(index)))
        }
        let record = try #require(memory(looks)["a"])
        #expect(record.returned == back.map { Self.start + .minutes(5 * Int64($0)) })
    }

    @Test func `an issue that is called back when it is first named counts only once the bot knows the app`() {
        let issue = Issue(id: "a", title: "", status: "regressed")
        #expect(memory([look([issue], after: .zero)])["a"]?.returned == nil)
        let late = memory([look([], after: .zero), look([issue], after: .days(2))])
        #expect(late["a"]?.returned == Self.start + .days(2))
    }

    /// When the issue is named as called back and since when, in minutes after the first look, and since when it is back.
    @Test(
        arguments: [
            // It is named as the same each time, and was resolved where nobody saw it.
            ([(1800, 1790), (1805, 1790), (5400, 5399), (5405, 5399)], 5399),
            ([(1800, 1790), (1805, nil), (1810, 1790)], 1790),
            // Before the bot looked there it is the past, which is no longer so with the next return.
            ([(5, -500_000)], nil), ([(2880, -500_000), (2885, -500_000)], nil),
            ([(5, -500_000), (2880, 2879)], 2879),
            // Known exactly, the first day is no reason for doubt.
            ([(10, 8)], 8),
            // Named late it has been back for long.
            ([(500_000, 7)], 7),
            // Clocks may differ, but not by hours.
            ([(1800, 1801), (1805, 1801)], 1801), ([(1800, 1790), (1805, 9000)], 1790),
        ] as [([(Int64, Int64?)], Int64?)])
    func `where the source says since when, another moment is another return`(
        _ names: [(Int64, Int64?)], _ back: Int64?
    ) throws {
        let looks = names.map { at, since in
            let returned = since.map { Self.start + .minutes($0) }
            return look([Issue(id: "a", title: "", returned: returned, status: "reopened")], after: .minutes(at))
        }
        let record = try #require(memory([look([], after: .zero)] + looks)["a"])
        #expect(record.returned == back.map { Self.start + .minutes($0) })
    }

    @Test(arguments: [(-2, true), (-20, false)] as [(Int64, Bool)])
    func `a word that is new is believed though the source's clock is behind, and not what it says of long ago`(
        _ minutes: Int64, _ isBack: Bool
    ) {
        let returned = Self.start + .hours(40) + .minutes(minutes)
        let looks = [
            look([Issue(id: "a", title: "", status: "muted")], after: .hours(40)),
            look([Issue(id: "a", title: "", returned: returned, status: "reopened")], after: .hours(41)),
        ]
        #expect((memory([look([], after: .zero)] + looks)["a"]?.returned != nil) == isBack)
    }

    @Test func `the most users of any look are kept, and begin anew when an issue is back`() {
        func issue(_ users: Double?, _ status: String = "open") -> Issue {
            Issue(id: "a", title: "", users: users, status: status)
        }
        let looks = [issue(nil), issue(4), issue(9), issue(2)].enumerated().map { index, issue in
            look([issue], after: .minutes(Int64(index)))
        }
        #expect(memory(looks)["a"]?.usersMost == 9)
        let back = looks + [look([issue(1, "resolved")], after: .hours(1)), look([issue(3)], after: .hours(2))]
        #expect(memory(back)["a"]?.usersMost == 3)
    }

    @Test func `what is taken over of others does not depend on their order, and is read again`() throws {
        func named(_ statuses: [String], from hour: Int64) -> IssueMemory {
            memory(
                statuses.enumerated().map { index, status in
                    look([Issue(id: "a", title: "", users: 9, status: status)], after: .hours(hour + Int64(index)))
                })
        }
        let others = [
            named(["open", "resolved"], from: 0), named(["resolved"], from: 30), named(["open"], from: 2),
            named(["ignored", "open"], from: 20), IssueMemory(),
        ]
        var told: Set<IssueMemory> = []
        for turn in others.indices {
            var series: [Series] = []
            for other in Array(others[turn...] + others[..<turn]) {
                let json = try JSON(parsing: other.json.bytes)
                series.append(try self.series(remembering: json))
            }
            var heir = IssueMemory()
            let seen = look([Issue(id: "a", title: "", users: 2, status: "open")], after: .hours(40))
            heir.add(seen, after: Elders(series, sourceBegan: Self.start))
            told.insert(heir)
        }
        let only = try #require(told.count == 1 ? told.first : nil)
        #expect(only.began == Self.start)
        #expect(only["a"]?.returned == Self.start + .hours(40))
        #expect(only["a"]?.usersMost == 2)
    }

    /// A series of which nothing but that memory is known.
    private func series(remembering memory: JSON) throws -> Series {
        let kinds = MemoryKinds([MemoryKind(IssueMemory.self)])
        guard case .object(var object) = try JSON(parsing: Series(remembering: kinds).json.bytes) else {
            return Series(remembering: kinds)
        }
        object["issue_memory"] = memory
        return try Series(JSONReader(.object(object)), kinds)
    }

    @Test func `a release that is forgotten hands on what it knew, within the bounds`() {
        func full(_ name: String, after wait: Duration) -> IssueMemory {
            memory(
                (0..<4).map { part in
                    look((0..<100).map { Issue(id: "\(name)\(part)\($0)", title: "", users: 5) }, after: wait)
                })
        }
        var heir = full("new", after: .days(2))
        heir.inherit(memory([look([Issue(id: "a", title: "", users: 5, status: "resolved")], after: .days(3))]))
        #expect(heir.began == Self.start + .days(2))
        #expect(heir["a"]?.status == .closed)
        #expect(heir["a"]?.usersMost == nil)
        heir.inherit(full("old", after: .zero))
        #expect(heir.began == Self.start)
        #expect(heir.count == IssueMemory.recordsMax)
        #expect(heir["a"] != nil)
        #expect(heir["old00"] == nil)
    }

    @Test func `a journal from before releases knew of each other is read`() throws {
        let row = #"["a",1,1,false,"closed",false,null,3]"#
            .replacing("1,1", with: "\"2026-11-20T12:00:00Z\",\"2026-11-21T12:00:00Z\"")
        let text = "{\"began\":\"2026-11-20T12:00:00Z\",\"issues\":[\(row)]}"
        let memory = try IssueMemory(JSONReader(JSON(parsing: text)))
        #expect(memory.count == 1)
        #expect(memory.json.text == text)
    }

    @Test func `an older sight changes neither how an issue stands nor what was looked at last`() {
        let now = look([Issue(id: "a", title: "", users: 5, status: "resolved")], after: .hours(2))
        let before = look([Issue(id: "a", title: "", users: 50, status: "open")], after: .hours(1))
        let memory = memory([now, before])
        #expect(memory["a"]?.status == .closed)
        #expect(memory["a"]?.returned == nil)
        #expect(memory.reading?.seen == now.seen)
        #expect(memory["a"]?.usersMost == 50)
    }

    @Test func `an observation without issues leaves the last look as it was`() {
        let memory = memory([look([Issue(id: "a", title: "")], after: .zero), look([], after: .minutes(5))])
        #expect(memory.reading?.seen == Self.start)
        #expect(memory.reading?.metrics == ["sessions": 1000, "users": 500])
    }

    @Test func `it is what every memory must be`() {
        let statuses = ["open", "resolved", "regressed", "ignored", nil]
        let looks = (0..<100).map { round in
            let issues = (0..<(round % 7)).map { number in
                Issue(
                    id: "\(round * number % 30)", title: "t", users: Double(number),
                    status: statuses[(round + number) % 5])
            }
            return look(issues, after: .hours(Int64(round)))
        }
        #expect(MemoryConformance(IssueMemory.self, fedWith: looks).violations() == [])
    }

    @Test func `those go that have not been named for longest`() {
        let most = IssueMemory.recordsMax + IssueMemory.recordsSlack
        let looks = (0...most).map { number in
            look([Issue(id: "\(number)", title: "")], after: .seconds(Int64(number)))
        }
        #expect(memory(Array(looks.dropLast())).count == most)
        let memory = memory(looks)
        #expect(memory.count == IssueMemory.recordsMax)
        #expect(memory["0"] == nil)
        #expect(memory["\(most)"] != nil)
        #expect(memory["\(IssueMemory.recordsSlack + 1)"] != nil)
        #expect(memory["\(IssueMemory.recordsSlack)"] == nil)
    }

    @Test func `news is kept before the rest when there are too many to keep`() throws {
        let old = (0..<60).map { Issue(id: "old\($0)", title: "") }
        let new = Issue(id: "new", title: "", firstSeen: Self.start + .minutes(1))
        let look = try #require(memory([look(old, after: .zero), look(old + [new], after: .minutes(5))]).reading)
        #expect(look.issues.count == IssueMemory.readingIssuesMax)
        #expect(look.issues.first?.id == "new")
        #expect(look.issues[1].id == "old0")
    }

    @Test func `what was news long ago takes no place from the rest`() throws {
        // Born an hour after the bot's first poll, and back a day later.
        let born = (0..<60).map { Issue(id: "born\($0)", title: "", firstSeen: Self.start + .hours(1)) }
        let back = (0..<30).map { Issue(id: "back\($0)", title: "", status: "resolved") }
        let reopened = back.map { Issue(id: $0.id, title: "", status: "open") }
        let old = (0..<10).map { Issue(id: "old\($0)", title: "") }
        let looks = [
            look(old + back, after: .zero), look(born + reopened, after: .days(1)),
            look(old + born + reopened, after: .days(365)),
        ]
        let kept = try #require(memory(looks).reading).issues
        #expect(kept.map(\.id) == (old + born.prefix(30)).map(\.id))
    }

    @Test func `however many are news, the first of the source's own order and the newest of all are kept`() throws {
        let old = (0..<20).map { Issue(id: "old\($0)", title: "") }
        let fresh = (0..<79).map { Issue(id: "fresh\($0)", title: "", firstSeen: Self.start + .hours(Int64($0))) }
        let newest = Issue(id: "newest", title: "", firstSeen: Self.start + .days(5))
        let looks = [look(old, after: .zero), look([newest] + old + fresh, after: .days(5))]
        let kept = try #require(memory(looks).reading).issues.map(\.id)
        #expect(kept == ["newest"] + fresh.suffix(29).map(\.id) + old.prefix(10).map(\.id))
    }

    @Test func `of what is news, those that hit the most users are kept, too`() throws {
        let fresh = (0..<79).map {
            Issue(id: "fresh\($0)", title: "", users: 1, firstSeen: Self.start + .hours(Int64($0)))
        }
        let grown = Issue(id: "grown", title: "", users: 40, firstSeen: Self.start + .minutes(1))
        let looks = [look([], after: .zero), look(fresh + [grown], after: .days(5))]
        let reading = try #require(memory(looks).reading)
        #expect(reading.issues.map(\.id).contains("grown"))
        #expect(reading.issues.map(\.id).contains("fresh78"))
        #expect(reading.issues.count == IssueMemory.readingIssuesMax)
        #expect(reading.issues.count + reading.others.count == 80)
    }

    /// The bytes that the documentation promises.
    @Test(arguments: [
        ("ordinary", 55_000 + 12_000), ("ignored", 55_000 + 12_000), ("hostile", 55_000 + 90_000),
    ])
    func `what is remembered is bounded, however much is named`(kind: String, bytes: Int) throws {
        let isHostile = kind == "hostile"
        var memory = IssueMemory()
        for round in 0..<20 {
            let issues = (0..<100).map { number in
                let id = "SHOP-\(round * 100 + number)"
                return Issue(
                    id: isHostile ? id + String(repeating: "\u{1}", count: 4096) : id,
                    title: String(repeating: isHostile ? "\u{1F}👩‍👩‍👧‍👦" : "x", count: isHostile ? 500 : 60), events: 1e15,
                    users: 1e15, firstSeen: Self.start, lastSeen: Self.start,
                    release: String(repeating: "9", count: isHostile ? 4096 : 10),
                    status: isHostile ? String(repeating: "\n", count: 4096) : kind,
                    url: "https://example.com/" + String(repeating: "x", count: isHostile ? 280 : 20))
            }
            memory.add(look(issues, after: .minutes(Int64(round))))
        }
        let written = memory.json.bytes
        #expect(written.count <= bytes, "\(written.count) bytes")
        #expect(try IssueMemory(JSONReader(JSON(parsing: written))) == memory)
    }

    @Test func `an older sight of the same span is not looked at for the newer one`() {
        var (now, before) = (look([Issue(id: "a", title: "")], after: .hours(1)), look([], after: .hours(1)))
        before.issues = [Issue(id: "b", title: "")]
        before.seen = now.seen - .minutes(1)
        #expect(memory([now, before]).reading?.issues.map(\.id) == ["a"])
        now.seen = before.seen - .minutes(1)
        #expect(memory([now, before]).reading?.issues.map(\.id) == ["b"])
    }

    @Test func `of spans that end together the shorter is looked at, until something newer comes`() {
        let (short, long) = (look([Issue(id: "a", title: "")], after: .hours(1)), Duration.days(1))
        let day = look([Issue(id: "b", title: "")], after: .hours(1), lasting: long)
        #expect(memory([short, day]).reading?.issues.map(\.id) == ["a"])
        #expect(memory([day, short]).reading?.issues.map(\.id) == ["a"])
        let newer = look([Issue(id: "c", title: "")], after: .hours(2), lasting: long)
        #expect(memory([short, newer]).reading?.issues.map(\.id) == ["c"])
    }

    @Test func `a series gives it back from its JSON, and reads one from before there was any`() throws {
        let kinds = MemoryKinds([MemoryKind(IssueMemory.self)])
        var series = Series(remembering: kinds)
        series.add(look([Issue(id: "a", title: "t", users: 3, status: "resolved")], after: .zero), keeping: .hours(1))
        series.add(look([Issue(id: "a", title: "t", users: 4, status: "open")], after: .minutes(5)), keeping: .hours(1))
        let json = try JSON(parsing: series.json.bytes)
        let read = try Series(JSONReader(json), kinds)
        #expect(read == series)
        #expect(read.memory(IssueMemory.self)["a"]?.returned == Self.start + .minutes(5))
        guard case .object(var object) = json else { return }
        object["issue_memory"] = nil
        #expect(try Series(JSONReader(.object(object)), kinds).memory(IssueMemory.self) == IssueMemory())
    }

    @Test(arguments: ["{\"issues\":[[]]}", "{\"issues\":[[\"?\",1,2,3,4,5,6,7]]}", "{\"look\":{}}", "{\"began\":7}"])
    func `what is no memory is refused`(text: String) {
        #expect(throws: JSONMismatch.self) { try IssueMemory(JSONReader(try JSON(parsing: text))) }
    }
}

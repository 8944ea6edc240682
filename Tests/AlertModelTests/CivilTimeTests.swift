import AlertModel
import Chance
import Testing

@Suite struct `Civil times` {
    /// A calendar that only knows how to go on by one day, from a Monday: slow, and nothing like what it checks.
    struct PageADay {
        var (year, month, day, weekday) = (1900, 1, 1, 0)

        mutating func tear() {
            weekday = (weekday + 1) % 7
            day += 1
            let isLeap = year % 400 == 0 || (year % 4 == 0 && year % 100 != 0)
            let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
            guard day > lengths[month - 1] else { return }
            (day, month) = (1, month + 1)
            guard month > 12 else { return }
            (month, year) = (1, year + 1)
        }
    }

    @Test func `every day of 400 years has its date, its number and its weekday`() {
        var page = PageADay()
        var number = -25_567  // 1900-01-01
        while page.year < 2300 {
            let civil = CivilTime(day: number, secondOfDay: 0)
            let date = civil.date
            guard date == (page.year, page.month, page.day), civil.weekday.rawValue == page.weekday,
                CivilTime.dayNumber(year: page.year, month: page.month, day: page.day) == number
            else {
                Issue.record("day \(number) is \(page), not \(date), \(civil.weekday)")
                return
            }
            page.tear()
            number += 1
        }
        #expect(number == -25_567 + 146_097)
    }

    @Test func `a date and a time have their digits, zeros before them`() throws {
        let civil = try #require(CivilTime(year: 987, month: 3, day: 4, hour: 5, minute: 6, second: 7))
        #expect(civil.dateText == "0987-03-04")
        #expect(civil.clockText == "05:06")
    }

    @Test(arguments: SeededRandom.seeds)
    func `a wall time leads to its moment and back, whatever the offset`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<2000 {
            let offset = Int.random(in: -93_599...93_599, using: &random)
            let civil = CivilTime(
                day: Int.random(in: -719_000...2_930_000, using: &random),
                secondOfDay: Int.random(in: 0..<86_400, using: &random))
            guard CivilTime(civil.moment(offset: offset), offset: offset) == civil else {
                Issue.record("\(civil) at offset \(offset) (seed \(seed))")
                return
            }
        }
    }

    @Test(arguments: [
        (0, 0, 0, 0), (0, 86_399, 0, 86_399), (0, 86_400, 1, 0), (0, -1, -1, 86_399), (0, -86_400, -1, 0),
        (0, -86_401, -2, 86_399), (3, 200_000, 5, 27_200),
    ])
    func `seconds beyond the day are carried`(day: Int, second: Int, carriedDay: Int, carriedSecond: Int) {
        let civil = CivilTime(day: day, secondOfDay: second)
        #expect((civil.day, civil.secondOfDay) == (carriedDay, carriedSecond))
    }

    @Test func `a wall time has hour, minute and second`() throws {
        let civil = try #require(CivilTime(year: 2026, month: 11, day: 20, hour: 22, minute: 5, second: 9))
        #expect((civil.hour, civil.minute, civil.second) == (22, 5, 9))
        #expect(civil.moment() == Moment(rfc3339: "2026-11-20T22:05:09Z"))
        #expect(civil.moment(offset: 3600) == Moment(rfc3339: "2026-11-20T22:05:09+01:00"))
    }

    @Test(arguments: [
        (2026, 2, 29, 0, 0, 0), (2100, 2, 29, 0, 0, 0), (2026, 4, 31, 0, 0, 0), (2026, 13, 1, 0, 0, 0),
        (2026, 0, 1, 0, 0, 0), (2026, 1, 0, 0, 0, 0), (0, 1, 1, 0, 0, 0), (10_000, 1, 1, 0, 0, 0),
        (2026, 1, 1, 24, 0, 0),
        (2026, 1, 1, -1, 0, 0), (2026, 1, 1, 0, 60, 0), (2026, 1, 1, 0, 0, 60),
    ])
    func `what no calendar shows is refused`(year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int) {
        #expect(
            CivilTime(year: year, month: month, day: day, hour: hour, minute: minute, second: second) == nil)
    }

    @Test func `the days of the week go round`() {
        #expect(
            Weekday.allCases.map(\.next) == [.tuesday, .wednesday, .thursday, .friday, .saturday, .sunday, .monday])
        #expect(Weekday.allCases.map(\.shortName) == ["mon", "tue", "wed", "thu", "fri", "sat", "sun"])
    }
}

import Glibc
import PluginKit
import Testing

@testable import ThresholdDetector

/// `binomial_table.txt`, as `make_binomial_table.py` describes it: the words of the lines of one kind.
enum BinomialTable {
    static func rows(_ kind: String) -> [[Double]] {
        text.split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ")
            return words.first.map(String.init) == kind ? words.dropFirst().compactMap { Double($0) } : nil
        }
    }

    /// The file in TestData; empty when it is not there.
    private static let text: String = {
        let folder = #filePath.split(separator: "/").dropLast(2).joined(separator: "/")
        guard let file = fopen("/\(folder)/TestData/binomial_table.txt", "r") else { return "" }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }()
}

@Suite struct `The bound over all checks of a day` {
    /// Logarithms of the gamma function of a million carry the grain of fourteen million: nine digits are left of
    /// sixteen.
    static let precision = 1e-7

    private func isNear(_ value: Double, _ expected: Double, _ precision: Double = precision) -> Bool {
        abs(value - expected) <= abs(expected) * precision
    }

    @Test func `densities and tails are those of the table, up to a million cases`() throws {
        let rows = BinomialTable.rows("tail")
        #expect(rows.count > 300)
        for row in rows {
            let found = Binomial.upper(row[2], of: row[0], rate: row[1])
            guard isNear(found.density, row[3]), isNear(found.tail, row[4]) else {
                Issue.record("\(row): found \(found)")
                return
            }
        }
    }

    @Test func `for one look the least rate is Clopper and Pearson's`() throws {
        let rows = BinomialTable.rows("least")
        #expect(rows.count == 24)
        for row in rows {
            let bound = DayBound(bad: row[1], total: row[0], span: .days(1), checksPerDay: 1)
            let rate = bound.leastRate(chance: row[2])
            // Where the tail hardly falls any more, the rate feels the grain of the density.
            #expect(isNear(rate, row[3], 1e-6), "\(row): found \(rate)")
        }
    }

    @Test func `the lesser of both sums bounds the day`() throws {
        let rows = BinomialTable.rows("day")
        #expect(rows.count == 45)
        for row in rows {
            let bound = DayBound(bad: row[2], total: row[0], span: .seconds(Int64(row[3])), checksPerDay: row[4])
            let chance = bound.chanceOfSuchADay(atRate: row[1])
            #expect(isNear(chance, row[5]), "\(row): found \(chance)")
        }
    }

    @Test func `the bound lies where the chance is what was asked for`() {
        for (bad, total) in [(3.0, 60.0), (31, 1840), (700, 100_000)] {
            let bound = DayBound(bad: bad, total: total, span: .hours(1), checksPerDay: 1440)
            let rate = bound.leastRate(chance: 0.05)
            #expect(isNear(bound.chanceOfSuchADay(atRate: rate), 0.05, 1e-6))
            #expect(rate < bad / total)
            #expect(bound.isExceeded(atRate: rate * 0.999, chance: 0.05))
            #expect(!bound.isExceeded(atRate: rate * 1.001, chance: 0.05))
        }
    }

    @Test func `more bad cases, fewer looks and longer spans make it surer`() {
        func chance(_ bad: Double, span: Duration = .hours(1), looks: Double = 1440) -> Double {
            DayBound(bad: bad, total: 2000, span: span, checksPerDay: looks).chanceOfSuchADay(atRate: 0.005)
        }
        #expect(chance(30) < chance(25))
        #expect(chance(25, looks: 24) < chance(25))
        #expect(chance(25, span: .hours(6)) < chance(25))
        // However often the bot looks, the count rises only so often.
        #expect(chance(25, looks: 1e9) == chance(25, looks: 1e6))
    }

    @Test(
        arguments: [
            // Nothing bad, nothing there, or no worse than the limit: no surprise.
            (0, 100, 0.01, 1), (0, 0, 0.01, 1), (1, 100, 0.01, 1), (5, 100, 0.5, 1), (100, 100, 1, 1),
            // At a limit that allows nothing, anything is one.
            (1, 100, 0, 0),
        ] as [(Double, Double, Double, Double)])
    func `ends are ends`(bad: Double, total: Double, rate: Double, chance: Double) {
        let bound = DayBound(bad: bad, total: total, span: .hours(1), checksPerDay: 1440)
        #expect(bound.chanceOfSuchADay(atRate: rate) == chance)
    }

    @Test func `without bad cases the rate may be nothing`() {
        #expect(DayBound(bad: 0, total: 100, span: .hours(1), checksPerDay: 1440).leastRate(chance: 0.05) == 0)
        #expect(DayBound(bad: 0, total: 0, span: .hours(1), checksPerDay: 1440).leastRate(chance: 0.05) == 0)
    }

    @Test func `all bad of very many is a number, not a fault`() {
        let bound = DayBound(bad: 1e9, total: 1e9, span: .zero, checksPerDay: 0)
        #expect((0.999...1).contains(bound.leastRate(chance: 0.05)))
    }
}

// What was learned as JSON, for snapshots. Reading takes back exactly what was written, and refuses what could not have
// been.

extension History.Need {
    public var json: JSON { ["metric": .string(metric), "by": JSON(by)] }

    public init(_ reader: JSONReader) throws(JSONMismatch) {
        self.init(
            metric: try reader.member("metric").string(), by: try reader.member("by").number(in: 1e-9...1))
    }
}

extension History {
    public var json: JSON {
        [
            "need": need.json, "grain": .int(grain), "odd": [JSON(shorter), .int(shorterSince), JSON(behind)],
            "recent": .array(recent.map(\.json)),
            "hours": .array(hours.map { [.int($0.hour), JSON($0.bad), JSON($0.total)] }),
            "mark": mark.json, "score": score.json, "baseline": baseline.json,
        ]
    }

    public init(_ reader: JSONReader) throws(JSONMismatch) {
        self.init(try Need(reader.member("need")))
        grain = try reader.member("grain").whole(in: 0...3_600_000)
        let parts = try reader.member("odd").elements(exactly: 3)
        shorter = Int(try parts[0].whole(in: 0...Int64(History.shorterEnough)))
        shorterSince = try parts[1].whole(in: JSONReader.instants)
        behind = Int(try parts[2].whole(in: 0...Int64(History.behindEnough)))
        recent = try reader.member("recent").elements(most: History.recentMax + 1).list(Bucket.init)
        for (left, right) in zip(recent, recent.dropFirst()) where left.to > right.from {
            throw try reader.member("recent").mismatch(expected: "spans in order that do not overlap")
        }
        hours = try reader.member("hours").elements(most: 64).list(Hour.init)
        mark = try DropScore(reader.member("mark"))
        score = try DropScore(reader.member("score"))
        baseline = try Baseline(reader.member("baseline"))
    }
}

extension History.Bucket {
    fileprivate var json: JSON { [.int(from), .int(to), JSON(bad), JSON(total), .int(seen)] }

    fileprivate init(_ reader: JSONReader) throws(JSONMismatch) {
        let parts = try reader.elements(exactly: 5)
        self.init(
            from: try parts[0].whole(in: JSONReader.instants), to: try parts[1].whole(in: JSONReader.instants),
            bad: try parts[2].number(in: 0...1e18), total: try parts[3].number(in: 0...1e18),
            seen: try parts[4].whole(in: JSONReader.instants))
        guard from < to, bad <= total else { throw reader.mismatch(expected: "a span and its counts") }
    }
}

extension History.Hour {
    fileprivate init(_ reader: JSONReader) throws(JSONMismatch) {
        let parts = try reader.elements(exactly: 3)
        self.init(
            hour: try parts[0].whole(in: JSONReader.hours), bad: try parts[1].number(in: 0...1e18),
            total: try parts[2].number(in: 0...1e18))
    }
}

extension DropScore {
    fileprivate var json: JSON {
        var object = JSONObject()
        object.append("days", .array((0..<8).map { JSON(days[$0]) }))
        object.append("moments", .array((0..<8).map { JSON(moments[$0]) }))
        object.append("until", .int(until))
        object.set("suspicion", suspicion.map { [JSON($0.since), JSON($0.depth), JSON($0.calm), JSON($0.lasted)] })
        object.append("excluded", .array(excluded.map { [.int($0.lowerBound), .int($0.upperBound)] }))
        return .object(object)
    }

    fileprivate init(_ reader: JSONReader) throws(JSONMismatch) {
        days = try reader.member("days").depths(upTo: 1e6)
        moments = try reader.member("moments").depths(upTo: 1e13)
        until = try reader.member("until").whole(in: JSONReader.instants)
        if let written = try reader.optional("suspicion") {
            let parts = try written.elements(exactly: 4)
            suspicion = Suspicion(
                since: try parts[0].number(in: -1e6...1e7), depth: Int(try parts[1].whole(in: 0...7)),
                calm: try parts[2].number(in: 0...1e6), lasted: try parts[3].number(in: 0...1e6))
        }
        for written in try reader.member("excluded").elements(most: 64) {
            let parts = try written.elements(exactly: 2)
            let (first, last) = (try parts[0].whole(in: JSONReader.hours), try parts[1].whole(in: JSONReader.hours))
            guard first <= last else { throw written.mismatch(expected: "two hours in order") }
            excluded.append(first...last)
        }
    }
}

extension Baseline {
    fileprivate var json: JSON {
        [
            "level": JSON(level), "variance": JSON(variance), "hours": JSON(hoursLearned), "until": .int(learnedUntil),
            "mean": mean.json, "noise": noise.json,
            "day": .array(day.map(\.json)), "week": .array(week.map(\.json)),
        ]
    }

    fileprivate init(_ reader: JSONReader) throws(JSONMismatch) {
        level = try reader.member("level").number(in: -100...100)
        variance = try reader.member("variance").number(in: 0...100)
        hoursLearned = Int(try reader.member("hours").whole(in: 0...100_000_000))
        learnedUntil = try reader.member("until").whole(in: JSONReader.hours)
        mean = try Sums(reader.member("mean"))
        noise = try Sums(reader.member("noise"))
        day = try reader.member("day").elements(exactly: 24).list(Sums.init)
        week = try reader.member("week").elements(exactly: 168).list(Sums.init)
    }
}

extension Baseline.Sums {
    fileprivate var json: JSON { [JSON(bad), JSON(expected)] }

    fileprivate init(_ reader: JSONReader) throws(JSONMismatch) {
        let parts = try reader.elements(exactly: 2)
        // What varies less than chance would have it makes a negative sum of squares.
        self.init(bad: try parts[0].number(in: -1e30...1e30), expected: try parts[1].number(in: 0...1e30))
    }
}

extension JSONReader {
    /// Milliseconds since 1970 that a `Moment` can hold.
    fileprivate static let instants = Moment.earliest.milliseconds...Moment.latest.milliseconds
    /// Whole hours since 1970, with room before and behind them.
    fileprivate static let hours: ClosedRange<Int64> = -100_000_000...100_000_000

    fileprivate func number(in range: ClosedRange<Double>) throws(JSONMismatch) -> Double {
        let number = try number()
        guard range.contains(number) else {
            throw mismatch(expected: "a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    fileprivate func whole(in range: ClosedRange<Int64>) throws(JSONMismatch) -> Int64 {
        let number = Int64(try int())
        guard range.contains(number) else {
            throw mismatch(expected: "a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    fileprivate func elements(exactly count: Int) throws(JSONMismatch) -> [JSONReader] {
        let elements = try elements()
        guard elements.count == count else { throw mismatch(expected: "\(count) elements") }
        return elements
    }

    fileprivate func elements(most count: Int) throws(JSONMismatch) -> [JSONReader] {
        let elements = try elements()
        guard elements.count <= count else { throw mismatch(expected: "at most \(count) elements") }
        return elements
    }

    fileprivate func depths(upTo most: Double) throws(JSONMismatch) -> DropScore.Depths {
        var result = DropScore.Depths.zero
        for (index, element) in try elements(exactly: 8).enumerated() {
            result[index] = try element.number(in: -most...most)
        }
        return result
    }
}

extension [JSONReader] {
    fileprivate func list<Value>(
        _ make: (JSONReader) throws(JSONMismatch) -> Value
    ) throws(JSONMismatch) -> [Value] {
        var values: [Value] = []
        values.reserveCapacity(count)
        for element in self { values.append(try make(element)) }
        return values
    }
}

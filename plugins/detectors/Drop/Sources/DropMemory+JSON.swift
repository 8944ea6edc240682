public import PluginKit

// What was learned as JSON, for snapshots. Reading takes back exactly what was written, and refuses what could not have
// been.
//
// What has no `version` is of the first, which learned one number of noise in another way: that begins anew, and all
// else goes on.

extension DropMemory.Need: JSONWritable, JSONReadable {
    public func put(into json: inout JSONWriter) {
        json.object { json in
            json.member("metric", metric)
            json.member("by", by)
            json.member("summertime", ifAny: summertime?.text)
        }
    }

    public init(_ reader: JSONReader) throws(JSONMismatch) {
        var summertime: Summertime?
        // Earlier programs went by hours of UTC.
        if let written = try reader.optional("summertime") {
            summertime = Summertime(try written.string())
            guard summertime != nil else { throw written.mismatch(expected: "clocks that change, as in a TZ string") }
        }
        self.init(
            metric: try reader.member("metric").string(), by: try reader.member("by").number(in: 1e-9...1),
            summertime: summertime)
    }
}

extension DropMemory {
    public func put(into json: inout JSONWriter) {
        json.object { json in
            json.member("version", DropMemory.version)
            json.member("need", need)
            json.member("grain", grain.length)
            json.member("loops", loops)
            json.array("odd") { json in
                json.put(Int64(grain.shorter))
                json.put(grain.shorterSince)
                json.put(Int64(behind))
            }
            if let stayed { json.member("stayed", stayed) }
            json.member("recent", recent)
            json.array("hours", hours) { json, hour in
                json.array { json in
                    json.put(hour.hour)
                    hour.bad.put(into: &json)
                    hour.total.put(into: &json)
                }
            }
            json.member("mark", mark)
            json.member("score", score)
            json.member("baseline", baseline)
        }
    }

    private static let version: Int64 = 2

    public init(_ reader: JSONReader) throws(JSONMismatch) {
        self.init(try Need(reader.member("need")))
        let version = try reader.optional("version")?.whole(in: 2...DropMemory.version) ?? 1
        if version > 1 {
            loops = try LoopSize(reader.member("loops"))
            guard loops.sessions >= 0, loops.users > 0 else { throw reader.mismatch(expected: "crashes of some users") }
        }
        let length = try reader.member("grain").whole(in: 0...Grain.lengthMax)
        let parts = try reader.member("odd").elements(exactly: 3)
        grain = Grain(
            length: length, shorter: Int(try parts[0].whole(in: 0...Int64(Grain.shorterEnough))),
            shorterSince: try parts[1].whole(in: JSONReader.instants))
        behind = Int(try parts[2].whole(in: 0...Int64(DropMemory.behindEnough)))
        if let written = try reader.optional("stayed") { stayed = try written.whole(in: JSONReader.instants) }
        // Six hours of seconds: earlier programs let any number of late ones in.
        recent = try reader.member("recent").elements(most: 21_600).list(Bucket.init)
        for (left, right) in zip(recent, recent.dropFirst()) where left.to > right.from {
            throw try reader.member("recent").mismatch(expected: "spans in order that do not overlap")
        }
        hours = try reader.member("hours").elements(most: 64).list(Hour.init)
        mark = try DropScore(reader.member("mark"))
        score = try DropScore(reader.member("score"))
        baseline = try Baseline(reader.member("baseline"), version, need.summertime)
    }
}

extension DropMemory.Bucket: JSONPuttable {
    func put(into json: inout JSONWriter) {
        json.array { json in
            json.put(from)
            json.put(to)
            bad.put(into: &json)
            total.put(into: &json)
            json.put(seen)
            if counted != bad { counted.put(into: &json) }
        }
    }

    fileprivate init(_ reader: JSONReader) throws(JSONMismatch) {
        let parts = try reader.elements()
        guard parts.count == 5 || parts.count == 6 else { throw reader.mismatch(expected: "5 or 6 elements") }
        self.init(
            from: try parts[0].whole(in: JSONReader.instants), to: try parts[1].whole(in: JSONReader.instants),
            bad: try parts[2].number(in: 0...1e18), total: try parts[3].number(in: 0...1e18),
            seen: try parts[4].whole(in: JSONReader.instants),
            counted: parts.count == 6 ? try parts[5].number(in: 0...1e18) : nil)
        guard from < to, counted <= bad, bad <= total else { throw reader.mismatch(expected: "a span and its counts") }
    }
}

extension LoopSize: JSONPuttable {
    func put(into json: inout JSONWriter) { [sessions, users].put(into: &json) }

    fileprivate init(_ reader: JSONReader) throws(JSONMismatch) {
        let parts = try reader.elements(exactly: 2)
        self.init(sessions: try parts[0].number(in: -1e30...1e30), users: try parts[1].number(in: 0...1e30))
    }
}

extension DropMemory.Hour {
    fileprivate init(_ reader: JSONReader) throws(JSONMismatch) {
        let parts = try reader.elements(exactly: 3)
        self.init(
            hour: try parts[0].whole(in: JSONReader.hours), bad: try parts[1].number(in: 0...1e18),
            total: try parts[2].number(in: 0...1e18))
    }
}

extension DropScore: JSONPuttable {
    func put(into json: inout JSONWriter) {
        json.object { json in
            json.array("days") { json in for depth in 0..<8 { days[depth].put(into: &json) } }
            json.array("moments") { json in for depth in 0..<8 { moments[depth].put(into: &json) } }
            json.member("until", until)
            if loop > 0 { json.member("loop", loop) }
            if let suspicion {
                json.array("suspicion") { json in
                    suspicion.since.put(into: &json)
                    suspicion.depth.put(into: &json)
                    suspicion.calm.put(into: &json)
                    suspicion.lasted.put(into: &json)
                    suspicion.peak.put(into: &json)
                    suspicion.fall.bad.put(into: &json)
                    suspicion.fall.total.put(into: &json)
                    suspicion.pending.bad.put(into: &json)
                    suspicion.pending.total.put(into: &json)
                    suspicion.over.days.put(into: &json)
                    suspicion.over.plainDays.put(into: &json)
                }
            }
            json.array("excluded", excluded) { json, hours in [hours.lowerBound, hours.upperBound].put(into: &json) }
        }
    }

    fileprivate init(_ reader: JSONReader) throws(JSONMismatch) {
        days = try reader.member("days").depths(upTo: 1e6)
        moments = try reader.member("moments").depths(upTo: 1e13)
        until = try reader.member("until").whole(in: JSONReader.instants)
        if let written = try reader.optional("loop") { loop = try written.number(in: 0...1) }
        if let written = try reader.optional("suspicion") {
            let parts = try written.elements()
            guard [4, 5, 11].contains(parts.count) else { throw written.mismatch(expected: "4, 5 or 11 elements") }
            var suspicion = Suspicion(
                since: try parts[0].number(in: -1e6...1e7), depth: Int(try parts[1].whole(in: 0...7)),
                calm: try parts[2].number(in: 0...1e6), lasted: try parts[3].number(in: 0...1e6),
                // The first version did not keep it, and learned from nothing that it had suspected.
                peak: parts.count >= 5 ? try parts[4].number(in: 0...1e13) : 1e6)
            // Earlier programs kept neither how deep it is nor this evidence of its end: both begin now.
            if parts.count == 11 {
                suspicion.fall = Excess(
                    bad: try parts[5].number(in: -1e18...1e18), total: try parts[6].number(in: 0...1e18))
                suspicion.pending = Excess(
                    bad: try parts[7].number(in: -1e18...1e18), total: try parts[8].number(in: 0...1e18))
                suspicion.over = Over(
                    days: try parts[9].number(in: 0...1e6), plainDays: try parts[10].number(in: 0...1e6))
            }
            self.suspicion = suspicion
        }
        for written in try reader.member("excluded").elements(most: 64) {
            let parts = try written.elements(exactly: 2)
            let (first, last) = (try parts[0].whole(in: JSONReader.hours), try parts[1].whole(in: JSONReader.hours))
            guard first <= last else { throw written.mismatch(expected: "two hours in order") }
            excluded.append(first...last)
        }
    }
}

extension Baseline: JSONPuttable {
    func put(into json: inout JSONWriter) {
        json.object { json in
            json.member("level", level)
            json.member("variance", variance)
            json.member("hours", hoursLearned)
            json.member("until", learnedUntil)
            json.member("mean", mean)
            json.member("noise", noise)
            json.member("day", day)
            json.member("week", week)
            if rhythm != Rhythm() { json.member("rhythm", rhythm) }
        }
    }

    fileprivate init(_ reader: JSONReader, _ version: Int64, _ summertime: Summertime?) throws(JSONMismatch) {
        self.init(summertime)
        level = try reader.member("level").number(in: -100...100)
        variance = try reader.member("variance").number(in: 0...100)
        hoursLearned = Int(try reader.member("hours").whole(in: 0...100_000_000))
        learnedUntil = try reader.member("until").whole(in: JSONReader.hours)
        mean = try Sums(reader.member("mean"))
        if version > 1 { noise = try Noise(reader.member("noise")) }
        day = try reader.member("day").elements(exactly: 24).list(Sums.init)
        week = try reader.member("week").elements(exactly: 168).list(Sums.init)
        // Earlier programs knew none, and most apps have none.
        if let written = try reader.optional("rhythm") { rhythm = try Rhythm(written) }
    }
}

extension Rhythm: JSONPuttable {
    func put(into json: inout JSONWriter) {
        json.object { json in
            json.member("running", running)
            json.array("missed", missed) { json, missed in
                json.array { json in
                    json.put(missed.hour)
                    missed.counts.bad.put(into: &json)
                    missed.counts.expected.put(into: &json)
                }
            }
            json.array("stretches", stretches) { json, stretch in
                json.array { json in
                    stretch.first.put(into: &json)
                    stretch.length.put(into: &json)
                    stretch.sums.put(into: &json)
                    stretch.newest.put(into: &json)
                    stretch.newestHours.put(into: &json)
                }
            }
        }
    }

    fileprivate init(_ reader: JSONReader) throws(JSONMismatch) {
        running = Int(try reader.member("running").whole(in: 0...Int64(Rhythm.worseMax + 1)))
        missed = try reader.member("missed").elements(most: Rhythm.missedMax).list(Missed.init)
        for (left, right) in zip(missed, missed.dropFirst()) where left.hour >= right.hour {
            throw try reader.member("missed").mismatch(expected: "hours in order")
        }
        stretches = try reader.member("stretches").elements(most: Rhythm.stretchesMax).list(Stretch.init)
    }
}

extension Rhythm.Missed {
    fileprivate init(_ reader: JSONReader) throws(JSONMismatch) {
        let parts = try reader.elements(exactly: 3)
        self.init(
            hour: try parts[0].whole(in: JSONReader.hours),
            counts: Baseline.Sums(bad: try parts[1].number(in: 0...1e18), expected: try parts[2].number(in: 0...1e30)))
    }
}

extension Rhythm.Stretch {
    fileprivate init(_ reader: JSONReader) throws(JSONMismatch) {
        let parts = try reader.elements(exactly: 5)
        self.init(
            first: Int(try parts[0].whole(in: 0...Int64(Rhythm.week - 1))),
            length: Int(try parts[1].whole(in: 1...Int64(Rhythm.worseMax))), sums: try Baseline.Sums(parts[2]),
            newest: try Baseline.Sums(parts[3]), newestHours: Int(try parts[4].whole(in: 0...Int64(Rhythm.week))))
        guard sums.bad >= 0, newest.bad >= 0 else { throw reader.mismatch(expected: "counts") }
    }
}

extension Noise: JSONPuttable {
    func put(into json: inout JSONWriter) {
        json.object { json in
            json.array("sums") { json in
                sums.clumpsClumps.put(into: &json)
                sums.clumpsRate.put(into: &json)
                sums.rateRate.put(into: &json)
                sums.clumps.put(into: &json)
                sums.rate.put(into: &json)
            }
            json.array("shares") { json in
                clumps.put(into: &json)
                rate.put(into: &json)
            }
            if let before { json.member("before", before) }
        }
    }

    fileprivate init(_ reader: JSONReader) throws(JSONMismatch) {
        let parts = try reader.member("sums").elements(exactly: 5)
        // What varies less than chance would have it makes negative sums.
        sums = Sums(
            clumpsClumps: try parts[0].number(in: 0...1e30), clumpsRate: try parts[1].number(in: 0...1e30),
            rateRate: try parts[2].number(in: 0...1e30), clumps: try parts[3].number(in: -1e30...1e30),
            rate: try parts[4].number(in: -1e30...1e30))
        let shares = try reader.member("shares").elements(exactly: 2)
        clumps = try shares[0].number(in: 0...Noise.most)
        rate = try shares[1].number(in: 0...Noise.most)
        before = try reader.optional("before").map { reader throws(JSONMismatch) in try Baseline.Sums(reader) }
    }
}

extension Baseline.Sums: JSONPuttable {
    func put(into json: inout JSONWriter) { [bad, expected].put(into: &json) }

    fileprivate init(_ reader: JSONReader) throws(JSONMismatch) {
        let parts = try reader.elements(exactly: 2)
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

import PluginKit
import PluginTesting
import Testing

/// A memory that makes the mistake it is asked for.
private struct Sloppy: AskedMemory {
    static let name = "sloppy"

    enum Mistake: String, CaseIterable, Sendable, JSONWritable, JSONReadable {
        case none, forgetful, refusing, random, growing, elsewhere, needless

        init(_ reader: JSONReader) throws(JSONMismatch) {
            let mistake = try Mistake(rawValue: reader.string())
            self = mistake == .needless ? .none : mistake ?? .none
        }

        func put(into json: inout JSONWriter) { json.put(rawValue) }
    }

    private(set) var need: Mistake
    private var sum = 0.0
    private var unwritten = 0
    private var chance = 0
    private var all: [Double] = []

    init(_ need: Mistake) { self.need = need }

    init(_ reader: JSONReader) throws(JSONMismatch) {
        guard let need = Mistake(rawValue: try reader.member("need").string()) else {
            throw reader.mismatch(expected: "a mistake")
        }
        self.need = need == .elsewhere ? .none : need
        sum = try reader.member("sum").number()
        chance = try reader.member("chance").int()
        for value in try reader.member("all").elements() { all.append(try value.number()) }
        if need == .refusing, sum > 0 { throw reader.mismatch(expected: "nothing") }
    }

    mutating func add(_ observation: Observation) {
        sum += observation.metrics[.users] ?? 0
        if need == .forgetful { unwritten += 1 }
        if need == .random { chance = .random(in: 0...1_000_000) }
        if need == .growing { all.append(contentsOf: Array(repeating: sum, count: 1000)) }
    }

    func put(into json: inout JSONWriter) {
        json.object { json in
            json.member("need", need.rawValue)
            json.member("sum", sum)
            json.member("chance", chance)
            json.member("all", all)
        }
    }
}

/// A memory whose name the journal could not write as it is.
private struct Misnamed: StandingMemory {
    static let name = "mis-named"
    init() {}
    init(_ reader: JSONReader) throws(JSONMismatch) {}
    mutating func add(_ observation: Observation) {}
    func put(into json: inout JSONWriter) { json.object { _ in } }
}

@Suite struct `Conformance of memories` {
    private static let observations = (0..<50).map { hour in
        let end = Moment(milliseconds: 1_795_176_000_000) + .hours(Int64(hour))
        return Observation(
            subject: Subject(source: "ios", app: "shop"), span: TimeSpan(lasting: .hours(1), until: end), seen: end,
            metrics: ["users": 5])
    }

    @Test(
        arguments: [
            (.none, nil), (.forgetful, "after 1 observations a snapshot gives it back as another"),
            (.refusing, "after 1 observations it does not read what it wrote: $: expected nothing, found an object"),
            (.random, "after 1 observations a snapshot gives it back as another"),
            (.growing, "more than 262144"), (.elsewhere, "after 0 observations a snapshot gives it back as another"),
            (.needless, "after 0 observations its need is not read as it was written"),
        ] as [(Sloppy.Mistake, String?)])
    fileprivate func `each mistake is named`(mistake: Sloppy.Mistake, sentence: String?) {
        let violations = MemoryConformance(Sloppy.self, mistake, fedWith: Self.observations).violations()
        guard let sentence else {
            #expect(violations == [])
            return
        }
        #expect(violations.first?.hasSuffix(sentence) == true, "\(violations)")
    }

    @Test func `a name that is none is reported`() {
        #expect(
            MemoryConformance(Misnamed.self, fedWith: Self.observations).violations()
                == ["its name 'mis-named' is not of letters, digits and underscores"])
    }
}

import Chance
import Testing

@testable import AlertModel

@Suite struct `One form, as text and as a tree` {
    private func text(_ value: some JSONWritable) -> String {
        var bytes = Array("before".utf8)
        value.write(to: &bytes)
        return String(decoding: bytes.dropFirst(6), as: UTF8.self)
    }

    @Test(arguments: SeededRandom.seeds)
    func `what is written straight to bytes is the text of the tree`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        for _ in 0..<60 {
            let observation = random.observation()
            let line = RecordedLine(.observed(observation), asked: random.moment(), arrived: random.moment())
            let values: [any JSONWritable] = [
                random.incident(), random.historyEntry(), random.series(), random.hold(), random.standing(), line,
                ObservationLine.empty(
                    EmptyPoll(source: random.word(), .stale(measured: random.moment()), seen: random.moment())),
                Telling(number: 3, at: random.moment(), apps: random.list(upTo: 3) { $0.word() }),
            ]
            for value in values {
                #expect(text(value) == value.json.text, "seed \(seed)")
                #expect(try JSON(parsing: text(value)) == value.json, "seed \(seed)")
            }
        }
    }

    struct Sample: JSONWritable {
        var expected: String
        var content: @Sendable (inout JSONWriter) -> Void

        init(_ expected: String = "", _ content: @escaping @Sendable (inout JSONWriter) -> Void) {
            self.expected = expected
            self.content = content
        }

        func put(into json: inout JSONWriter) { content(&json) }

        static let parts = [
            Sample("{}") { $0.object { _ in } },
            Sample("[]") { $0.array { _ in } },
            Sample(#"{"a":[1,2]}"#) { json in json.object { $0.array("a", [1, 2]) { $1.put(into: &$0) } } },
            Sample("[[],[1],[]]") { [[Int]]([[], [1], []]).put(into: &$0) },
            Sample(#"[{"a":true},{"b":{},"c":null,"e":""},"x"]"#) { json in
                json.array { json in
                    json.object { $0.member("a", true) }
                    json.object { json in
                        json.object("b") { _ in }
                        json.member("c", String?.none)
                        json.member("d", ifAny: String?.none)
                        json.member("e", ifAny: "")
                    }
                    json.put("x")
                }
            },
            Sample(#"{"":1,"\"\n":2}"#) { ["": 1, "\"\n": 2].put(into: &$0) },
            Sample(#"{"a":{},"b":{"z":1}}"#) { ["b": ["z": 1], "a": [:]].put(into: &$0) },
            Sample(#"{"tree":[1.5,null]}"#) { $0.put(["tree": [1.5, .null]] as JSON) },
            Sample(#"["é\u2028\u001f"]"#) { ["é\u{2028}\u{1F}"].put(into: &$0) },
        ]
    }

    @Test(arguments: Sample.parts)
    func `parts come with their commas and marks`(sample: Sample) {
        #expect(text(sample) == sample.expected)
        #expect(sample.json.text == sample.expected)
    }

    @Test(
        arguments: [
            (0, "0"), (-0.0, "0"), (7, "7"), (-1, "-1"), (8_999_999_999_999_999, "8999999999999999"),
            (9e15, "9000000000000000.0"),
            (0.1, "0.1"), (-2.5e-7, "-2.5e-07"), (.infinity, "null"), (.nan, "null"),
        ] as [(Double, String)])
    func `a figure is whole where it can be`(value: Double, expected: String) {
        let sample = Sample { value.put(into: &$0) }
        #expect(text(sample) == expected)
        #expect(sample.json.text == expected)
    }

    @Test(arguments: [0, 9, 10, 99, 100, -1, -10, 1_234_567_890, .max, .max - 1, .min, .min + 1] as [Int64])
    func `whole numbers have all their digits`(value: Int64) {
        #expect(text(Sample { $0.put(value) }) == String(value))
    }

    @Test(arguments: SeededRandom.seeds)
    func `whole numbers of any length are written as Swift writes them`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<500 {
            let value = Int64(bitPattern: random.next()) >> Int64.random(in: 0..<63, using: &random)
            #expect(text(Sample { $0.put(value) }) == String(value), "seed \(seed)")
        }
    }

    @Test(arguments: [
        Moment.earliest, .latest, Moment(milliseconds: 0), Moment(milliseconds: -1),
        Moment(milliseconds: 1_795_223_045_007),
    ])
    func `a moment is written as it describes itself`(moment: Moment) {
        #expect(text(Sample { $0.put(moment) }) == "\"\(moment.description)\"")
        #expect(Sample { $0.put(moment) }.json == .string(moment.description))
    }
}

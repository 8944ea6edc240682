// FuzzTargets is where bytes from outside enter, as a fuzzer wants it: what reads them, what must be true of the outcome
// whatever they are, and some to begin with. `scripts/fuzz` leads it with the coverage of the program, the tests with chance
// alone; what either finds becomes a test of the module that it is about.

/// A place where bytes from outside are read.
public struct FuzzTarget: Sendable {
    public let name: String
    /// What reads well, or nearly: a fuzzer begins with it.
    public let seeds: [String]
    /// Words that chance would take long to find.
    public let words: [String]
    /// Reads the bytes, and says what is wrong with what came of it; nil when nothing is. A trap says it by itself.
    public let flaw: @Sendable ([UInt8]) -> String?

    init(
        _ name: String, seeds: [String], words: [String], flaw: @escaping @Sendable ([UInt8]) -> String?
    ) {
        self.name = name
        self.seeds = seeds
        self.words = words
        self.flaw = flaw
    }

    public static let all: [FuzzTarget] = [.json, .jsonPath, .observations, .config, .calendar, .journal, .http]

    /// The words as libFuzzer reads them: a quoted one a line.
    public var dictionary: String {
        words.map { word in
            let escaped = word.utf8.map { byte in
                let isPlain = (0x20..<0x7F).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
                let digits = String(byte, radix: 16)
                return isPlain ? String(UnicodeScalar(byte)) : "\\x" + (digits.count < 2 ? "0" : "") + digits
            }
            return "\"\(escaped.joined())\"\n"
        }.joined()
    }
}

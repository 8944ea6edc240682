/// A regular expression as RFC 9485 (I-Regexp) defines it.
///
/// It is tried on a text by following every way through it at once, so the time it takes grows with the length of the
/// text times that of the pattern, whatever they hold: there is nothing to go back to. Unescaped `^` and `$` are the
/// ends of the text, as the public cases for JSONPath have it.
struct Pattern: Hashable, Sendable {
    enum Instruction: Hashable, Sendable {
        case one(CharacterSet)
        /// Both ways.
        case fork(Int, Int)
        case jump(Int)
        case start
        case end
        case accept
    }

    let instructions: [Instruction]

    init(_ text: String) throws(PatternError) {
        var parser = PatternParser(text)
        let tree = try parser.pattern()
        var program = Program()
        try program.add(tree)
        instructions = program.instructions + [.accept]
    }
}

/// Why a text is no pattern.
struct PatternError: Error, Hashable, CustomStringConvertible {
    /// In characters of the pattern, from 1.
    let column: Int
    let problem: String

    var description: String { column > 1 ? "at its character \(column): \(problem)" : problem }
}

/// A pattern as it was written.
indirect enum PatternTree: Hashable {
    case sequence([PatternTree])
    case choice([PatternTree])
    case one(CharacterSet)
    case start
    case end
    /// `most` is nil for as often as there are.
    case repeated(PatternTree, least: Int, most: Int?)
}

/// Which characters fit.
struct CharacterSet: Hashable, Sendable {
    enum Part: Hashable {
        case range(ClosedRange<UInt32>)
        /// General categories, one bit each.
        case categories(UInt32, isNegated: Bool)
    }

    var parts: [Part]
    var isNegated = false

    static func only(_ scalar: Unicode.Scalar) -> CharacterSet {
        CharacterSet(parts: [.range(scalar.value...scalar.value)])
    }

    /// What a dot stands for: all but the ends of lines.
    static let dot = CharacterSet(parts: [.range(0x0A...0x0A), .range(0x0D...0x0D)], isNegated: true)

    func contains(_ scalar: Unicode.Scalar) -> Bool {
        let isNamed = parts.contains { part in
            switch part {
            case .range(let range): range.contains(scalar.value)
            case .categories(let mask, let isNegated):
                (mask & 1 << scalar.properties.generalCategory.bit != 0) != isNegated
            }
        }
        return isNamed != isNegated
    }
}

/// Instructions being made of a tree.
private struct Program {
    var instructions: [Pattern.Instruction] = []
    private var steps = 0

    /// More than any pattern has that a person wrote; counted repetitions are written out.
    static let instructionsMax = 5000
    /// Of making them: `((){1000}){1000}` has none.
    static let stepsMax = 50_000

    mutating func add(_ tree: PatternTree) throws(PatternError) {
        steps += 1
        guard instructions.count < Program.instructionsMax, steps < Program.stepsMax else {
            throw PatternError(column: 1, problem: "it is too large")
        }
        switch tree {
        case .one(let set): instructions.append(.one(set))
        case .start: instructions.append(.start)
        case .end: instructions.append(.end)
        case .sequence(let parts): for part in parts { try add(part) }
        case .choice(let branches): try add(choiceOf: branches[...])
        case .repeated(let part, let least, let most):
            for _ in 0..<least { try add(part) }
            guard let most else {
                let fork = reserve()
                try add(part)
                instructions.append(.jump(fork))
                instructions[fork] = .fork(fork + 1, instructions.count)
                return
            }
            var forks: [Int] = []
            for _ in least..<most {
                forks.append(reserve())
                try add(part)
            }
            for fork in forks { instructions[fork] = .fork(fork + 1, instructions.count) }
        }
    }

    private mutating func add(choiceOf branches: ArraySlice<PatternTree>) throws(PatternError) {
        var ends: [Int] = []
        for branch in branches.dropLast() {
            let fork = reserve()
            try add(branch)
            ends.append(reserve())
            instructions[fork] = .fork(fork + 1, instructions.count)
        }
        if let last = branches.last { try add(last) }
        for end in ends { instructions[end] = .jump(instructions.count) }
    }

    /// Room for an instruction that is known later.
    private mutating func reserve() -> Int {
        instructions.append(.accept)
        return instructions.count - 1
    }
}

extension Pattern {
    /// Whether the text, or any part of it, fits; nil when that takes more than `steps` steps, which are used up.
    func fits(_ text: String, isWhole: Bool, steps: inout Int) -> Bool? {
        var run = Run(instructions, steps: steps)
        defer { steps = run.steps }
        var isFirst = true
        var rest = text.unicodeScalars.makeIterator()
        var next = rest.next()
        while true {
            // What begins at any place begins anew at each.
            if isFirst || !isWhole { run.enter(0, isFirst: isFirst, isLast: next == nil) }
            if run.isAccepted, !isWhole || next == nil { return true }
            guard run.steps >= 0 else { return nil }
            guard let scalar = next, !run.isOver || !isWhole else { return false }
            next = rest.next()
            run.advance(over: scalar, isLast: next == nil)
            isFirst = false
        }
    }

    /// The places in a pattern at which a text may be.
    private struct Run {
        private let instructions: [Instruction]
        private var places: [Int] = []
        private var before: [Int] = []
        private var open: [Int] = []
        /// In which round each place was reached last, so that none is there twice.
        private var rounds: [Int]
        private var round = 1
        private(set) var isAccepted = false
        private(set) var steps: Int

        init(_ instructions: [Instruction], steps: Int) {
            self.instructions = instructions
            self.steps = steps - instructions.count
            rounds = Array(repeating: 0, count: instructions.count)
        }

        /// Whether no way leads on.
        var isOver: Bool { places.isEmpty }

        mutating func enter(_ place: Int, isFirst: Bool, isLast: Bool) {
            open.append(place)
            while let place = open.popLast(), steps >= 0 {
                steps -= 1
                guard rounds[place] != round else { continue }
                rounds[place] = round
                switch instructions[place] {
                case .one: places.append(place)
                case .fork(let one, let other):
                    open.append(other)
                    open.append(one)
                case .jump(let target): open.append(target)
                case .start: if isFirst { open.append(place + 1) }
                case .end: if isLast { open.append(place + 1) }
                case .accept: isAccepted = true
                }
            }
        }

        mutating func advance(over scalar: Unicode.Scalar, isLast: Bool) {
            swap(&before, &places)
            places.removeAll(keepingCapacity: true)
            isAccepted = false
            round += 1
            for place in before {
                guard case .one(let set) = instructions[place] else { continue }
                steps -= set.parts.count
                guard set.contains(scalar) else { continue }
                enter(place + 1, isFirst: false, isLast: isLast)
            }
        }
    }
}

import AlertModel
import Chance
import Testing

@testable import JSONPath

/// Nil where it takes too many steps.
private func fits(_ pattern: String, _ text: String, isWhole: Bool = true) throws -> Bool? {
    var steps = SelectionBudget.patternStepsMax
    return try Pattern(pattern).fits(text, isWhole: isWhole, steps: &steps)
}

@Suite struct `A pattern` {
    @Test(arguments: [
        ("", "", true), ("", "a", false), ("a", "a", true), ("ab", "ab", true), ("a|b", "b", true), ("a|", "", true),
        ("a|bc", "ac", false), ("(a|b)c", "bc", true), ("a*", "aaaa", true), ("a+", "", false), ("a?b", "b", true),
        ("a{2}", "aa", true), ("a{2}", "aaa", false), ("a{2,}", "aaaaa", true), ("a{1,3}", "aaaa", false),
        ("a{0}", "", true), ("(ab){2}", "abab", true), (".", "é", true), (".", "\n", false), (".", "😀", true),
        ("[a-c]+", "abcabc", true), ("[^a-c]", "d", true), ("[^a-c]", "b", false), ("[-a]", "-", true),
        ("[a-]", "-", true), ("[.*]", "*", true), ("[\\^a]", "^", true), ("\\p{L}+", "añЖ", true),
        ("\\p{Nd}", "٣", true), ("\\P{L}", "1", true), ("[\\p{L}\\p{N}]+", "a1", true), ("[^\\p{L}]", "a", false),
        ("\\.\\*\\(", ".*(", true), ("\\n\\t\\r", "\n\t\r", true), ("(a*)*", "aaa", true), ("(a|a)*b", "aab", true),
        ("^ab$", "ab", true), ("a^b", "ab", false), ("[$]", "$", true), ("(|a)+", "aa", true),
        ("5\\.[0-9]+(\\.[0-9]+)?", "5.12.0", true),
    ])
    func `it describes whole texts`(_ pattern: String, _ text: String, _ expected: Bool) throws {
        #expect(try fits(pattern, text) == expected)
    }

    @Test(arguments: [
        ("b", "abc", true), ("^b", "abc", false), ("^a", "abc", true), ("c$", "abc", true), ("b$", "abc", false),
        ("", "", true), ("x?", "abc", true), ("b.{2}", "abc", false), ("(bc|d)$", "abc", true),
    ])
    func `it is found inside of texts`(_ pattern: String, _ text: String, _ expected: Bool) throws {
        #expect(try fits(pattern, text, isWhole: false) == expected)
    }

    @Test(arguments: [
        ("(", "at its character 2: a '(' is never closed"), (")", "expected the end, found ')'"),
        ("*a", "there is nothing in front of '*' to repeat"),
        ("a**", "at its character 3: there is nothing in front of '*' to repeat"),
        ("a{3,2}", "at its character 7: it repeats 3 times at least and 2 at most"),
        ("a{1001}", "at its character 7: it repeats more than 1000 times"),
        ("[", "at its character 2: a '[' is never closed"), ("[]", "at its character 3: brackets without a character"),
        ("[z-a]", "at its character 5: the range 'z-a' begins after its end"),
        ("[a--]", "at its character 4: '-' must be written '\\-' in brackets"),
        ("\\d", "at its character 2: there is no '\\d'; digits are [0-9]"),
        ("\\p{Xx}", "at its character 7: 'Xx' is not a category of characters; examples are L, Lu, Nd, P, Zs"),
        ("\\", "at its character 2: expected a character after '\\', found the end"),
        ("(?:a)", "at its character 2: there is nothing in front of '?' to repeat"),
        ("((a{1000}){1000}){1000}", "it is too large"), ("((){1000}){1000}", "it is too large"),
    ])
    func `a mistake is reported with its place`(_ pattern: String, _ expected: String) {
        let error = #expect(throws: PatternError.self) { try Pattern(pattern) }
        #expect(error?.description == expected)
    }

    @Test func `nesting is bounded`() {
        let error = #expect(throws: PatternError.self) { try Pattern(String(repeating: "(", count: 100_000)) }
        #expect(error?.problem == "parentheses nest deeper than 50 levels")
    }

    @Test func `the work grows with the text, not with its choices`() throws {
        func steps(_ length: Int) throws -> Int {
            var steps = SelectionBudget.patternStepsMax
            let pattern = try Pattern("(a|a|aa)*(a*)*b")
            #expect(pattern.fits(String(repeating: "a", count: length), isWhole: true, steps: &steps) == false)
            return SelectionBudget.patternStepsMax - steps
        }
        let (some, more) = (try steps(1000), try steps(2000))
        #expect(more < some * 21 / 10)
        var few = 1000
        #expect(
            try Pattern("(a|a|aa)*(a*)*b").fits(String(repeating: "a", count: 1000), isWhole: true, steps: &few) == nil)
    }

    @Test func `texts made of the marks of patterns never trap`() throws {
        var generator = SeededRandom(printedFor: "texts made of the marks of patterns")
        let marks = [
            "a", "b", ".", "*", "+", "?", "{", "}", "1", ",", "(", ")", "|", "[", "]", "^", "-", "\\", "p{L}", "$",
        ]
        for _ in 0..<20_000 {
            let text = (0..<Int.random(in: 0...9, using: &generator)).map { _ in
                marks.randomElement(using: &generator) ?? ""
            }.joined()
            guard let pattern = try? Pattern(text) else { continue }
            var steps = 100_000
            #expect(pattern.fits("abba", isWhole: false, steps: &steps) != nil, "\(text)")
        }
    }
}

import BotConfig
import Testing

@Suite struct `The order of rules` {
    private func things(_ rules: String) throws -> ConfigThings {
        try #require(load("rules: {\(rules)}" + least).config).things
    }

    private let first = "a: {plugin: cap, at_most: 3}"
    private let second = "b: {plugin: cap, at_most: 4}"

    @Test func `is told where it is another one`() throws {
        let old = try things("\(first), \(second)")
        #expect(try things("\(second), \(first)").changes(since: old) == ["rules: order changed"])
        #expect(try things("\(first), \(second)").changes(since: old) == [])
    }

    @Test func `is that of the rules that both have`() throws {
        let third = "c: {plugin: cap, at_most: 5}"
        let old = try things("\(first), \(second)")
        #expect(try things("\(third), \(first), \(second)").changes(since: old) == ["rules: added c"])
        #expect(try things(second).changes(since: old) == ["rules: removed a"])
        #expect(
            try things("\(second), \(third), \(first)").changes(since: old) == ["rules: added c; order changed"])
    }
}

import Testing
import YAMLKit

@Suite struct Bounds {
    @Test func `text is read up to its size limit and not beyond`() {
        let bytesMax = YAML.Limits().bytesMax
        #expect(bytesMax == 8_388_608)
        let fitting = "a: " + String(repeating: "x", count: bytesMax - 3)
        #expect(problems(fitting) == [])
        #expect(
            render(fitting + "x") == ["nothing", "1:1 the text has 8388609 bytes, more than the 8388608 that are read"])
    }

    @Test func `collections are read down to the depth limit and not below`() {
        let depthMax = YAML.Limits().depthMax
        #expect(depthMax == 64)
        func nested(_ levels: Int) -> String {
            String(repeating: "[", count: levels) + "x" + String(repeating: "]", count: levels)
        }
        #expect(problems(nested(depthMax)) == [])
        #expect(render(nested(depthMax + 1)) == ["nothing", "1:65 values are nested more than 64 levels deep"])
        #expect(problems(String(repeating: "- ", count: 65)) == ["1:129 values are nested more than 64 levels deep"])
    }

    @Test func `an alias counts with the levels it brings`() {
        var limits = YAML.Limits()
        limits.depthMax = 4
        #expect(problems("[&x [[y]], [*x]]", limits: limits) == [])
        #expect(
            problems("[&x [[y]], [[*x]]]", limits: limits) == ["1:14 values are nested more than 4 levels deep"]
        )
        #expect(
            problems("- &x {<<: {k: [y]}}\n- [[*x]]", limits: limits) == [
                "2:5 values are nested more than 4 levels deep"
            ])
    }

    @Test func `every value and key counts against the node limit`() {
        var limits = YAML.Limits()
        limits.nodesMax = 6
        #expect(problems("a: 1\nb: [2]", limits: limits) == [])
        #expect(
            problems("a: 1\nb: [2, 3]", limits: limits)
                == ["2:8 the document has more than 6 values; an alias counts as often as it is used"]
        )
        #expect(problems("- &x [1]\n- *x\n- 4", limits: limits) == [])
        #expect(
            problems("- &x [1]\n- *x\n- *x", limits: limits)
                == ["3:3 the document has more than 6 values; an alias counts as often as it is used"]
        )
        #expect(YAML.Limits().nodesMax == 500_000)
    }

    @Test(arguments: ["[%]", "{<<: [%]}", "{k: 1, <<: [%]}"])
    func `a bomb of aliases stops at the first one too many`(shape: String) {
        var yaml = "- &a0 {k: x}\n"
        for level in 1...40 {
            let aliases = Array(repeating: "*a\(level - 1)", count: 10).joined(separator: ", ")
            yaml += "- &a\(level) " + shape.split(separator: "%").joined(separator: aliases) + "\n"
        }
        let document = YAML.parse(Array(yaml.utf8))
        #expect(document.root == nil)
        #expect(document.problems.map(\.message) == ["the document has more than 500000 values"])
        #expect(document.problems.allSatisfy { $0.mark.line <= 7 })
    }

    @Test func `problems are listed up to their limit and not beyond`() {
        let yaml = String(repeating: "a: 1\n", count: 200)
        let document = YAML.parse(Array(yaml.utf8))
        #expect(document.problems.count == 101)
        #expect(document.problems.last.map(render) == "102:1 there are more than 100 problems; the rest is not read")
        #expect(problems(String(repeating: "a: 1\n", count: 101)).count == 100)
    }

    @Test(arguments: [
        "[", "{", "- ", "? ", "[]", "&a ", "*a ", "!", "!a ", "\"", "'", "a: ", "a:\n", " ", "\n", "#\n", "|", "- a\n",
        "%TAG !a! b\n", "%YAML 1.1\n", "%", "{a: ", "[a, ", "---\n", "...\n", "a\n", "\t", "\\", "\r", ",", "é", "👧",
    ]) func `a full-size text of one pattern ends with a tree or a problem`(pattern: String) {
        let count = YAML.Limits().bytesMax / pattern.utf8.count
        let document = YAML.parse(Array(String(repeating: pattern, count: count).utf8))
        #expect(document.root != nil || !document.problems.isEmpty)
    }
}

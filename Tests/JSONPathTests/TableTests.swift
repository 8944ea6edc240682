import AlertModel
import Testing

@testable import JSONPath

#if canImport(Glibc)
    import Glibc
#endif

@Suite struct `Other readers of RFC 9535` {
    /// What a path selects, or null where it is none.
    private func outcome(_ path: String, _ document: JSON) throws -> JSON {
        guard let path = try? JSONPath(path) else { return .null }
        var budget = SelectionBudget()
        guard case .nodes(let nodes) = try path.select(from: JSONReader(document), within: &budget) else { return [] }
        return .array(nodes.map(\.value))
    }

    @Test func `select the same by random paths from random documents`() throws {
        let lines = try contents(#filePath.replacing("TableTests.swift", with: "path_table.txt")).split(separator: "\n")
        #expect(lines.count == 500)
        for line in lines {
            let row = try #require(try JSON(parsing: String(line)).array)
            let path = try #require(row[0].string)
            #expect(try outcome(path, row[1]).text == row[2].text, "\(path)")
        }
    }

    /// The public compliance suite lies outside of this repository; whoever has it names its `cts.json`.
    @Test(.enabled(if: getenv("ALERTBOT_JSONPATH_SUITE") != nil))
    func `agree on the cases of the compliance suite`() throws {
        let path = String(cString: try #require(getenv("ALERTBOT_JSONPATH_SUITE")))
        let cases = try #require(try JSON(parsing: contents(path))["tests"]?.array)
        #expect(cases.count > 700)
        for one in cases {
            let selector = try #require(one["selector"]?.string)
            if one["invalid_selector"] == true {
                #expect(throws: JSONPathError.self, "\(selector)") { try JSONPath(selector) }
                continue
            }
            let wanted = try one["results"]?.array ?? [#require(one["result"])]
            let found = try outcome(selector, try #require(one["document"])).text
            #expect(wanted.contains { $0.text == found }, "\(selector) found \(found)")
        }
    }

    private func contents(_ path: String) throws -> String {
        let stream = try #require(fopen(path, "r"), "there is no \(path)")
        defer { fclose(stream) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = fread(&piece, 1, piece.count, stream), count > 0 { bytes += piece[..<count] }
        return String(decoding: bytes, as: UTF8.self)
    }
}

import PluginKit
import PluginTesting
import Testing

@testable import HTTPJSONSource

@Suite struct `The options` {
    /// What is said of a source with these texts, map and issues.
    private func problems(
        _ texts: [String: String] = ["app": "a"], map: KeyValuePairs<String, String> = ["users": "$.n"],
        issues: KeyValuePairs<String, String>? = nil, headers: KeyValuePairs<String, String>? = nil
    ) -> [String] {
        do {
            _ = try source(texts, map: map, issues: issues, headers: headers)
            return []
        } catch let list as ProblemList {
            return list.problems.map { problem in
                #expect(problem.position == place)
                return problem.message + (problem.suggestion.map { " -> \($0)" } ?? "")
                    + (problem.advice.map { "; \($0)" } ?? "")
            }
        } catch {
            return ["\(error)"]
        }
    }

    @Test(arguments: [
        (
            "$.a[",
            "'users' is not a JSONPath: at character 5: expected a name in quotes, an index, a slice such as 0:3, a filter such as ?@.users, or '*', found the end"
        ),
        ("users", "'users' is not a JSONPath: at character 1: expected '$', the start of every path, found 'u'"),
        ("$.a b", "'users' is not a JSONPath: at character 5: expected '.', '[', '|' or the end, found 'b'"),
        ("$.a |", "'users' lacks a word after '|'"),
        ("$.a | | percent", "'users' lacks a word after '|'"),
        (
            "$.a | persent",
            "'persent' in 'users' is none of percent, invert, scale, commas, missing, null, empty, other, absent -> percent"
        ),
        ("$.a | percent 5", "'percent' in 'users' takes no value"),
        ("$.a | scale", "'scale' in 'users' needs a positive number, such as 'scale 1000'"),
        ("$.a | scale 0", "'scale' in 'users' needs a positive number, such as 'scale 1000'"),
        ("$.a | scale inf", "'scale' in 'users' needs a positive number, such as 'scale 1000'"),
        (
            "$.a | null nodata",
            "'null' in 'users' needs no_data or error or zero, such as 'null no_data' -> null no_data"
        ),
        ("$.a | missing", "'missing' in 'users' needs no_data or error or zero, such as 'missing no_data'"),
    ])
    func `a wrong mapping is reported`(_ mapping: String, _ expected: String) {
        #expect(problems(map: ["users": mapping]) == [expected])
    }

    @Test func `figures have words that names have not`() {
        #expect(
            problems(map: ["users": "$.n", "release": "$.r | percent"]) == [
                "'percent' in 'release' is none of missing, null, empty, other, absent"
            ])
        #expect(
            problems(map: ["users": "$.n", "to": "$.t | null zero"]) == [
                "'null' in 'to' needs no_data or error, such as 'null no_data'"
            ])
    }

    @Test func `every mistake is reported in one go`() {
        let found = problems(
            ["app": "a", "each": "apps", "measured": "$[", "body": "{}"], map: ["users": "$..", "release": "$.v"],
            issues: ["each": "$.i", "id": "$.id", "titel": "$.t"], headers: ["Bad Name": "x", "X": "a\nb"])
        #expect(
            found == [
                "'Bad Name' is not a header name; expected letters, digits and hyphens",
                "the header 'X' has a line break or a control character in its value",
                "a GET request has no 'body'; add method: POST",
                "'each' is not a JSONPath: at character 1: expected '$', the start of every path, found 'a'",
                "'measured' is not a JSONPath: at character 3: expected a name in quotes, an index, a slice such as 0:3, a filter such as ?@.users, or '*', found the end",
                "'users' is not a JSONPath: at character 4: expected a name or '*', found the end",
                "'titel' is not a property of an issue -> title",
            ])
    }

    @Test func `what no rule could name is no metric`() {
        #expect(
            problems(map: ["bad name": "$.users"]) == [
                "'bad name' is not a metric name; expected one such as crash_free_users"
            ])
    }

    @Test func `what is nearly the name of a property is told`() throws {
        let slipped = try source(["app": "a"], map: ["users": "$.n", "relase": "$.v"], issues: nil, headers: nil)
        #expect(
            slipped.cautions.map { "\($0.level) \($0.message) -> \($0.suggestion ?? "")" } == [
                "warning 'relase' is taken for a metric -> release"
            ])
        let fine = try source(["app": "a"], map: ["users": "$.n", "rel": "$.v"], issues: nil, headers: nil)
        #expect(fine.cautions == [])
    }

    @Test func `a header that no request can have is a mistake`() {
        let found = { (headers: KeyValuePairs<String, String>) in
            self.problems(["app": "a"], map: ["users": "$.n"], headers: headers)
        }
        #expect(
            found(["Content-Length": "5"]) == ["the header 'Content-Length' is set by alertbot itself; remove it"])
        #expect(
            found(["A": "b", "a": "c"]) == [
                "the header 'a' is written twice: upper and lower case are the same; keep one"
            ])
        #expect(found(["Accept": "text/json", "Authorization": "Bearer\tx"]) == [])
        // It came out of no variable, file or credential that one could check.
        #expect(
            found(["Authorization": "Bearer a\nb"]) == [
                "the header 'Authorization' has a line break or a control character in its value"
            ])
    }

    @Test func `something must be mapped, of some app`() {
        #expect(
            problems([:], map: ["release": "$.v"]) == [
                "'map' names no metric, and there are no 'issues'; for example users: $.users, crashed_users: $.crashed",
                "neither 'app' nor 'map.app' names the app of the figures; write app: NAME",
            ])
        #expect(problems([:], map: ["app": "$.app", "users": "$.n"]) == [])
        #expect(problems(["app": ""]) == ["'app' is empty"])
    }

    @Test func `age needs a time`() {
        #expect(
            problems(["app": "a", "max_age": "1h"]) == [
                "'max_age' needs to know when the figures were measured; for example measured: $.generated_at"
            ])
        #expect(problems(["app": "a", "max_age": "1h", "measured": "$.t"]) == [])
        #expect(problems(["app": "a", "max_age": "1h"], map: ["users": "$.n", "to": "$.t"]) == [])
    }

    @Test func `issues need a path and an id`() {
        #expect(problems(issues: ["each": "$.i[*]"]) == ["'issues' needs 'each' and 'id'"])
        #expect(problems(issues: ["each": "$.i[*]", "id": "$.id"]) == [])
    }
}

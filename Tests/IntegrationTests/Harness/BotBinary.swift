// The harness runs the built binary as people run it, as a child process in a scratch folder, and looks at what it
// prints, how it ends and what it leaves behind. It links nothing of the bot: answers are read by another JSON parser
// than the bot's own.

internal import Foundation

/// The built `alertbot`.
public enum BotBinary {
    /// Beside the test bundle, where the build puts it; `ALERTBOT_BINARY` names another one.
    public static let path: String = {
        if let named = ProcessInfo.processInfo.environment["ALERTBOT_BINARY"], !named.isEmpty { return named }
        let bundle = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        return bundle.deletingLastPathComponent().appendingPathComponent("alertbot").path
    }()

    /// What every child gets, and nothing else of the environment of the tests.
    static let environment: [String: String] = {
        let own = ProcessInfo.processInfo.environment
        var kept: [String: String] = [:]
        for name in ["PATH", "LD_LIBRARY_PATH"] { kept[name] = own[name] }
        return kept
    }()
}

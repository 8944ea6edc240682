internal import Glibc

/// What became of a command that has run to its end.
public struct Finished: Sendable {
    public let ending: Child.Ending
    public let output: String
    public let errors: String

    /// Nil when it was killed.
    public var status: Int32? { if case .exited(let code) = ending { code } else { nil } }

    /// Standard output as JSON.
    public var json: JSONTree { get throws { try JSONTree(parsing: output) } }

    /// Everything it said.
    public var all: String { output + errors }
}

/// Runs a program to its end.
public func run(
    _ program: String, _ arguments: [String], environment: [String: String] = [:], folder: String? = nil,
    input: Child.Input = .none, within patience: Duration = .seconds(60)
) async throws -> Finished {
    let child = try Child(program, arguments, environment: environment, folder: folder, input: input)
    let ending = try await child.ending(within: patience)
    return Finished(ending: ending, output: child.standardOutput, errors: child.standardError)
}

extension Scratch {
    /// Runs a command of the bot in this folder.
    public func alertbot(
        _ arguments: String..., environment: [String: String] = [:], input: String? = nil,
        within patience: Duration = .seconds(60)
    ) async throws -> Finished {
        try await run(
            BotBinary.path, arguments, environment: environment, folder: folder,
            input: input.map { .text($0) } ?? .none,
            within: patience)
    }

    /// Runs a command of the bot as somebody who is bound by permissions, whoever runs the tests.
    public func boundAlertbot(_ arguments: [String], environment: [String: String] = [:]) async throws -> Finished {
        let (program, prefix) = Scratch.bound
        return try await run(program, prefix + arguments, environment: environment, folder: folder)
    }

    /// The superuser may write anywhere; without these two rights even he is held to the modes of files.
    private static var bound: (program: String, arguments: [String]) {
        guard geteuid() == 0 else { return (BotBinary.path, []) }
        return ("setpriv", ["--bounding-set=-dac_override,-dac_read_search", BotBinary.path])
    }

    /// Starts the bot in this folder and waits until it watches.
    ///
    /// Whoever calls must end it, best by `defer { bot.send(SIGKILL) }`.
    public func startBot(_ arguments: String..., environment: [String: String] = [:]) async throws -> Child {
        let bot = try Child(
            BotBinary.path, ["run"] + arguments, environment: environment, folder: folder, keeping: self)
        try await bot.says(": watching ")
        return bot
    }
}

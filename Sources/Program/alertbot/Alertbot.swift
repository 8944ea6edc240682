internal import ArgumentParser
internal import Glibc
internal import SystemPorts

/// The command line. Exit status: 0 fine; 1 the answer is no; 2 wrong usage; 3 could not do it.
@main
struct Alertbot: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "alertbot",
        abstract: "Watches crash figures and alerts your chat when it matters.",
        version: Version.text,
        subcommands: [
            InitCommand.self, RunCommand.self, DryRunCommand.self, BacktestCommand.self, SuggestCommand.self,
            TestCommand.self,
            CheckCommand.self, SourcesCommand.self, ReloadCommand.self,
            StatusCommand.self, HistoryCommand.self, IncidentsCommand.self, WhyCommand.self, MuteCommand.self,
            UnmuteCommand.self, MutesCommand.self, AckCommand.self, RetryCommand.self, SendTestCommand.self,
            TemplateCommand.self, WordsCommand.self,
            JournalCommand.self, PluginsCommand.self, SchemaCommand.self,
        ])

    static func main() async {
        // A reader that closes its end early, such as `head`, is no failure of ours.
        _ = signal(SIGPIPE, SIG_IGN)
        var status = ExitStatus.fine
        do {
            status = try await answer()
        } catch let failure as Failure {
            if !failure.sentence.isEmpty { machine.terminal.error("alertbot: \(failure.sentence)") }
            status = failure.status
        } catch {
            machine.terminal.error("alertbot: \(error)")
            status = .impossible
        }
        await web.close()
        Glibc.exit(status.rawValue)
    }

    /// Does what the command line asks for. What it says of its usage is an answer too.
    private static func answer() async throws -> ExitStatus {
        do {
            var command = try await asyncParseAsRoot()
            if let sentence = CommandSlip.repetition(CommandLine.arguments.dropFirst()) {
                throw Failure(.wrongUsage, sentence)
            }
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
            return .fine
        } catch let failure as Failure {
            throw failure
        } catch {
            let words = CommandLine.arguments.dropFirst()
            let isMistake = !exitCode(for: error).isSuccess
            // Asking for help with a command that there is not is a mistake, too.
            if isMistake || words.first == "help", let sentence = CommandSlip.sentence(words) {
                throw Failure(.wrongUsage, sentence)
            }
            let text = fullMessage(for: error)
            guard !isMistake else {
                machine.terminal.error(text)
                return .wrongUsage
            }
            try machine.terminal.line(text)
            return .fine
        }
    }
}

/// The network, for whichever command needs it.
let web = CurlWeb()

/// The machine that the program runs on.
let machine = Machine(
    terminal: .standard, clock: SystemClock(), web: web, files: SystemFiles(), variables: .ofProcess,
    painter: SystemPainter(), interruption: .byUser)

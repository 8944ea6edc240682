internal import ArgumentParser
internal import PluginKit

/// The command line. Exit status: 0 fine; 1 the answer is no; 2 wrong usage; 3 could not do it.
@main
struct Alertbot: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "alertbot",
        abstract: "Watches crash figures and tells your chat when it matters.",
        version: Version.text,
        subcommands: [
            RunCommand.self, DryRunCommand.self, BacktestCommand.self, SuggestCommand.self, TestCommand.self,
            CheckCommand.self,
            StatusCommand.self, HistoryCommand.self, IncidentsCommand.self, WhyCommand.self, MuteCommand.self,
            UnmuteCommand.self, MutesCommand.self, AckCommand.self, RetryCommand.self, SendTestCommand.self,
            JournalCommand.self, PluginsCommand.self, SchemaCommand.self,
        ])

    static func main() async {
        // A reader that closes its end early, such as `head`, is no failure of ours.
        ignoreBrokenPipes()
        do {
            var command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch let failure as Failure {
            if !failure.sentence.isEmpty { Output.error("alertbot: \(failure.sentence)") }
            end(failure.status)
        } catch {
            let isFine = exitCode(for: error).isSuccess
            let text = fullMessage(for: error)
            if isFine { Output.line(text) } else { Output.error(text) }
            end(isFine ? .fine : .wrongUsage)
        }
        end(.fine)
    }
}

/// `Option` is a word of PluginKit too; in this module it means an option of the command line.
typealias Option = ArgumentParser.Option

/// How a command ends.
enum ExitStatus: Int32 {
    case fine = 0
    /// The answer is no: an invalid config, a damaged journal.
    case no = 1
    case wrongUsage = 2
    /// It could not be done: no source answered, the folder is not writable, another bot holds the lock.
    case impossible = 3
}

/// Why a command can not go on.
struct Failure: Error {
    let status: ExitStatus
    /// Empty when everything has been said.
    let sentence: String

    init(_ status: ExitStatus, _ sentence: String = "") {
        self.status = status
        self.sentence = sentence
    }
}

extension Failure {
    /// A name that is not known, with the nearest that is.
    init(noSuch what: String, _ name: String, known: some Sequence<String>) {
        let near = name.nearest(in: known).map { "; did you mean \($0)?" } ?? ""
        self.init(
            .wrongUsage, "there is no \(what) '\(name)'; known: \(known.sorted().joined(separator: ", "))\(near)")
    }
}

enum Version {
    static let text = "0.1.0"
}

public import AlertCore

/// What the bot says to a command.
public enum CommandReply: Sendable {
    case answered(CommandAnswer)
    /// It holds for now, but the journal cannot be written, and why: a restart would forget it.
    case unsafe(String)
    /// The bot is about to end and takes no commands any more.
    case stopping
}

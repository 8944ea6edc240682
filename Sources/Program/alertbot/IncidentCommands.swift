internal import AlertCore
internal import ArgumentParser
internal import Commands
internal import SystemPorts

struct IncidentsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "incidents", abstract: "Lists what the bot tracks: pending, firing and recovering incidents.")

    @OptionGroup var common: AnswerOptions

    func run() async throws { try await common.list("incidents", none: "No incidents.", IncidentText.all) }
}

struct AckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ack", abstract: "Stops the reminders of an incident, until it gets worse.")

    @OptionGroup var common: AnswerOptions
    @Option(name: .long, help: "Your name; by default your user name on this machine.") var by: String?
    @Argument(
        help:
            "Ids of incidents, as 'alertbot incidents' and every message about one incident show them; their first letters are enough.",
        completion: Names.ofIncidents)
    var incidents: [String]

    /// Far below what the control socket takes, and taken in well within a second.
    private static let incidentsMax = 1000

    func validate() throws {
        guard incidents.count <= AckCommand.incidentsMax else {
            throw ValidationError(
                "\(incidents.count) incidents are too many at once; name at most \(AckCommand.incidentsMax)")
        }
    }

    func run() async throws {
        let order = Command.acknowledge(incidents, by: by?.ifSaid ?? machine.variables.user)
        try await BotContact(common.file(), on: machine).order(order).print(as: common.format, on: machine.terminal)
    }
}

struct RetryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry", abstract: "Retries a failed delivery, under the same id.",
        discussion: "'alertbot history --dead' lists failed deliveries with their ids.")

    @OptionGroup var common: AnswerOptions
    @Argument(
        help: "The delivery's id, as 'alertbot history --dead' shows it; its first letters are enough.",
        completion: Names.ofFailedDeliveries)
    var delivery: String

    func run() async throws {
        try await BotContact(common.file(), on: machine).order(.retry(delivery))
            .print(as: common.format, on: machine.terminal)
    }
}

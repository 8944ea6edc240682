internal import AlertCore
internal import ArgumentParser
internal import BotConfig
internal import PluginKit
internal import Runtime

struct IncidentsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "incidents", abstract: "Lists what the bot tracks: pending, firing and recovering incidents.")

    @OptionGroup var common: CommonOptions
    @Option(name: .long, help: "text or json.") var format = TextOrJSON.text

    func run() async throws {
        let incidents = try await liveStatus(ConfigFile(common.config))["incidents"] ?? .array([])
        guard format == .text else {
            Output.line(JSON.object(JSONObject([("incidents", incidents)])).prettyText)
            return
        }
        let list = incidents.array ?? []
        if list.isEmpty { Output.line("No incidents.") }
        for incident in list { Output.line(incidentText(incident, common.paint)) }
    }
}

struct AckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ack", abstract: "Stops the reminders of an incident, until it gets worse.")

    @OptionGroup var common: CommonOptions
    @Option(name: .long, help: "text or json.") var format = TextOrJSON.text
    @Option(name: .long, help: "Who you are; by default your name on this machine.") var by: String?
    @Argument(help: "Ids of incidents, as 'alertbot incidents' and every message show them, or their beginnings.")
    var incidents: [String]

    func run() async throws {
        let file = try ConfigFile(common.config)
        try show(await tell(.acknowledge(incidents, by: by ?? whoAmI()), file), format)
    }
}

struct RetryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry", abstract: "Tries a dead letter once more, under the same id.",
        discussion: "'alertbot history --dead' lists the dead letters with their ids.")

    @OptionGroup var common: CommonOptions
    @Option(name: .long, help: "text or json.") var format = TextOrJSON.text
    @Argument(help: "The delivery's id.") var delivery: String

    func run() async throws {
        try show(await tell(.retry(delivery), ConfigFile(common.config)), format)
    }
}

internal import AlertCore
public import BotConfig
internal import PluginKit
internal import Runtime
internal import Synchronization
public import SystemPorts

/// One poll of one source, and what it understood of the answers.
///
/// It polls as the bot does the first time: nothing is remembered from before, and nothing is kept.
public struct SourceProbe: Sendable {
    private let plan: SourcePlan
    private let source: any Source
    private let config: Config
    private let format: TextOrJSON
    private let isRaw: Bool
    private let machine: Machine

    /// - Parameters:
    ///   - name: the source's, in the config.
    ///   - path: the config's, for people.
    ///   - format: for programs, lines of a file of observations; what else there is to say is said beside them.
    ///   - isRaw: whether to show the answers themselves.
    public init(
        of name: String, _ config: Config, _ path: String, _ format: TextOrJSON, isRaw: Bool, on machine: Machine
    ) throws(Failure) {
        guard let source = config.sources[name], let plan = config.plan.sources.first(where: { $0.name == name }) else {
            throw Failure(noSuch: "source", name, in: path, known: config.sources.keys)
        }
        self.plan = plan
        self.source = source
        self.config = config
        self.format = format
        self.isRaw = isRaw
        self.machine = machine
    }

    /// What came of the poll, as the bot would take it in, and as people would.
    func poll() async -> (input: Input, finding: ProbeFinding, redactor: Redactor)? {
        let web = ListeningWeb(machine.web)
        var ports = machine.ports(stateFolder: config.bot.stateFolder)
        ports.web = web
        let tokens = TokenVault()
        let bar = machine.terminal.progress("Polling", of: 1)
        defer { bar.end() }
        let began = ports.clock.uptime()
        let input = await Poller(ports: ports, redactor: Redactor(config.secrets), tokens: tokens)
            .poll(config.plan.previewOrder(for: plan, State()), source)
        guard case .polled(_, let report, _) = input else { return nil }
        let own = web.heard.flatMap(\.request.ownSecrets)
        let redactor = Redactor(config.secrets + (await tokens.secrets) + own)
        let finding = ProbeFinding(
            source: plan.name, plugin: type(of: source).manifest.name, report: report, exchanges: web.heard,
            took: ports.clock.uptime() - began, spans: config.plan.previewOrder(for: plan, State()).spans,
            declared: source.metrics, isPushed: source is any PushedSource)
        return (input, finding, redactor)
    }

    /// Polls and says what came of it. A poll that fails is a failure of the command.
    public func run() async throws(Failure) {
        guard let (_, finding, redactor) = await poll() else { return }
        switch format {
        case .json:
            for line in finding.aside(in: config.plan.zone, redactor, isRaw: isRaw) { machine.terminal.error(line) }
            for line in finding.observationLines(at: machine.clock.now()) { try machine.terminal.line(line.json.text) }
        case .text:
            if isRaw { for line in finding.answers(redactor) { try machine.terminal.line(line) } }
            if isRaw, !finding.exchanges.isEmpty { try machine.terminal.line("") }
            for line in finding.lines(in: config.plan.zone) { try machine.terminal.line(line) }
        }
        if let failure = finding.failure {
            throw Failure(.impossible, "source \(plan.name): \(failure)\(advice(on: failure))")
        }
    }

    /// Where to get a better credential, where this one will not do.
    func advice(on failure: PollFailure) -> String {
        let access = type(of: source).manifest.access
        guard [.unauthorized, .forbidden].contains(failure.reason), !access.isEmpty else { return "" }
        return "\n\(access)"
    }
}

/// A request and what came of it.
struct HeardRequest: Sendable {
    let request: HTTPRequest
    let result: FetchResult
}

/// The network, and a record of what was said over it.
private final class ListeningWeb: Web {
    private let web: any Web
    private let exchanges = Mutex<[HeardRequest]>([])

    init(_ web: any Web) { self.web = web }

    var heard: [HeardRequest] { exchanges.withLock(\.self) }

    func perform(_ request: HTTPRequest, timeout: Duration) async throws(TransportError) -> HTTPResponse {
        do throws(TransportError) {
            let response = try await web.perform(request, timeout: timeout)
            exchanges.withLock { $0.append(HeardRequest(request: request, result: .answered(response))) }
            return response
        } catch {
            exchanges.withLock { $0.append(HeardRequest(request: request, result: .failed(error))) }
            throw error
        }
    }

    /// No source sends mail.
    func send(_ mail: Mail, timeout: Duration) async throws(TransportError) -> MailAnswer {
        try await web.send(mail, timeout: timeout)
    }
}

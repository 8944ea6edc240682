internal import AlertCore
public import BotConfig
public import PluginKit
public import Preview
internal import Runtime
internal import Synchronization
public import SystemPorts

/// What the sources of a config recall of their past, fetched and played.
public struct RecalledPast: Sendable {
    private let past: Past
    private let sources: [PastSource]
    private let folder: CacheFolder
    private let redactor: Redactor
    private let machine: Machine

    /// - Parameters:
    ///   - since: how far back, as people write it.
    ///   - end: where the span ends; nil for now.
    ///   - configs: whose sources are asked; of a name that several have, the first one's.
    ///   - cache: the folder for what was fetched; nil for the usual one.
    public init(
        since: String, until end: Moment?, _ configs: [Config], cache: String?, on machine: Machine
    ) throws(Failure) {
        self.machine = machine
        guard let length = try? Duration(grammar: since), .zero < length, length <= Past.lengthMax else {
            throw Failure(
                .wrongUsage,
                "--since is '\(since.tamed.clipped(to: 40))', expected a duration such as 30d, at most "
                    + Past.lengthMax.grammar)
        }
        let now = machine.clock.now()
        let to = min(end ?? now, now)
        past = Past(from: to - length, to: to, now: now)
        folder = try CacheFolder(cache, variables: machine.variables)
        redactor = Redactor(configs.flatMap(\.secrets))
        sources = RecalledPast.sources(configs)
        guard !sources.isEmpty else {
            throw Failure(
                .impossible,
                "no source in the config keeps a history that can be fetched; replay recorded observations with "
                    + "--observations FILE")
        }
        let others = Set(configs.flatMap(\.sources.keys)).subtracting(sources.map(\.name)).sorted()
        guard !others.isEmpty else { return }
        let isOne = others.count == 1
        machine.terminal.error(
            "alertbot: warning: \(isOne ? "source" : "sources") \(others.joined(separator: ", ")) "
                + "\(isOne ? "keeps" : "keep") no history and \(isOne ? "is" : "are") left out")
    }

    /// The sources that can tell of their past.
    static func sources(_ configs: [Config]) -> [PastSource] {
        var sources: [PastSource] = []
        var names: Set<String> = []
        for config in configs {
            for plan in config.plan.sources where !names.contains(plan.name) {
                guard let source = config.sources[plan.name] as? any HistoricalSource, source.keepsHistory
                else { continue }
                // Rules of every config must find the spans that they ask for.
                let orders = configs.compactMap { config in
                    config.plan.source(plan.name).map {
                        config.plan.previewOrder(for: $0, State())
                    }
                }
                names.insert(plan.name)
                sources.append(
                    PastSource(
                        name: plan.name, source: source, every: max(plan.every, plan.throttle),
                        spans: orders.flatMap(\.spans), timeout: plan.timeout, over: plan.connection))
            }
        }
        return sources
    }

    /// Gives every batch to `take`, in the order of seen; gives back whether every source could tell.
    public func play(_ take: (ObservationReader.Batch) -> Void) async throws(Failure) -> Bool {
        do {
            try folder.prepare()
            let fetched = try await fetch()
            for warning in fetched.warnings { tell(warning, "warning: ") }
            for failure in fetched.failures { tell(failure, "", "; it is left out") }
            guard !fetched.sources.isEmpty else {
                throw Failure(.impossible, "no source returned its history, so there is nothing to replay")
            }
            let bar = machine.terminal.progress("Playing observations")
            var done = 0
            let showDay = {
                done += 1
                bar.show(done, of: past.days.count)
            }
            let cautions = try past.play(fetched, from: folder, progress: showDay, take)
            bar.end()
            for caution in cautions { tell(caution, "warning: ") }
            folder.shrink()
            return fetched.failures.isEmpty
        } catch let failure as Failure {
            throw failure
        } catch is CancellationError {
            throw Failure(.impossible, "stopped; the days already fetched are kept for next time")
        } catch let damage as Past.Damage {
            throw Failure(
                .impossible,
                "line \(damage.line) of \(folder.path)/\(damage.name) is damaged; remove the file, and it is fetched "
                    + "anew"
            )
        } catch {
            throw Failure(.impossible, "\(error)")
        }
    }

    private func tell(_ caution: Past.Caution, _ level: String, _ end: String = "") {
        machine.terminal.error("alertbot: \(level)source \(caution.source): \(caution.sentence)\(end)")
    }

    private func fetch() async throws -> Past.Fetched {
        // No bot is at work here, so there is no state folder either.
        let ports = machine.ports(stateFolder: "/nowhere")
        let total = past.days.count * sources.count
        let bar = machine.terminal.progress("Fetching history", of: total)
        let done = Mutex(0)
        defer { bar.end() }
        return try await machine.interruption.cancelling { [past, sources, folder, redactor] in
            try await past.fetch(sources, onto: folder, ports: ports, redactor: redactor) {
                done.withLock { done in
                    done += 1
                    bar.show(done, of: total)
                }
            }
        }
    }
}

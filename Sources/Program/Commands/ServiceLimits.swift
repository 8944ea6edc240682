internal import AlertCore
public import BotConfig
public import PluginKit

extension ConfigFile {
    /// What people have set at the services of the config's sources, as far as the bot has heard of it; before its first
    /// poll that is nothing.
    ///
    /// - Parameter app: only those of apps that fit; nil for all.
    public func serviceLimits(_ config: Config, of app: Glob?) -> [ServiceLimit] {
        // A past that is played from a file needs no journal, and none that can be read.
        guard let state = try? State.inJournal(config.bot.stateFolder, memories).state else { return [] }
        return config.serviceLimits(by: state, of: app)
    }
}

extension Config {
    func serviceLimits(by state: State, of app: Glob?) -> [ServiceLimit] {
        let found = sources.sorted { $0.key < $1.key }.flatMap { name, source in
            (source as? any LimitedSource)?.limits(in: state.schedule.sources[name]?.cursor) ?? []
        }
        // Two sources may watch the same app.
        var limits: [ServiceLimit] = []
        for limit in found where !limits.contains(limit) && app?.fits(limit.app) ?? true { limits.append(limit) }
        return limits.sorted { ($0.app, $0.metric.name) < ($1.app, $1.metric.name) }
    }
}

internal import AlertCore
internal import PluginKit
internal import Runtime
public import StatusPage

// What the pages show, read from the bot's state in one look each.

extension BotFace {
    public func overview(apps asked: String?) async -> Overview { await bot.look.overview(apps: asked) }
    public func openIncidents() async -> (listed: [PageIncident], count: Int) {
        let look = await bot.look
        return (look.openIncidents(most: Bot.Look.Most.listed), look.state.incidents.all.count(where: \.isOpen))
    }
    public func channels() async -> [PageChannel] { await bot.look.channels }
    public func incident(_ id: String) async -> IncidentStory? { await bot.look.story(ofIncident: id) }
    public func app(_ name: String) async -> AppStory? { await bot.look.story(ofApp: name) }

    public func deliveries(matching words: String?, limit: Int) async -> [PageDelivery] {
        let look = await bot.look
        let words = words?.lowercased()
        let found = look.state.outbox.history.reversed().lazy.filter { entry in
            guard let words else { return true }
            var message = entry.delivery.message
            message.words = look.plan.words
            return message.plainText.lowercased().contains(words)
                || entry.delivery.channel.lowercased().contains(words)
        }
        return found.prefix(limit).map(PageDelivery.init)
    }
}

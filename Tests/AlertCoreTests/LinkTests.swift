import AlertCore
import AlertTesting
import PluginKit
import Testing

/// Where to look and what to do stands in the message.
@Suite struct `Links and owners` {
    private func bot(_ change: (inout SourcePlan) -> Void, links: [Message.Link] = [], routes: [Route] = [])
        -> Rehearsal
    {
        var plan = Plan.rehearsed(channels: ["team", "checkout"].map { ChannelPlan(name: $0) })
        for index in plan.sources.indices { change(&plan.sources[index]) }
        plan.detectors = plan.detectors.map {
            DetectorPlan(name: $0.name, detector: $0.detector, match: $0.match, repeat: $0.repeat, links: links)
        }
        plan.routes = routes
        return .checked(plan)
    }

    private let release = Subject(source: "ios", app: "my shop", release: "5.2+1", environment: "{app}/é")

    @Test func `a dashboard is filled in, and nothing in a name can lead elsewhere`() throws {
        var bot = bot { $0.dashboard = "https://g.example.com/d/x?app={app}&v={release}&e={environment}" }
        bot.see(.critical, of: release)
        let link = try #require(bot.decisions.first?.message.links.first)
        #expect(link.title == "Dashboard")
        #expect(link.url == "https://g.example.com/d/x?app=my%20shop&v=5.2%2B1&e=%7Bapp%7D%2F%C3%A9")
    }

    @Test func `what a subject does not say is left empty`() throws {
        var bot = bot { $0.dashboard = "https://g.example.com/{app}?v={release}" }
        bot.see(.critical, of: Subject(source: "ios", app: "shop"))
        #expect(bot.decisions.first?.message.links.first?.url == "https://g.example.com/shop?v=")
    }

    @Test func `a rule's runbook and links stand behind it, in their order`() throws {
        let links = [Message.Link("Runbook", "https://wiki/crashes"), Message.Link("Status page", "https://status")]
        var bot = bot({ $0.dashboard = "https://g.example.com" }, links: links)
        bot.see(.critical)
        #expect(bot.decisions.first?.message.links.map(\.title) == ["Dashboard", "Runbook", "Status page"])
        bot.see(.fine)
        #expect(bot.decisions.last?.message.links.count == 3)
    }

    @Test func `an owner is in the message, and routes find it`() throws {
        let match = Match.on(["owner": "checkout"])
        var bot = bot({ $0.owner = "checkout" }, routes: [Route(match: match, to: ["checkout"])])
        bot.see(.critical)
        #expect(bot.decisions.map(\.channel) == ["checkout"])
        #expect(bot.decisions.first?.message.fields.contains(Message.Field("Owner", "checkout")) == true)
        #expect(bot.objections == [])
    }

    @Test func `an owner that the source itself names counts more`() throws {
        var bot = bot { $0.owner = "checkout" }
        bot.see([.figures(["users": 1], at: bot.now, labels: ["owner": "payments"])])
        #expect(bot.state.figures.series.values.first?.labels["owner"] == "payments")
    }
}

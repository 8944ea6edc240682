import AlertCore
import BotConfig
import PluginKit
import Testing

@Suite struct `Secrets that are others now` {
    private func things(_ token: String, _ text: String = "${env:TOKEN}") throws -> ConfigThings {
        var surroundings = FakeWorld.surroundings()
        surroundings.variable = { $0 == "TOKEN" ? token : "8080" }
        let yaml = """
            bot: {token: "\(text)"}
            sources:
              ios: {plugin: feed, url: https://feed.example}
            channels:
              team: {plugin: page}
            """
        let result = Config.load(
            Array(yaml.utf8), folder: "/etc/bot", catalog: FakeWorld.catalog, surroundings: surroundings)
        return try #require(result.config, "\(result.problems)").things
    }

    @Test func `are told by their references`() throws {
        let (old, new) = (try things("very-long-and-old"), try things("very-long-and-new"))
        #expect(new.changes(since: old) == ["secrets: changed ${env:TOKEN}"])
        #expect(old.changes(since: try things("very-long-and-old")) == [])
    }

    @Test func `show nothing of what stands beside a reference`() throws {
        let text = "beside-${env:TOKEN}-$${env:NONE}-${env:PORT}"
        let (old, new) = (try things("very-long-and-old", text), try things("very-long-and-new", text))
        #expect(new.changes(since: old) == ["secrets: changed ${env:TOKEN}"])
    }

    @Test func `have not changed where another text refers to them, too`() throws {
        let (old, new) = (try things("very-long", "${env:TOKEN}"), try things("very-long", "more-${env:TOKEN}"))
        #expect(new.changes(since: old) == ["bot: changed token"])
    }
}

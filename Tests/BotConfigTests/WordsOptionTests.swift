import AlertCore
import BotConfig
import PluginKit
import Testing

private func bot(_ options: String, _ words: String? = nil) -> ConfigResult {
    var surroundings = FakeWorld.surroundings()
    surroundings.file = { path throws(ConfigSurroundings.Missing) in
        guard path == "/etc/bot/words.yaml", let words else {
            throw ConfigSurroundings.Missing("there is no such file")
        }
        return Array(words.utf8)
    }
    let yaml = """
        bot: {\(options)}
        sources:
          ios: {plugin: feed, url: https://feed.example}
        rules:
          floor: {plugin: limit, metric: crash_free_users, limit: "< 99%", runbook: https://wiki.example/floor}
        channels:
          team: {plugin: page}
        """
    return Config.load(Array(yaml.utf8), folder: "/etc/bot", catalog: FakeWorld.catalog, surroundings: surroundings)
}

@Suite struct `Words in the config` {
    @Test func `messages speak English where nothing is said of it`() throws {
        #expect(try #require(bot("name: x").config).plan.words == .english)
    }

    @Test func `the language may be Spanish, and links of rules are named in it`() throws {
        let plan = try #require(bot("language: es").config).plan
        #expect(plan.words == .spanish)
        #expect(plan.detectors.first?.links.map(\.title) == ["Procedimiento"])
        #expect(bot("language: fr").problems.count == 1)
    }

    @Test func `phrases of one's own may stand in place, or in a file`() throws {
        let wanted = Words.spanish.replacing([
            .captionWhy: "Motivo", .countUsers: Wording(one: "una persona", other: "{count} personas"),
        ])
        let inPlace = bot(
            "language: es, words: {caption.why: Motivo, count.users: {one: una persona, other: '{count} personas'}}")
        #expect(inPlace.problems == [])
        #expect(try #require(inPlace.config).plan.words == wanted)
        let file = "caption.why: Motivo\ncount.users:\n  one: una persona\n  other: '{count} personas'\n"
        let inFile = bot("language: es, words: ./words.yaml", file)
        #expect(inFile.problems == [])
        #expect(try #require(inFile.config).plan.words == wanted)
        #expect(inFile.texts["/etc/bot/words.yaml"] != nil)
    }

    @Test func `the table that is printed is one's own at once`() throws {
        let result = bot("words: words.yaml", Words.spanish.yaml)
        #expect(result.problems == [])
        let words = try #require(result.config).plan.words
        for id in PhraseID.allCases { #expect(words.wording(id) == Words.spanish.wording(id)) }
    }

    @Test func `a mistake is reported at the phrase, with what was probably meant`() {
        let file = """
            caption.wy: Motivo
            headline.figure: "{who}: {metrik} {figure}"
            headline.worse: "{who} {figure}"
            count.users: {uno: x}
            field.since: [a]
            """
        let result = bot("words: words.yaml", file)
        #expect(result.config == nil)
        #expect(Set(result.problems.map { $0.position.file }) == ["/etc/bot/words.yaml"])
        #expect(
            result.problems.map(\.line) == [
                "1:1: there is no phrase 'caption.wy' -> caption.why",
                "2:18: 'headline.figure': it has no {metrik} -> {metric}",
                "3:17: 'headline.worse': it lacks {metric}",
                "4:14: 'count.users' has no 'other' (write {one: ..., other: ...}, or one text for both)",
                "4:15: unknown key 'uno' in 'count.users'; known are one, other",
                "5:14: 'field.since' must be a text, not a list",
            ])
    }

    @Test func `a file that is not there is an error that says where to get one`() {
        #expect(
            bot("words: words.yaml").problems.map(\.line) == [
                "1:14: 'words': /etc/bot/words.yaml cannot be read: there is no such file "
                    + "('alertbot words show' has a table to start from)"
            ])
        #expect(bot("words: [a]").problems.count == 1)
    }
}

internal import AlertCore
internal import BotConfig
internal import PluginKit
internal import PluginTesting
internal import Preview
internal import Testing

@testable import Pictures

/// Every kind of message in every kind of chat, in the second language: what is English in it has passed the table by.
@Suite struct SpanishTests {
    private static let config = Shop.config(
        critical: "< 99%", holdTime: "0s", more: Shop.moreChats, bot: ", language: es")

    /// Words of the English table that no Spanish phrase has, in runs of letters and spaces.
    private static let english: [String] = {
        func runs(_ wording: Wording) -> [String] {
            [wording.text, wording.one ?? ""].flatMap { text in
                text.replacing(#/\{\w+\}/#, with: "\n").split { !$0.isLetter && $0 != " " && $0 != "-" }
                    .map { $0.split(separator: " ").joined(separator: " ") }
            }.filter { $0.count >= 4 }
        }
        let spanish = Set(PhraseID.allCases.flatMap { runs($0.wording(in: .spanish)) })
        // These stand in payloads as words of the service's own.
        let programs: Set = ["critical", "warning"]
        return Array(Set(PhraseID.allCases.flatMap { runs($0.wording(in: .english)) }).subtracting(spanish))
            .filter { !programs.contains($0) }
    }()

    private func englishWords(in text: String) -> [String] {
        // Names of members and of what PagerDuty calls its own, and addresses.
        let own = text.split(separator: "\n").filter { line in
            !["Source", "Component", "Group", "Class", "Severity", "Resolves", "Acknowledges"].contains {
                line.hasPrefix($0)
            }
        }
        let prose = own.joined(separator: "\n").split(whereSeparator: \.isWhitespace).filter {
            !$0.contains("://") && !$0.contains("_")
        }
        let words = " " + prose.joined(separator: " ").split { !$0.isLetter && $0 != "-" }.joined(separator: " ") + " "
        return Self.english.filter { words.contains(" \($0) ") }
    }

    @Test func `no message of any kind has English words in it, in any chat`() throws {
        #expect(Self.english.count > 150)
        let samples = MessageSamples(zone: .utc, words: .spanish).all
        #expect(Set(samples.map(\.message.kind)) == Set(Notification.Kind.ofIncidents))
        for (name, message) in samples {
            #expect(englishWords(in: message.plainText) == [], "\(name): \(message.plainText)")
            for (channelName, channel) in Self.config.channels where channelName != "ops" {
                for (repeated, isPlain) in [(false, false), (true, false), (true, true)] {
                    let posting = Posting(
                        id: "d-1", message: message, possiblyRepeated: repeated, isPlain: isPlain, at: message.at)
                    let text = channel.picture(of: posting).text
                    #expect(englishWords(in: text) == [], "\(name) in \(channelName): \(text)")
                }
            }
        }
    }

    @Test func `English messages have them`() {
        for (name, message) in MessageSamples(zone: .utc).all {
            #expect(englishWords(in: message.plainText) != [], "\(name)")
        }
    }

    @Test func `a day in Spanish looks as recorded`() throws {
        let day = Shop.dryRun(Shop.hours([("shop-ios", Shop.badDay)]), Self.config)
        for record in day.decisions {
            #expect(englishWords(in: record.message.plainText) == [], "\(record.message.plainText)")
        }
        let lines = DryRunText(day, width: nil).lines.map { $0.text.trimmedAtEnd }
        #expect(
            try snapshotFlaw(of: lines.joined(separator: "\n").withStableNames + "\n", named: "dry-run-es.txt") == nil)
    }

    @Test func `every kind of message in Spanish looks as recorded`() throws {
        let texts = MessageSamples(zone: .utc, words: .spanish).all.map { "── \($0.name)\n\($0.message.plainText)" }
        #expect(
            try snapshotFlaw(of: texts.joined(separator: "\n\n").withStableNames + "\n", named: "messages-es.txt")
                == nil)
    }

    @Test func `every kind of message in English looks as recorded`() throws {
        let texts = MessageSamples(zone: .utc).all.map { "── \($0.name)\n\($0.message.plainText)" }
        #expect(
            try snapshotFlaw(of: texts.joined(separator: "\n\n").withStableNames + "\n", named: "messages-en.txt")
                == nil)
    }
}

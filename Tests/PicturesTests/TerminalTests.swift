internal import FoundationEssentials
internal import PluginKit
internal import PluginTesting
internal import Testing

@testable import Pictures

@Suite struct TerminalTests {
    @Test(arguments: [
        ("one two three", 8, ["one two", "three"]), ("購物車 壞了", 6, ["購物車", "壞了"]), ("購物車", 5, ["購物", "車"]),
        ("abcdefghij", 4, ["abcd", "efgh", "ij"]), ("a\nb", 9, ["a", "b"]), ("", 9, [""]),
        ("exactly 8", 9, ["exactly 8"]),
        ("wide 🔴🔴🔴", 8, ["wide", "🔴🔴🔴"]), ("two  spaces", 4, ["two", "spac", "es"]),
    ])
    func `text is broken between words, by columns`(text: String, width: Int, lines: [String]) {
        let wrapped = TerminalLine.wrapped([TerminalLine.Piece(text)], to: width)
        #expect(wrapped.map { $0.pieces.map(\.text).joined() } == lines)
    }

    @Test(arguments: [20, 40, 56, 57, 80, 100])
    func `no line is wider than the terminal, whatever the message`(width: Int) throws {
        for (name, message) in SampleMessages.usual + SampleMessages.nasty {
            for line in TerminalPicture(width: width).lines(ChatPicture(message)) {
                #expect(line.columns <= width, "\(name): \(line)")
            }
        }
        let night = Shop.dryRun(Shop.hours([("shop-ios", Shop.badDay), ("購物 👛", Shop.badDay)], title: Shop.hostile))
        for line in DryRunText(night, width: width).lines where !line.pieces.contains(where: { $0.ink.isBold }) {
            #expect(line.columns <= width, "\(line)")
        }
    }

    @Test func `nothing that strangers wrote steers the terminal`() throws {
        let night = Shop.dryRun(Shop.hours([(Shop.hostile, Shop.badDay)], title: Shop.hostile))
        let lines = DryRunText(night, width: nil).lines
        #expect(lines.contains { $0.text.contains("<script>alert(1)</script>") })
        for line in lines { #expect(line.text == line.text.tamed, "\(line)") }
    }

    @Test func `a day in a terminal looks as recorded`() throws {
        let day = Shop.dryRun(Shop.hours([("shop-ios", Shop.badDay)]))
        for (width, name) in [(nil, "dry-run.txt"), (72, "dry-run-72.txt")] as [(Int?, String)] {
            let lines = DryRunText(day, width: width).lines.map { $0.text.trimmedAtEnd }
            #expect(try snapshotFlaw(of: lines.joined(separator: "\n").withStableNames + "\n", named: name) == nil)
        }
    }

    @Test func `held and dropped messages say why and until when`() {
        let night = Shop.dryRun(
            Shop.hours([("shop-ios", Array(repeating: 9, count: 21) + [80, 85, 9])]), channel: "team")
        let lines = DryRunText(night, width: nil).lines.map(\.text)
        #expect(lines.contains("Fri 20 Nov 23:00 CET hold until Sat 21 Nov 07:00 CET (quiet_hours:nights)"), "\(lines)")
        #expect(lines.contains { $0.contains(" drop (") }, "\(lines)")
        #expect(lines.contains { $0.hasPrefix("  ios: Sat 21 Nov 01:0") && $0.contains("in ") }, "\(lines)")
    }

    @Test func `what is held for less than a minute says its seconds`() {
        let together = Shop.config(
            critical: "< 99%", holdTime: "0s", more: [], bot: "", gate: "together: {plugin: group, wait: 30s}")
        let day = Shop.dryRun(Shop.hours([("shop-ios", [9, 310])]), together, channel: "team")
        let lines = DryRunText(day, width: nil).lines.map(\.text)
        let words = ["Fri 20 Nov 03:00:00 CET", "until Fri 20 Nov 03:00:30 CET"]
        #expect(lines.contains("\(words[0]) hold \(words[1]) (group:together)"), "\(lines)")
        let page = DryRunPage(day).text
        for word in words { #expect(page.contains(">\(word)<"), "\(word)") }
    }

    @Test func `colours of payloads become colours that every terminal has`() throws {
        func ink(_ text: String) throws -> TerminalLine.Ink? {
            let color = try #require(ChatPicture.Color(text))
            return TerminalPicture(width: nil).lines(ChatPicture(.slack, [.bar(color, [.paragraph([.init("x")])])]))
                .first?.pieces.first?.ink
        }
        #expect(try ink("#B00020")?.color == .red)
        #expect(try ink("#F2A600")?.color == .yellow)
        #expect(try ink("#2F81F7")?.color == .blue)
        #expect(try ink("#2DA44E")?.color == .green)
        #expect(try ink("#6E7781")?.isDim == true)
    }
}

extension TerminalLine {
    var text: String { pieces.map(\.text).joined() }
}

extension String {
    var trimmedAtEnd: String {
        var text = self[...]
        while text.last == " " { text.removeLast() }
        return String(text)
    }

    /// Ids of incidents and deliveries come from hashes of names: what they are is of no interest here.
    var withStableNames: String { replacing(/incident [0-9a-z]{13}/, with: "incident ID") }
}

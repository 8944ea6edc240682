internal import AlertCore
internal import PluginKit
internal import PluginTesting
internal import Preview
internal import Testing

@testable import Pictures

@Suite struct PageTests {
    private let day = Shop.hours([("shop-ios", Shop.badDay)])
    private let hostile = Shop.hours([(Shop.hostile, Shop.badDay), ("購物 👛", Shop.badDay)], title: Shop.hostile)

    private func comparison(_ batches: [ObservationReader.Batch]) -> BacktestPage {
        let (old, new) = (Shop.config, Shop.config(critical: "< 96%", holdTime: "1h"))
        let (before, after) = (Shop.backtest(batches, old), Shop.backtest(batches, new))
        return BacktestPage(before, against: after, named: "proposed <b>.yaml", Difference(before, after))
    }

    private func pages(_ batches: [ObservationReader.Batch]) -> [(name: String, text: String)] {
        [
            ("dry run", DryRunPage(Shop.dryRun(batches)).text), ("backtest", BacktestPage(Shop.backtest(batches)).text),
            ("comparison", comparison(batches).text),
        ]
    }

    @Test func `pages of a small case look as recorded`() throws {
        #expect(
            try snapshotFlaw(
                of: DryRunPage(Shop.dryRun(day, channel: "team")).text.withStableNames, named: "dry-run.html") == nil)
        #expect(try snapshotFlaw(of: BacktestPage(Shop.backtest(day)).text, named: "backtest.html") == nil)
        #expect(try snapshotFlaw(of: comparison(day).text, named: "against.html") == nil)
    }

    @Test func `no page asks for anything from outside`() {
        for (name, text) in pages(hostile) + pages(day) + pages([]) {
            // Links that people may follow are the only addresses that lead anywhere.
            let rest = text.replacing(/<a href="[^"]*" target="_blank" rel="noopener noreferrer">/, with: "<a>")
                .replacing(/<pre>[^<]*<\/pre>/, with: "").replacing("xmlns=\"http://www.w3.org/2000/svg\"", with: "")
            for word in [
                "src=", "href=", "url(", "@import", "<script", "<link", "<iframe", "<object", "<embed", "<img", "<base",
                "http-equiv=\"refresh", "onload", "javascript:", "<image", "<use", "<foreignObject",
            ] {
                let found = rest.firstRange(of: word).map { rest[$0.lowerBound...].prefix(80) }
                #expect(found == nil, "\(name): \(found ?? "")")
            }
            #expect(text.contains("default-src 'none'"), "\(name)")
        }
    }

    @Test func `hostile words come out as words`() {
        for (name, text) in pages(hostile) {
            #expect(text.contains("&lt;script&gt;alert(1)&lt;/script&gt;"), "\(name)")
            #expect(!text.contains("<script"), "\(name)")
            #expect(!text.contains("\" onmouseover=\""), "\(name)")
            for scalar in ["\u{1B}", "\u{9B}", "\u{202E}", "\u{7}"] { #expect(!text.contains(scalar), "\(name)") }
            #expect(text.contains("購物 👛"), "\(name)")
        }
        #expect(comparison(day).text.contains("proposed &lt;b&gt;.yaml"))
    }

    @Test func `every tag that is opened is closed, in its order`() {
        for (name, text) in pages(hostile) + pages(day) + pages([]) {
            var open: [Substring] = []
            for match in text.matches(of: /<(\/?)([a-z0-9]+)([^>]*)>/) {
                let (tag, isVoid) = (match.2, match.3.hasSuffix("/") || ["meta", "br"].contains(match.2))
                if match.1.isEmpty {
                    if !isVoid { open.append(tag) }
                } else {
                    #expect(open.last == tag, "\(name): </\(tag)> in \(open.suffix(4))")
                    guard open.popLast() == tag else { return }
                }
            }
            #expect(open == [], "\(name)")
        }
    }

    @Test func `secrets are on no page`() {
        for (name, text) in pages(day) { #expect(!text.contains("s3cr3t"), "\(name)") }
    }

    @Test func `each chat has its own look, made from its payload`() {
        let text = DryRunPage(Shop.dryRun(day, Shop.chats)).text
        for chat in ChatPicture.Chat.allCases {
            #expect(text.contains("<div class=\"chat \(chat.rawValue)\">"), "\(chat)")
        }
        // Slack's bar, the signed JSON, and the exact request behind it.
        #expect(text.contains("style=\"--bar: #B00020\""))
        #expect(text.contains("&quot;type&quot;: &quot;incident.opened&quot;"))
        #expect(text.contains("https://hooks.slack.com/***"))
    }

    @Test func `nothing to say is said`() {
        #expect(DryRunPage(Shop.dryRun([])).text.contains("Nothing would be sent"))
        #expect(comparison([]).text.contains("Both configs send the same messages."))
        #expect(BacktestPage(Shop.backtest([])).text.contains("<h2>Rules</h2>"))
    }
}

import Commands
import PluginKit
import Testing

@Suite struct `What is to be muted` {
    @Test func `is named once, however often it is said`() {
        let wish = MuteWish(
            [(property: "app", values: ["shop", "shop", "bank"]), (property: "rule", values: [])],
            labels: ["team=checkout", "team=checkout", "app=bank"], isEverything: false)
        #expect(wish.complaint == nil)
        #expect(wish.match["app"]?.patterns.map(\.pattern) == ["shop", "bank"])
        #expect(wish.match["team"]?.patterns.map(\.pattern) == ["checkout"])
        #expect(wish.match.conditions.count == 2)
    }
}

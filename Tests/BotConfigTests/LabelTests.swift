internal import Testing

/// Labels that a match asks for, and what people take for a property.
extension ReachTests {
    private static let properties =
        "'match' goes by source, app, release, environment, rule, severity, issue and labels"

    @Test func `a label that no source gives is told`() {
        let bare = "plugin: known, labels: false"
        let told = "'squad' in 'match' is taken for a label, which source 'ios' does not give, so it can never match"
        #expect(
            routed("", "  - {match: {squad: pay}, to: team}\n  - {to: team}", source: bare) == [
                "9:14: \(told) (\(ReachTests.properties))"
            ])
        // Observations of a file may have it, whatever the source is.
        #expect(
            routed(", match: {squad: pay}", "  - {to: team}", source: bare) == [
                "5:35: \(told) (\(ReachTests.properties))"
            ])
        #expect(routed(", match: {squad: pay}", "  - {to: team}", source: bare + "}\n  web: {plugin: any") == [])
        #expect(routed(", match: {squad: \"*\"}", "  - {to: team}", source: bare) == [], "nothing is there, too")
    }

    @Test func `an owner is one that the config names`() {
        let owned = "plugin: known, labels: false, owner: checkout"
        let route = "  - {match: {owner: OWNER}, to: team}\n  - {to: team}"
        func owner(_ name: String, _ source: String) -> [String] {
            routed("", route.replacing("OWNER", with: name), source: source)
        }
        #expect(owner("checkout", owned) == [])
        #expect(
            owner("chekout", owned) == [
                "9:21: 'chekout' can never match: source 'ios' is configured to give checkout -> checkout"
            ])
        #expect(
            owner("checkout", "plugin: known, labels: false") == [
                "9:21: 'checkout' can never match: source 'ios' names no owner "
                    + "(change 'match', or what the source gives)"
            ])
        #expect(owner("chekout", "plugin: known, owner: checkout") == [], "its figures may have that label")
        #expect(
            routed(", match: {owner: chekout}", "  - {to: team}", source: owned, isUsable: false).contains(
                "5:42: 'chekout' can never match: source 'ios' is configured to give checkout -> checkout"))
    }

    @Test(arguments: ["channel", "kind", "state", "metric", "plugin"])
    func `what people take for a property is told to be a label`(word: String) {
        func gated(_ match: String, source: String, isUsable: Bool) -> [String] {
            routed(
                "}\n  calm: {plugin: paced, \(match)", "  - {to: team}", source: source, isUsable: isUsable)
        }
        let advice = word == "channel" ? "write 'channel' beside 'match'" : ReachTests.properties
        let unsure =
            "6:33: '\(word)' in 'match' is taken for a label: it matches nothing unless a source gives that label "
            + "(\(advice))"
        #expect(
            gated("match: {\(word): team}", source: "plugin: any", isUsable: true)
                == (word == "channel" ? [unsure] : []))
        #expect(gated("match: {\(word): beta}", source: "plugin: any", isUsable: true) == [], "a source may have it")
        let never =
            "'\(word)' in 'match' is taken for a label, which source 'ios' does not give, so it can never match"
        #expect(
            gated("match: {\(word): team}", source: "plugin: known, labels: false", isUsable: false) == [
                "6:33: \(never) (\(advice))"
            ])
        #expect(
            gated("when: {\(word): team}", source: "plugin: known, labels: false", isUsable: true) == [
                "6:32: \(never) (\(ReachTests.properties))".replacing("'match'", with: "'when'")
            ])
    }
}

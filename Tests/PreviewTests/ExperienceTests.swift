internal import AlertCore
internal import AlertTesting
internal import PluginKit
internal import Preview
internal import Testing

@Suite struct ExperienceTests {
    private func experience(_ hours: Int, _ rules: [DetectorPlan]) -> Experience? {
        var intake = Experience.Intake(.rehearsed(detectors: rules))
        for hour in 0...hours {
            let now = Moment.rehearsalStart + .hours(Int64(hour))
            intake.feed(.init(seen: now, lines: [.observed(.cue(hour % 24 == 1 ? .warning : .fine, at: now))]))
        }
        return intake.finish(channels: [:])
    }

    private func rule(_ name: String, _ match: Match = .all) -> DetectorPlan {
        DetectorPlan(name: name, detector: ScriptedDetector(), match: match)
    }

    @Test func `messages are counted for a week`() throws {
        let twoDays = try #require(experience(48, [rule("look")]))
        #expect(twoDays.rules.map(\.rule) == ["look"])
        // Two incidents, each with its end.
        #expect(twoDays.rules[0].messages == 4)
        #expect(twoDays.rules[0].perWeek == 14)
        #expect(twoDays.rules[0].text == "4 messages, 14 a week")
    }

    @Test func `hours say nothing of a week`() throws {
        let hours = try #require(experience(5, [rule("look")]))
        #expect(hours.rules[0].perWeek == nil)
        #expect(hours.rules[0].text == "2 messages")
    }

    @Test func `rules that matched nothing are named`() throws {
        let rules = [
            rule("look"), rule("other", .on(["app": "android-*"])), rule("shop", .on(["app": "sh*"])),
            rule("release", .on(["release": "5.*"])), rule("label", .on(["team": "checkout"])),
        ]
        #expect(try #require(experience(2, rules)).unmatched == ["other", "release", "label"])
    }

    @Test func `of nothing, nothing is said`() {
        #expect(Experience.Intake(.rehearsed()).finish(channels: [:]) == nil)
    }
}

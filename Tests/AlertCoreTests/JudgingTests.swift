import AlertCore
import AlertTesting
import PluginKit
import Testing

/// From verdicts to incidents: when one opens, when it is over, and what is said of it.
@Suite struct `Judging and incidents` {
    struct Story: Sendable, CustomTestStringConvertible {
        let name: String
        let holds: Duration
        let seen: String
        let told: String
        var testDescription: String { name }

        init(_ name: String, for holds: Duration = .zero, _ seen: String, _ told: String) {
            self.name = name
            self.holds = holds
            self.seen = seen
            self.told = told
        }
    }

    @Test(
        arguments: [
            Story("what is fine is not news", "......", "......"),
            Story("it opens once and ends once", "..www...", "..O..R.."),
            Story("it can come back", "w.w.", "OROR"),
            Story("worse is said at once", "wwccc.", "O.E..R"),
            Story("milder is not news", "ccwww.", "O....R"),
            Story("as bad as it was already said is not news", "cwcwc.", "O....R"),
            Story("not yet clear is neither over nor news", "w,,w,.", "O....R"),
            Story("not yet clear opens nothing", ",,,,", "...."),
            Story("unknown neither opens nor ends", "??w??.", "..O..R"),
            Story("unknown while recovering changes nothing", "w,?,.", "O...R"),
            Story("what does not hold long enough is not said", for: .minutes(3), "ww.ww.", "......"),
            Story("what holds long enough is said", for: .minutes(3), "wwwww.", "...O.R"),
            Story("what is not yet clear ends the wait", for: .minutes(3), "ww,ww.", "......"),
            Story("unknown never lets the wait run out", for: .minutes(2), "w?????", "......"),
            Story("it is as bad as it is when the wait ends", for: .minutes(2), "wwcc.", "..O.R"),
            Story("a failed poll changes nothing", "wxxx.", "O...R"),
            Story("no data changes nothing", "w___.", "O...R"),
        ])
    func `one look a minute, and what the team hears of it`(_ story: Story) {
        var bot = Rehearsal(.rehearsed(for: story.holds))
        bot.start()
        #expect(bot.play(story.seen) == story.told)
        #expect(bot.objections == [])
    }
}

import AlertModel
import Markup
import TimeZones

/// The inbox as a chat: what channels with `plugin: inbox` were told, a card for each incident.
extension Page {
    func inbox(messages: [InboxMessage], health: BotHealth, channels: [PageChannel]) -> HTML {
        let content: HTML = """
            <div class="thread">
            <h1 class="unseen">Inbox</h1>
            <p id="news" class="unseen" role="status"></p>
            \(empty(channels, isHidden: !messages.isEmpty))
            <ol id="messages">\(list(messages))</ol>
            <noscript><p class="hint">Reload this page to see new messages.</p></noscript>
            </div>
            """
        return frame("Inbox", .inbox, .top, health, refreshes: false, content)
    }

    private func empty(_ channels: [PageChannel], isHidden: Bool) -> HTML {
        let hidden: HTML = isHidden ? " hidden" : ""
        // What never comes is not promised.
        let (heading, sentence): (HTML, HTML) =
            channels.contains(where: \.isInbox)
            ? (
                "No messages yet",
                "\(botName) polls its sources and will write here as soon as a rule fires."
            )
            : (
                "Messages go elsewhere",
                """
                \(botName) writes to \(channels.map(\.name).joined(separator: ", ")). A channel with \
                <code>plugin: inbox</code> would show its messages here.
                """
            )
        return """
            <section id="empty"\(hidden)>
            <span class="avatar"></span>
            <h2>\(heading)</h2>
            <p>\(sentence)</p>
            </section>
            """
    }

    /// The cards with a line between days; `app.js` draws them anew when messages come.
    private func list(_ messages: [InboxMessage]) -> [HTML] {
        var pieces: [HTML] = []
        var last: HTML?
        for story in InboxStory.all(in: messages) {
            let day = day(story.latest.at)
            if day != last { pieces.append(#"<li class="day"><span>\#(day)</span></li>"#) }
            last = day
            pieces.append(card(story))
        }
        return pieces
    }

    /// `Friday, 20 November 2026`, on the bot's clock.
    func day(_ moment: Moment) -> HTML {
        let civil = wall.zone.civil(moment)
        let weekdays = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
        let months = [
            "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
            "November", "December",
        ]
        let date = civil.date
        return "\(weekdays[civil.weekday.rawValue]), \(date.day) \(months[date.month - 1]) \(String(date.year))"
    }
}

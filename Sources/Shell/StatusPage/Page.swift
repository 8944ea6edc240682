import AlertModel
import Markup

/// The chat page, written on the server so that a plain GET shows everything; `app.js` only adds what comes later.
struct Page: Sendable {
    let botName: String

    func html(messages: [InboxMessage], health: BotHealth, channels: [PageChannel]) -> HTML {
        """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>\(botName)</title>
        <link rel="icon" href="icon.svg" type="image/svg+xml">
        <link rel="stylesheet" href="style.css">
        <script src="app.js" defer></script>
        </head>
        <body>
        <header class="top">
        <span class="avatar"></span>
        <div class="who"><h1>\(botName)</h1>
        <div id="state" role="status">\(state(health))</div></div>
        <nav aria-label="For programs"><a href="api/status">Status</a> <a href="api/incidents">Incidents</a> \
        <a href="api/history">History</a> <a href="metrics">Metrics</a></nav>
        </header>
        <main id="room" tabindex="0" aria-label="Messages">
        <div class="thread">
        \(empty(channels, isHidden: !messages.isEmpty))
        <ol id="messages">\(list(messages))</ol>
        <noscript><p class="hint">Reload this page to see new messages.</p></noscript>
        </div>
        </main>
        <button id="newest" type="button" hidden>New messages ↓</button>
        </body>
        </html>

        """
    }

    /// The dot in the header and the sentence beside it.
    func state(_ health: BotHealth) -> HTML {
        let (tone, word): (HTML, HTML) =
            switch (health.isAlive, health.isReady) {
            case (false, _): ("down", "Down")
            case (true, false): ("unready", "Not ready")
            case (true, true): ("live", "Live")
            }
        return """
            <p class="state \(tone)"><span class="dot"></span><b>\(word)</b> <span class="doing">\(health.sentence)\
            </span></p>
            """
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

    /// The cards with a line between days; `app.js` draws those lines anew for the reader's own days.
    private func list(_ messages: [InboxMessage]) -> [HTML] {
        var pieces: [HTML] = []
        var day: Int?
        for message in messages {
            let civil = CivilTime(message.at)
            if civil.day != day {
                pieces.append(#"<li class="day"><span>\#(Page.longDate(civil))</span></li>"#)
                day = civil.day
            }
            pieces.append(card(message))
        }
        return pieces
    }

    private static func longDate(_ civil: CivilTime) -> String {
        let weekdays = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
        let months = [
            "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
            "November", "December",
        ]
        let date = civil.date
        return "\(weekdays[civil.weekday.rawValue]), \(date.day) \(months[date.month - 1]) \(date.year)"
    }
}

import AlertModel
import Markup

/// The pages, written on the server so that a plain GET shows everything; `app.js` only adds what comes later.
struct Page: Sendable {
    let botName: String
    /// Whether people can acknowledge and mute here.
    let isInteractive: Bool
    /// By which all times are said, and the words of messages.
    let wall: WallClock

    /// Makes pages, each for the moment at which somebody asks for it.
    struct Maker: Sendable {
        let botName: String
        let isInteractive: Bool

        func page(_ wall: WallClock) -> Page { Page(botName: botName, isInteractive: isInteractive, wall: wall) }
    }

    /// The pages that the header leads to.
    enum Room: String, CaseIterable {
        case overview = "./"
        case inbox
        case history

        fileprivate var title: String {
            switch self {
            case .overview: "Overview"
            case .inbox: "Inbox"
            case .history: "History"
            }
        }
    }

    /// Where a page stands: what leads from it to the top.
    struct Depth: Hashable {
        private let steps: Int

        static let top = Depth(steps: 0)
        /// Such as `/incidents/3f9a`.
        static let below = Depth(steps: 1)

        /// That of any path, known or not.
        static func of(_ path: String) -> Depth { Depth(steps: min(max(0, path.count { $0 == "/" } - 1), 20)) }

        var root: HTML { "\(Array(repeating: "../" as HTML, count: steps))" }
    }

    /// A page with its header.
    ///
    /// - Parameters:
    ///   - room: the one that this page is, which needs no link to itself; nil for a page below.
    ///   - refreshes: whether `app.js` reads it anew from time to time.
    func frame(
        _ title: String?, _ room: Room?, _ depth: Depth, _ health: BotHealth, refreshes: Bool, _ content: HTML
    ) -> HTML {
        let root = depth.root
        let links = Room.allCases.map { other -> HTML in
            let current: HTML? = other == room ? #" aria-current="page""# : nil
            return #"<a href="\#(root)\#(other.rawValue)"\#(current)>\#(other.title)</a> "#
        }
        return """
            <!doctype html>
            <html lang="en">
            \(head(title, depth, isScripted: true))
            <body>
            <header class="top">
            <span class="avatar"></span>
            <div class="who"><p class="name"><a href="\(root)./">\(botName)</a></p>
            <div id="state">\(state(health))</div></div>
            <nav aria-label="Pages">\(links)</nav>
            </header>
            <main id="\(room == .inbox ? "room" : "page")"\(room == .inbox ? #" tabindex="0" aria-label="Messages""# : nil)\
            \(refreshes ? " data-refreshes" : nil)>
            \(content)
            </main>
            \(room == .inbox ? #"<button id="newest" type="button" hidden>New messages ↓</button>"# : nil)
            </body>
            </html>

            """
    }

    /// The language of messages, where it is another than the page's, on an element with nothing but their words: whoever has
    /// the page read out hears each in its own.
    var tongue: HTML? {
        let language = wall.words.language
        return language == .english ? nil : #" lang="\#(language.rawValue)""#
    }

    /// What stands before the page itself.
    func head(_ title: String?, _ depth: Depth, isScripted: Bool) -> HTML {
        let root = depth.root
        let name: HTML = title.map { "\($0) · \(botName)" } ?? "\(botName)"
        return """
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <meta name="robots" content="noindex">
            <title>\(name)</title>
            <link rel="icon" href="\(root)icon.svg" type="image/svg+xml">
            <link rel="stylesheet" href="\(root)style.css">\
            \(isScripted ? "\n<script src=\"\(root)app.js\" defer></script>" : nil)
            </head>
            """
    }

    /// The dot in the header and the sentence beside it: what is wrong before that it lives.
    func state(_ health: BotHealth) -> HTML {
        let (tone, word): (String, String) =
            switch (health.isAlive, health.isReady, health.open.keys.max()) {
            case (false, _, _): ("down", "Down")
            case (true, false, _): ("unready", "Not ready")
            case (true, true, let worst?): ("alarm \(worst.rawValue)", Page.counts(health.open))
            case (true, true, nil): health.doubt.map { ("unsure", $0) } ?? ("live", "All well")
            }
        // The word alone is read out: the sentence is another with every poll.
        return """
            <p class="state \(tone)"><span class="dot"></span><b role="status">\(word)</b> <span class="doing">\(health.sentence)\
            </span></p>
            """
    }

    /// `1 critical, 2 warnings`.
    static func counts(_ open: [Severity: Int]) -> String {
        open.filter { $0.value > 0 }.sorted { $0.key > $1.key }.map { severity, count in
            switch severity {
            case .warning: "\(count) \(count == 1 ? "warning" : "warnings")"
            case .critical, .info: "\(count) \(severity.rawValue)"
            }
        }.joined(separator: ", ")
    }

    /// A moment on the bot's clock, as in its messages; `app.js` adds the reader's own for whoever points at it.
    func time(_ moment: Moment) -> HTML {
        #"<time datetime="\#(moment.description)">\#(wall.words(moment))</time>"#
    }

    func time(_ moment: Moment?) -> HTML? { moment.map { time($0) } }
}

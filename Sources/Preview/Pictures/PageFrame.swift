internal import Markup

/// What every page of a preview has around it: one file that asks for nothing, for light and dark, for wide and narrow.
enum PageFrame {
    static func page(title: String, lead: HTML, _ body: [HTML]) -> HTML {
        """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <meta name="referrer" content="no-referrer">
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
        <title>\(title)</title>
        <style>
        \(PageFrame.style)</style>
        </head>
        <body>
        <header><h1>\(title)</h1>\(lead)</header>
        <main>
        \(body)
        </main>
        <footer>This was a preview: nothing was sent.</footer>
        </body>
        </html>
        """
    }

    /// A table that scrolls by itself where the screen is narrower.
    ///
    /// - Parameter isWordy: whether the last column holds sentences and wants room.
    static func table(_ caption: String, head: [String], rows: [[HTML]], isWordy: Bool = false) -> HTML {
        let kind: HTML? = isWordy ? " wordy" : nil
        let titles = head.map { title -> HTML in #"<th scope="col">\#(title)</th>"# }
        let lines = rows.map { row -> HTML in "<tr>\(row.map { cell -> HTML in "<td>\(cell)</td>" })</tr>\n" }
        return """
            <div class="scroll\(kind)" tabindex="0" role="region" aria-label="\(caption)"><table>\
            <caption>\(caption)</caption>\
            <thead><tr>\(titles)</tr></thead><tbody>
            \(lines)</tbody></table></div>
            """
    }

    /// A word in a coloured lozenge.
    static func chip(_ words: String, _ tone: HTML) -> HTML { #"<span class="chip \#(tone)">\#(words)</span>"# }

    private static let style: HTML = """
        :root {
          --ground: #f6f6f9; --card: #fff; --line: #e1e1ea; --ink: #1c1c28; --muted: #626274; --accent: #5546d6;
          --critical: #c81e30; --warning: #a85a00; --info: #1f6cd6; --good: #137a38; --code: #f3f3f7;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --ground: #15151b; --card: #1f1f28; --line: #343442; --ink: #ececf3; --muted: #a2a2b4; --accent: #a79dff;
            --critical: #ff6b76; --warning: #ffab4a; --info: #6cabff; --good: #4fce7b; --code: #282834;
          }
        }
        * { box-sizing: border-box; margin: 0; }
        body {
          background: var(--ground); color: var(--ink); overflow-wrap: anywhere;
          font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Inter, Roboto, "Noto Sans", sans-serif;
        }
        header, main, footer { max-width: 1080px; margin: 0 auto; padding: 0 20px; }
        header { padding-top: 28px; }
        footer { padding-top: 28px; padding-bottom: 28px; color: var(--muted); font-size: 13px; }
        h1 { font-size: 24px; line-height: 1.25; }
        h2 { font-size: 18px; margin-top: 36px; }
        h2 small, h3 small { color: var(--muted); font-weight: 400; font-size: 14px; margin-left: 4px; }
        h3 { font-size: 14px; margin-top: 22px; }
        .lead { color: var(--muted); margin-top: 4px; }
        .counts { display: flex; flex-wrap: wrap; gap: 8px; margin-top: 14px; }
        a { color: var(--accent); }
        :focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
        .chip {
          display: inline-block; padding: 0 8px; border-radius: 999px; border: 1px solid; color: var(--tone);
          font-size: 12px; font-weight: 600; line-height: 20px; white-space: nowrap; --tone: var(--muted);
        }
        .chip.send, .chip.resolved { --tone: var(--good); }
        .chip.hold, .chip.warning { --tone: var(--warning); }
        .chip.drop, .chip.critical { --tone: var(--critical); }
        .chip.info { --tone: var(--info); }
        .entry { margin-top: 16px; }
        .entry > .about { display: flex; flex-wrap: wrap; gap: 4px 10px; align-items: baseline; margin-bottom: 6px; }
        .entry time, .about .why { color: var(--muted); font-size: 13px; font-variant-numeric: tabular-nums; }
        .entry > .headline { font-weight: 600; }
        details { margin-top: 6px; }
        summary { color: var(--muted); font-size: 13px; cursor: pointer; width: fit-content; }
        pre {
          font: 12.5px/1.5 ui-monospace, "SF Mono", Menlo, "DejaVu Sans Mono", monospace; white-space: pre-wrap;
          overflow-wrap: anywhere;
        }
        details > pre { margin-top: 6px; padding: 12px 14px; border-radius: 8px; background: var(--code); }

        .chat { display: flex; gap: 10px; padding: 14px 16px; border: 1px solid var(--line); border-radius: 10px; }
        .channels { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 460px), 1fr)); gap: 0 28px; }
        .channels > * { min-width: 0; }
        .chat { background: var(--card); max-width: 720px; }
        .chat .said { flex: 1; min-width: 0; }
        .chat p + *, .chat ul + *, .chat .fields + *, .chat .bar + *, .chat pre + * { margin-top: 8px; }
        .chat .by + * { margin-top: 2px; }
        .chat .fields > * { margin-top: 0; }
        .chat .by { font-size: 14px; }
        .chat .by time { font-size: 12px; }
        .chat ul { padding-left: 20px; }
        .chat .chart svg { max-width: 100%; height: auto; }
        .chat .small { font-size: 12px; color: var(--muted); }
        .chat .fields { display: grid; grid-template-columns: 1fr 1fr; gap: 8px 20px; }
        .chat.pagerduty .fields { grid-template-columns: 1fr; }
        .chat .bar { position: relative; padding: 2px 0 2px 14px; }
        .chat .bar::before {
          content: ""; position: absolute; inset: 0 auto 0 0; width: 4px; border-radius: 4px; background: var(--bar);
        }
        .chat .heading { font-weight: 700; }
        .chat code {
          font: 0.92em ui-monospace, "SF Mono", Menlo, "DejaVu Sans Mono", monospace; padding: 1px 4px;
          border-radius: 4px; background: var(--code);
        }
        .face {
          flex: none; width: 36px; height: 36px; border-radius: 8px;
          background: linear-gradient(135deg, #7c6cf0, #4a39c4); position: relative;
        }
        .face::after {
          content: ""; position: absolute; inset: 8px 10px 11px; border-radius: 8px 8px 3px 3px; background: #fff;
          box-shadow: 0 8px 0 -6px #fff;
        }

        .slack { font-family: Lato, "Slack-Lato", system-ui, "Segoe UI", Roboto, "Noto Sans", sans-serif; \
        --accent: #1264a3; }
        .chat .by i {
          margin-left: 5px; padding: 1px 3px; border-radius: 2px; background: var(--line); color: var(--muted);
          font-size: 10px; font-style: normal; font-weight: 600; vertical-align: 1px;
        }
        .slack .heading { font-size: 18px; line-height: 1.3; }
        .slack code { color: #c0224f; border: 1px solid var(--line); }
        .slack a { text-decoration: none; }
        .matrix .face { width: 32px; height: 32px; border-radius: 50%; }
        .matrix .face::after { inset: 7px 8px 9px; }
        .matrix .by b { color: #0a8a66; }
        .matrix { --accent: #0a7d5d; }
        .discord { --accent: #0068e0; }
        .discord .face { background: #5865f2; border-radius: 50%; }
        .discord .bar { background: var(--code); padding: 10px 14px; border-radius: 4px; max-width: 520px; }
        .teams { --accent: #4f52b2; }
        .teams .face { background: #5b5fc7; border-radius: 50%; }
        .teams .bar { padding: 10px 14px; background: color-mix(in srgb, var(--bar) 16%, transparent); }
        .teams .bar::before { content: none; }
        .mattermost { --accent: #1c58d9; }
        .mattermost .face { background: #1e325c; border-radius: 50%; }
        .mattermost .bar { padding: 8px 14px; border: 1px solid var(--line); border-radius: 4px; }
        .rocketchat { --accent: #095ad2; }
        .rocketchat .face { background: #f5455c; border-radius: 4px; }
        .rocketchat .bar { padding: 8px 14px; background: var(--code); border-radius: 2px; }
        .google_chat { --accent: #0b57d0; }
        .google_chat .face { background: #1a73e8; border-radius: 50%; }
        .google_chat .bar { padding: 10px 14px; border: 1px solid var(--line); border-radius: 12px; max-width: 480px; }
        .google_chat .bar::before { content: none; }
        .pagerduty { --accent: #05803e; }
        .telegram { --accent: #1c6ea4; }
        .telegram .face { background: #2a8fd0; border-radius: 50%; }
        .email { --accent: #0857c3; }
        .email .face { background: #57606a; border-radius: 50%; }
        .email .bar { max-width: 640px; }
        .email pre { background: none; padding: 0; white-space: pre-wrap; }
        .ntfy { --accent: #2a6f62; }
        .ntfy .face { background: #338574; border-radius: 8px; }
        .ntfy .bar { max-width: 480px; }
        .terminal { background: #16161d; border-color: #16161d; }
        .terminal pre { color: #e6e6ee; }
        .program { background: var(--code); }
        @media (prefers-color-scheme: dark) {
          .slack { background: #1a1d21; --accent: #1d9bd1; }
          .slack code { color: #e8912d; }
          .matrix { background: #15191e; --accent: #0dbd8b; }
          .matrix .by b { color: #0dbd8b; }
          .discord { background: #313338; --accent: #00a8fc; }
          .teams { background: #292929; --accent: #a6a7f2; }
          .mattermost { background: #1f2228; --accent: #5d89ea; }
          .rocketchat { background: #1f2329; --accent: #739eec; }
          .google_chat { background: #1f1f1f; --accent: #a8c7fa; }
          .pagerduty { --accent: #4fc88a; }
          .telegram { background: #17212b; --accent: #6ab7f5; }
          .email { background: #16181d; --accent: #7db4ff; }
          .ntfy { background: #1a1f1e; --accent: #65b8a6; }
          .terminal { border-color: var(--line); }
        }

        .scroll { overflow-x: auto; margin-top: 10px; }
        table { border-collapse: collapse; font-size: 13.5px; font-variant-numeric: tabular-nums; min-width: 100%; }
        caption { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
        th, td { text-align: left; padding: 5px 14px 5px 0; border-bottom: 1px solid var(--line); vertical-align: top; }
        th { color: var(--muted); font-weight: 600; font-size: 12.5px; white-space: nowrap; }
        td { overflow-wrap: break-word; }
        .wordy td:first-child { white-space: nowrap; }
        .wordy td:last-child { min-width: 240px; }
        figure { margin-top: 10px; }
        figure svg { display: block; width: 100%; min-width: 620px; height: auto; }
        figure .drawing { overflow-x: auto; }
        figcaption { font-weight: 600; margin-bottom: 4px; }
        .pair { display: grid; grid-template-columns: 1fr 1fr; gap: 18px; }
        .pair figure { min-width: 0; }
        .pair figure svg { min-width: 440px; }
        .near { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 330px), 1fr)); gap: 4px 18px; }
        .near figure { min-width: 0; }
        .near figure svg { min-width: 0; max-width: 460px; }
        .legend { color: var(--muted); font-size: 13px; margin-top: 6px; }
        @media (max-width: 720px) {
          header, main, footer { padding-left: 14px; padding-right: 14px; }
          .pair { grid-template-columns: 1fr; }
          .chat { padding: 12px; }
          .chat .fields { gap: 8px 12px; }
        }
        @media print { body { background: #fff; } .scroll, figure .drawing { overflow: visible; } }

        """
}

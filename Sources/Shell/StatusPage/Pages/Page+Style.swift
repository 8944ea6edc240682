extension Page {
    /// A bell on a round-cornered square: the bot's face and the page's icon.
    static let icon = """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40"><defs><linearGradient id="g" x1="0" y1="0" x2="1" \
        y2="1"><stop stop-color="#7c6cf0"/><stop offset="1" stop-color="#4a39c4"/></linearGradient></defs><rect \
        width="40" height="40" rx="10" fill="url(#g)"/><path d="M20 9a7.5 7.5 0 0 0-7.5 7.5c0 6.2-2.2 8.2-3 9a.9.9 0 0 0 \
        .6 1.5h19.8a.9.9 0 0 0 .6-1.5c-.8-.8-3-2.8-3-9A7.5 7.5 0 0 0 20 9Z" fill="#fff"/><path d="M16.8 28.8a3.3 3.3 0 0 \
        0 6.4 0Z" fill="#fff"/></svg>

        """

    static let style = """
        :root {
          --ground: #f6f6f9; --card: #ffffff; --line: #e3e3ec; --edge: #868698; --ink: #1c1c28; --muted: #666678; --accent: #5546d6;
          --critical: #d02536; --warning: #a85a00; --info: #1f6cd6; --resolved: #137a38; --digest: #6b6b80;
          --shadow: 0 1px 2px rgb(20 20 50 / 6%), 0 2px 8px rgb(20 20 50 / 4%);
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --ground: #15151b; --card: #1f1f28; --line: #32323f; --edge: #757589; --ink: #ececf3; --muted: #a2a2b4; --accent: #a79dff;
            --critical: #ff6b76; --warning: #ffab4a; --info: #6cabff; --resolved: #4fce7b; --digest: #9a9aae;
            --shadow: none;
          }
        }
        * { box-sizing: border-box; margin: 0; }
        [hidden] { display: none !important; }
        body {
          height: 100vh; height: 100dvh; display: flex; flex-direction: column; background: var(--ground);
          color: var(--ink); font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Inter, Roboto, sans-serif;
        }
        a { color: var(--accent); text-decoration: none; }
        a:hover { text-decoration: underline; }
        :focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }

        .top {
          display: flex; align-items: center; gap: 12px; padding: 10px 20px; background: var(--card);
          border-bottom: 1px solid var(--line);
        }
        .avatar { flex: none; width: 40px; height: 40px; background: url(icon.svg) center / contain no-repeat; }
        .top .who { flex: 1; min-width: 0; }
        .top .name { font-size: 17px; font-weight: 700; line-height: 1.3; overflow-wrap: anywhere; }
        .top .name a { color: inherit; }
        .top nav { display: flex; gap: 4px; }
        .top nav a { padding: 5px 10px; border-radius: 8px; color: var(--muted); font-size: 13px; }
        .top nav a[aria-current] { background: var(--ground); color: var(--ink); font-weight: 600; }
        .top nav a:hover { background: var(--ground); color: var(--ink); text-decoration: none; }
        .state { font-size: 13px; color: var(--muted); overflow-wrap: anywhere; }
        .state b { font-weight: 600; color: var(--tone); }
        .state .doing { margin-left: 2px; }
        .dot {
          display: inline-block; width: 8px; height: 8px; margin-right: 6px; border-radius: 50%;
          background: var(--tone); vertical-align: 1px;
        }
        .state { --tone: var(--digest); }
        .state.live { --tone: var(--resolved); }
        .state.unready, .state.unsure, .state.lost { --tone: var(--warning); }
        .state.down, .state.critical { --tone: var(--critical); }
        .state.warning { --tone: var(--warning); }
        .state.info { --tone: var(--info); }
        .state.live .dot { animation: breathe 3s ease-in-out infinite; }
        @keyframes breathe { 50% { opacity: 0.45; } }

        .unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }

        #page { flex: 1; min-height: 0; overflow-y: auto; }
        .board { width: 100%; max-width: 1060px; margin: 0 auto; padding: 8px 20px 40px; overflow-wrap: anywhere; }
        .board > h1 { margin-top: 20px; font-size: 22px; line-height: 1.3; }
        .board section { margin-top: 26px; }
        .board section > h2 { margin-bottom: 8px; font-size: 13px; font-weight: 650; color: var(--muted); }
        .board .message { padding: 5px 0; }
        .board .message article { flex: 1; min-width: 0; }
        .board .message article h1 { font-size: 20px; line-height: 1.35; text-wrap: pretty; }
        .board .message article h3 { font-size: 16px; font-weight: 650; }
        .board .message article h3 a { color: var(--ink); }
        .board .kind + h1, .board .kind + h3, .board h1 + .since, .board h3 + .since { margin-top: 2px; }
        .board h2 a { margin-left: 10px; font-weight: 500; text-decoration: underline; text-underline-offset: 2px; }
        .rest { margin-top: 8px; padding: 0; list-style: none; font-size: 14px; }
        .rest li {
          margin: 3px 0; overflow: hidden; padding: 6px 14px; background: var(--card); border: 1px solid var(--line); border-radius: 8px;
          border-left: 4px solid var(--tone);
        }
        .rest a { color: var(--ink); font-weight: 600; }
        .rest small { color: var(--muted); white-space: nowrap; }
        .since, .calm, .board .footer { font-size: 13px; color: var(--muted); }
        .calm { font-size: 15px; }
        .board .footer { margin-top: 26px; }
        .jumps { display: flex; flex-wrap: wrap; gap: 2px 16px; margin-top: 12px; font-size: 13px; }
        .jumps a { text-decoration: underline; text-underline-offset: 2px; }
        .wide { position: relative; overflow-x: auto; background: var(--card); border: 1px solid var(--line); border-radius: 12px; }
        table { width: 100%; border-collapse: collapse; font-size: 14px; overflow-wrap: normal; }
        th, td { padding: 8px 14px; text-align: left; vertical-align: top; font-weight: 400; }
        thead th { font-size: 12px; color: var(--muted); white-space: nowrap; }
        tbody tr { border-top: 1px solid var(--line); --tone: var(--muted); }
        tbody tr:has(.same) { border-top-color: transparent; }
        tbody th { font-weight: 600; min-width: 10em; max-width: 24em; overflow-wrap: anywhere; }
        tbody td { max-width: 30em; overflow-wrap: break-word; }
        tbody th a, .keys a { text-decoration: underline; text-underline-offset: 2px; }
        td small, th small { color: var(--muted); font-size: 12px; font-weight: 400; }
        .rest .critical { --tone: var(--critical); }
        .rest .warning { --tone: var(--warning); }
        .rest .info { --tone: var(--info); }
        tr.fine { --tone: var(--resolved); }
        tr.warning { --tone: var(--warning); }
        tr.critical { --tone: var(--critical); }
        tr.info { --tone: var(--info); }
        .verdict { font-weight: 600; color: var(--tone); font-variant-numeric: tabular-nums; white-space: nowrap; }
        .age, td time { white-space: nowrap; color: var(--muted); font-variant-numeric: tabular-nums; }
        .trouble { margin-top: 2px; font-size: 13px; color: var(--muted); overflow-wrap: anywhere; min-width: 16em; }
        .dead { margin-top: 6px; padding-left: 16px; min-width: 20em; }
        .dead li { margin: 4px 0; }
        form[role=search] { display: flex; gap: 8px; align-items: center; margin: 10px 0 12px; }
        form[role=search] input, form[role=search] button {
          padding: 5px 10px; font: inherit; color: var(--ink); background: var(--card); border: 1px solid var(--edge);
          border-radius: 8px;
        }
        form[role=search] button { white-space: nowrap; }
        form[role=search] input { width: min(18em, 50vw); margin-left: 6px; }
        .because {
          padding: 12px 16px; margin-top: 8px; background: var(--card); border: 1px solid var(--line); border-radius: 12px;
          font: 13px/1.55 ui-monospace, "SF Mono", Menlo, "DejaVu Sans Mono", monospace; white-space: pre-wrap;
        }
        figure { margin-top: 8px; padding: 12px; background: var(--card); border: 1px solid var(--line); border-radius: 12px; }
        figcaption { margin-top: 4px; font-size: 13px; color: var(--muted); }
        .chart { display: block; width: 100%; height: auto; }
        td .chart { width: 120px; min-width: 90px; }
        .chart path { fill: none; }
        .chart .line { stroke: var(--accent); stroke-width: 1.6; stroke-linejoin: round; stroke-linecap: round; }
        .chart .limit { stroke: var(--critical); stroke-width: 1.2; stroke-dasharray: 6 3; }
        .chart .usual { stroke: var(--muted); stroke-width: 1; stroke-dasharray: 1 3; }
        .chart.slim { display: none; }
        .chart .grid { stroke: var(--line); stroke-width: 1; }
        .chart .tick { stroke: var(--muted); stroke-width: 1; }
        .chart .release { stroke: var(--muted); stroke-width: 1; stroke-dasharray: 2 2; }
        .chart .wrong { fill: var(--tone); opacity: 0.13; }
        svg .message { fill: var(--ink); stroke: none; }
        .chart text { font-size: 11px; fill: var(--muted); }
        .chart .figure { text-anchor: end; }
        .chart .hour { text-anchor: middle; }
        .key .line, .key .limit, .key .usual { fill: none; stroke-width: 2; }
        .key .limit { stroke: var(--critical); stroke-dasharray: 6 3; }
        .key .usual { stroke: var(--muted); stroke-dasharray: 1 3; }
        .line.l0 { stroke: var(--accent); }
        .line.l1 { stroke: var(--info); stroke-dasharray: 7 2; }
        .line.l2 { stroke: var(--resolved); stroke-dasharray: 4 2; }
        .line.l3 { stroke: var(--warning); stroke-dasharray: 7 2 2 2; }
        .line.l4 { stroke: var(--digest); stroke-dasharray: 2 2; }
        .keys { display: flex; flex-wrap: wrap; gap: 4px 16px; margin: 8px 0 0; padding: 0; list-style: none; }
        .keys .key { width: 24px; height: 10px; margin-right: 6px; vertical-align: middle; }
        .keys .wrong { display: inline-block; width: 14px; height: 10px; margin-right: 6px; background: var(--tone); opacity: 0.5; }
        .wrong { --tone: var(--info); }
        .wrong.critical { --tone: var(--critical); }
        .wrong.warning { --tone: var(--warning); }

        /* Turned over, the room opens at its newest message and stays there without a script. */
        #room { flex: 1; min-height: 0; overflow-y: auto; display: flex; flex-direction: column-reverse; }
        #room:focus-visible { outline-offset: -2px; }
        .thread { width: 100%; max-width: 860px; min-height: 100%; margin: 0 auto; padding: 8px 20px 24px; flex-shrink: 0; }
        #messages { list-style: none; padding: 0; }
        .notice { width: 100%; max-width: 480px; margin: 12vh auto 0; padding: 0 20px; overflow-wrap: anywhere; }
        .notice p, .notice form { margin-top: 14px; }
        .notice article .kind { margin-top: 0; }
        .notice form > button { margin-top: 14px; }
        .notice article h1 { font-size: 16px; line-height: 1.4; text-wrap: pretty; }
        .notice input[name] {
          width: 100%; padding: 8px 12px; font: inherit; color: var(--ink); background: var(--card);
          border: 1px solid var(--edge); border-radius: 8px;
        }
        .notice input[type=hidden] { display: none; }
        .choices { display: flex; flex-wrap: wrap; gap: 8px; }
        .notice button {
          padding: 8px 16px; font: inherit; font-weight: 600; color: var(--ink); background: var(--card);
          border: 1px solid var(--accent); border-radius: 8px; cursor: pointer;
        }
        .hint { text-align: center; color: var(--muted); font-size: 13px; padding-top: 12px; }

        .day { display: flex; align-items: center; gap: 14px; margin: 22px 0 10px; color: var(--muted); }
        .day::before, .day::after { content: ""; flex: 1; border-top: 1px solid var(--line); }
        .day span { font-size: 12px; font-weight: 600; }

        .message { display: flex; gap: 12px; padding: 8px 0; }
        .said { flex: 1; min-width: 0; }
        .by { font-size: 13px; color: var(--muted); margin-bottom: 4px; overflow-wrap: anywhere; }
        .by b { color: var(--ink); font-size: 15px; }
        .by .channel::before { content: "#"; opacity: 0.6; }
        .by .channel { margin: 0 4px; }
        .by .when { color: inherit; white-space: nowrap; font-variant-numeric: tabular-nums; }

        .message { --tone: var(--digest); }
        .message.critical { --tone: var(--critical); }
        .message.warning { --tone: var(--warning); }
        .message.info { --tone: var(--info); }
        .message.resolved { --tone: var(--resolved); }
        .message.closed { --tone: var(--digest); }
        article {
          position: relative; overflow: hidden; padding: 12px 16px 12px 20px; background: var(--card);
          border: 1px solid var(--line); border-radius: 4px 14px 14px 14px; box-shadow: var(--shadow);
          overflow-wrap: anywhere;
        }
        article::before { content: ""; position: absolute; inset: 0 auto 0 0; width: 4px; background: var(--tone); }
        .message:target article { border-color: var(--accent); }
        .kind {
          font-size: 11px; font-weight: 700; letter-spacing: 0.05em; text-transform: uppercase; color: var(--tone);
        }
        article h2 { font-size: 16px; line-height: 1.4; font-weight: 650; text-wrap: pretty; }
        article > * + * { margin-top: 10px; }
        article > .kind + h2 { margin-top: 2px; }
        .facts { display: grid; grid-template-columns: 1fr 1fr; gap: 8px 24px; }
        .facts dt { font-size: 12px; color: var(--muted); }
        .facts dd { margin: 0; font-weight: 500; font-variant-numeric: tabular-nums; }
        .course { display: flex; flex-wrap: wrap; padding: 0; list-style: none; font-size: 13px; color: var(--muted); }
        .course li:not(:last-child)::after { content: "·"; content: "·" / ""; margin: 0 6px; }
        .course li:last-child { color: var(--tone); font-weight: 600; }
        .course time, .earlier time { font-variant-numeric: tabular-nums; }
        .earlier summary { font-size: 13px; font-weight: 600; color: var(--accent); cursor: pointer; }
        .earlier ol { padding: 0; list-style: none; }
        .earlier ol > li { margin-top: 12px; padding-top: 10px; border-top: 1px solid var(--line); }
        .earlier ol > li > * + * { margin-top: 8px; }
        .earlier .kind { color: var(--muted); }
        .earlier .kind + h3 { margin-top: 2px; font-size: 15px; color: var(--ink); }
        .spark { display: flex; flex-wrap: wrap; align-items: baseline; gap: 2px 10px; }
        .spark span { font-size: 12px; color: var(--muted); }
        .spark code {
          font-family: ui-monospace, "SF Mono", Menlo, "DejaVu Sans Mono", monospace; color: var(--tone);
          white-space: pre-wrap;
        }
        .lines, .issues { padding-left: 18px; list-style: disc; }
        .lines li, .issues li { margin: 3px 0; }
        .lines li::marker, .issues li::marker { color: var(--muted); }
        .why { font-style: italic; color: var(--muted); }
        article .part { font-size: 12px; font-weight: 600; color: var(--muted); }
        article .part + ul { margin-top: 2px; }
        .issues small { display: inline-block; color: var(--muted); font-size: 13px; }
        .links { display: flex; flex-wrap: wrap; gap: 8px; }
        .links a {
          padding: 4px 12px; border: 1px solid var(--line); border-radius: 8px; font-size: 13px; font-weight: 600;
        }
        .links a:hover { background: var(--ground); text-decoration: none; }
        .footer { font-size: 12px; color: var(--muted); }

        #empty { max-width: 440px; margin: 18vh auto 0; text-align: center; }
        #empty .avatar { display: inline-block; width: 72px; height: 72px; }
        #empty h2 { margin: 16px 0 6px; font-size: 20px; }
        #empty p { color: var(--muted); }

        #newest {
          position: fixed; bottom: 20px; left: 50%; transform: translateX(-50%); padding: 8px 18px; border: 0;
          border-radius: 999px; background: var(--accent); color: var(--card); font: inherit; font-weight: 600;
          cursor: pointer; box-shadow: 0 4px 16px rgb(0 0 0 / 25%);
        }

        .arriving { animation: arrive 0.35s ease-out; }
        @keyframes arrive { from { opacity: 0; transform: translateY(12px); } }
        @media (prefers-reduced-motion: reduce) { * { animation: none !important; } }

        /* On paper nothing scrolls, and nothing can be pressed. */
        @media print {
          body { display: block; height: auto; }
          #page, #room { display: block; overflow: visible; }
          .wide { overflow: visible; }
          .top nav, .jumps, form[role=search], #newest { display: none; }
          article, figure, tr, .rest li { break-inside: avoid; }
        }
        @media (min-width: 1000px) {
          .cards:has(.message + .message) { display: grid; grid-template-columns: 1fr 1fr; gap: 0 14px; }
        }
        @media (max-width: 640px) {
          .rest small { white-space: normal; }
          .top { padding: 8px 12px; flex-wrap: wrap; }
          .top nav { width: 100%; margin: -4px 0 -2px -10px; overflow-x: auto; }
          .board { padding: 4px 12px 28px; }
          .wide { overflow-x: visible; }
          table { overflow-wrap: anywhere; }
          table, tbody, tr, tbody th, td { display: block; max-width: none; min-width: 0; }
          thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
          tbody tr { padding: 6px 0; }
          tbody tr:first-child { border-top: 0; }
          tbody th { padding: 3px 12px; }
          td { position: relative; padding: 3px 12px 3px 8.5em; }
          td::before { content: attr(data-label); position: absolute; left: 12px; width: 7em; color: var(--muted); font-size: 13px; }
          td:empty, td.same { display: none; }
          .verdict, .age, td time { white-space: normal; }
          .trouble, .dead { min-width: 0; }
          .chart.broad { display: none; }
          .chart.slim { display: block; }
          form[role=search] { flex-wrap: wrap; }
          .thread { padding: 4px 12px 20px; }
          .message { gap: 8px; }
          .message .avatar { width: 28px; height: 28px; }
          article { padding: 10px 12px 10px 16px; }
          .facts { gap: 8px 14px; }
        }

        """
}

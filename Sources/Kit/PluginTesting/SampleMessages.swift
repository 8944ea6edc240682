public import PluginKit

/// Messages to try channels with: some as the bot writes them, some as nobody should.
public enum SampleMessages {
    /// Words that hostile titles are made of.
    public static let hostileTitle =
        "EXC_BAD_ACCESS in Renderer.draw(_:) \"<!channel> @everyone @room\" & </b><b>more</b> `a` ```b``` *c* _d_ "
        + "~e~ |f|"

    /// Every usual message with its name.
    public static let usual: [(name: String, message: Message)] = [
        ("opened", opened), ("escalated", escalated), ("resolved", resolved), ("digest", digest), ("test", test),
    ]

    public static let opened = Message(
        kind: .opened,
        severity: .critical,
        at: start,
        headline: "🔴 shop-ios: crash-free users 98.31% (alert below 99.0%)",
        fields: [
            Message.Field("Before", "99.82% (last day)"), Message.Field("Users hit", "31 of 1,840"),
            Message.Field("Since", "2026-11-20 23:20 UTC, 40 min"), Message.Field("Release", "4.2.1 (62% of users)"),
        ],
        reason: "98.31% of 1,840 users were free of crashes in the last hour; at best it is 98.82%, below the limit.",
        issues: [
            Message.IssueLine(
                title: "EXC_BAD_ACCESS in Renderer.draw(_:)",
                detail: "40 events, 29 users",
                url: "https://crashes.example.com/issues/7f3a9c?project=1&query=is%3Aunresolved"
            ),
            Message.IssueLine(title: "NSRangeException in -[Feed item:]", detail: "3 events, 2 users", url: nil),
        ],
        sparkline: "▇▇▇█▇▇▇█▇▇▇▇█▇▇▇▇█▇▇▇▅▂▁",
        links: [
            Message.Link("Open in Sentry", "https://crashes.example.com/releases/4.2.1"),
            Message.Link("Mute 2 h", "https://alerts.example.com/mute/3k9?for=2h"),
            Message.Link("Mute 2 days", "https://alerts.example.com/mute/3k9?for=2d"),
        ], footer: "crash-free-floor · incident 3k9", incidents: [incident])

    public static let escalated = Message(
        kind: .escalated,
        severity: .warning,
        at: start,
        headline: "🟠 shop-android: ANR rate 0.61% (alert above 0.47%), was info",
        fields: [Message.Field("Limit", "> 0.47%")], reason: "The ANR rate has been above its limit for 2 h.",
        footer: "anr · incident 81f")

    public static let resolved = Message(
        kind: .resolved,
        severity: .critical,
        at: start,
        headline: "✅ shop-ios: crash-free users 99.71% again",
        fields: [
            Message.Field("Lasted", "1 h 50 min"), Message.Field("Lowest", "97.90%"), Message.Field("Users hit", "212"),
        ], sparkline: "▇▇▇█▇▇▇█▇▇▇▇█▇▇▇▇█▇▇▇▅▂▁▇", footer: "crash-free-floor · incident 3k9", incidents: [incident])

    public static let digest = Message(
        kind: .digest,
        severity: .warning,
        at: start,
        headline: "🗒 3 more incidents in the last hour",
        reason: "The budget of 10 messages an hour is spent.",
        lines: [
            "🔴 shop-ios: crash-free users 98.31% (alert below 99.0%)", "🟠 shop-android: 12 new issues",
            "✅ pay-ios: crash-free sessions, 22:10 to 23:40",
        ], footer: "budget calm", incidents: [incident, incident])

    public static let test = Message(
        kind: .test, severity: .info, at: start, headline: "🧪 shop-alerts: this is a test message",
        fields: [Message.Field("Channel", "team")],
        reason: "somebody ran 'alertbot send-test team'; nothing is wrong", footer: "alertbot 1.0.0")

    /// Every nasty message with its name.
    public static let nasty: [(name: String, message: Message)] = [
        ("nothing at all", Message(kind: .reminder, severity: .info, at: start, headline: "")),
        ("only white space", everywhere(" \n\t\u{202E}\u{2028} ")),
        ("titles of 200 kB", titles(String(repeating: "0123456789", count: 20_000))),
        ("hostile words", everywhere(hostileTitle)),
        ("100 issues", everywhere(hostileTitle, issues: 100)),
        ("500 lines", everywhere(hostileTitle, lines: 500)),
        ("100 issues of 2 kB", everywhere(String(repeating: "&<>\"'", count: 400), issues: 100)),
        (
            "control characters",
            everywhere(String(String.UnicodeScalarView((0...0x9F).compactMap(Unicode.Scalar.init))))
        ), ("directions", everywhere("\u{202E}txt.exe\u{202C} \u{2067}abc\u{2069} \u{200F}\u{061C}שגיאה ב־draw() خطأ")),
        ("families", everywhere(String(repeating: "👨‍👩‍👧‍👦🏳️‍🌈🇪🇸", count: 300), issues: 5, lines: 5)),
        ("one endless character", titles("e" + String(repeating: "\u{0301}", count: 50_000))),
        ("marks of JSON", everywhere(String(repeating: "\\\"\u{2028}\n", count: 1500), issues: 20, lines: 20)),
        ("addresses", addresses),
        ("100 fields", many(100)),
        ("500 incidents", crowd),
    ]

    /// Characters of several code points each: pictures that are joined, shaded and flags, letters with marks.
    static let longCharacters: [Character] = Array(
        "👨‍👩‍👧‍👦🏳️‍🌈🇪🇸👍🏽1️⃣e\u{301}\u{323}ש\u{5BC}\u{5C1}خ\u{64E}\u{651}\u{1112}\u{1161}\u{11AB}")

    // MARK: Parts

    private static let start = ChannelConformance.now

    private static var incident: IncidentSummary {
        var incident = Incident(
            rule: "crash-free-floor",
            subject: Subject(source: "ios", app: "shop-ios", release: nil, environment: "production"),
            labels: [:],
            severity: .critical,
            since: start - .minutes(40),
            evidence: Evidence(
                metric: Metric.crashFreeUsers.name,
                figure: Figure(value: 0.9831, share: Share(hits: 1809, of: 1840)),
                limit: Comparison(.less, 0.99, isPercentage: true),
                confidence: 0.99,
                bound: 0.9882,
                span: TimeSpan(lasting: .hours(1), until: start),
                sentence: "98.31% is below 99%."
            )
        )
        incident.state = .firing
        return IncidentSummary(incident)
    }

    /// The same text wherever one can stand.
    static func everywhere(_ text: String, issues: Int = 1, lines: Int = 3) -> Message {
        Message(
            kind: .digest,
            severity: .critical,
            at: start,
            headline: text,
            fields: [Message.Field(text, text), Message.Field("Release", text), Message.Field(text, "")],
            reason: text,
            issues: Array(
                repeating: Message.IssueLine(title: text, detail: text, url: "https://crashes.example.com/1"),
                count: issues
            ),
            sparkline: text,
            lines: Array(repeating: text, count: lines),
            links: [Message.Link(text, "https://crashes.example.com/2")],
            footer: text,
            incidents: [incident]
        )
    }

    /// The same text as every title.
    private static func titles(_ text: String) -> Message {
        Message(
            kind: .opened, severity: .critical, at: start, headline: text, reason: "why",
            issues: [Message.IssueLine(title: text, detail: "", url: nil)], lines: [text])
    }

    /// Addresses that lead nowhere, or break out of where they stand.
    private static let addresses: Message = {
        let urls = [
            "", "javascript:alert(1)", "https://", "https://a.example/\"onclick=\"x", "https://a.example/|b>c<d `e` f",
            "https://a.example/\n\u{202E}b", "https://a.example/" + String(repeating: "x", count: 50_000),
            "//a.example",
            "data:text/html,<b>", "https://a.example/?a=1&b=2", "HTTPS://a.example/ü/😀",
        ]
        return Message(
            kind: .opened,
            severity: .warning,
            at: start,
            headline: "🟠 addresses",
            issues: urls.map { Message.IssueLine(title: "issue", detail: "", url: $0) },
            links: urls.map { Message.Link("link", $0) })
    }()

    private static func many(_ count: Int) -> Message {
        Message(
            kind: .opened,
            severity: .info,
            at: start,
            headline: "🔵 many",
            fields: (1...count).map { Message.Field("Field \($0)", String(repeating: "& ", count: 300)) },
            reason: String(repeating: "why ", count: 1000),
            issues: (1...count).map {
                Message.IssueLine(title: "Issue \($0)", detail: "\($0) events", url: "https://a.example/\($0)")
            },
            sparkline: String(repeating: "▁", count: 1000),
            lines: (1...count).map { "line \($0)" },
            links: (1...count).map { Message.Link("Link \($0)", "https://a.example/\($0)") },
            footer: String(repeating: "foot ", count: 1000))
    }

    private static let crowd = Message(
        kind: .digest,
        severity: .critical,
        at: start,
        headline: "🗒 500 incidents",
        lines: (1...500).map { "🔴 app-\($0): crash-free users 98.31% (alert below 99.0%)" },
        incidents: Array(repeating: incident, count: 500))
}

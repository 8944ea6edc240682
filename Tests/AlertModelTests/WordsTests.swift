import AlertModel
import Testing

@Suite struct `Words of messages` {
    @Test(arguments: Words.Language.allCases)
    func `every phrase of a built-in language could be a team's own`(language: Words.Language) {
        for id in PhraseID.allCases {
            #expect(id.mistakes(in: id.wording(in: language)) == [], "\(id.name)")
        }
    }

    @Test(arguments: Words.Language.allCases)
    func `a phrase has the same placeholders in every language`(language: Words.Language) {
        for id in PhraseID.allCases {
            #expect(
                id.wording(in: language).placeholders == id.wording(in: .english).placeholders, "\(id.name)")
        }
    }

    @Test func `every phrase stands at its own place in the table`() {
        #expect(PhraseID.allCases.map(\.rawValue) == Array(0..<PhraseID.allCases.count))
        for id in PhraseID.allCases {
            #expect(PhraseID(name: id.name) == id)
            #expect(Words.english.wording(id) == id.wording(in: .english))
            #expect(Words.english[id] == id.wording(in: .english).text)
        }
    }

    @Test func `a phrase about one thing has a form of its own`() {
        #expect(Words.english(.countEvents, count: 1) == "1 event")
        #expect(Words.english(.countEvents, count: 0) == "0 events")
        #expect(Words.english(.countEvents, count: 1_240) == "1,240 events")
        #expect(Words.spanish(.countSessions, count: 1) == "1 sesión")
        #expect(Words.spanish(.countSessions, count: 1_240) == "1.240 sesiones")
        #expect(Words.english(.carers, count: 1, [.names: "ana"]) == "ana is on it")
        #expect(Words.spanish(.carers, count: 2, [.names: "ana y ben"]) == "ana y ben se ocupan")
    }

    @Test func `numbers and limits are written as the language has it`() {
        let limit = Comparison(.less, 0.995, isPercentage: true)
        #expect(Words.english.percent(0.98321) == "98.32%")
        #expect(Words.spanish.percent(0.98321) == "98,32\u{A0}%")
        #expect(Words.spanish.percent(0.99951) == "99,951\u{A0}%")
        #expect(Words.spanish.plain(-1_234_567.25) == "-1.234.567,25")
        #expect(Words.english.points(0.0012) == "0.12pp")
        #expect(Words.spanish.points(0.0012) == "0,12\u{A0}p.\u{A0}p.")
        #expect(Words.english.limit(limit) == limit.words)
        let atMost = Comparison(.lessOrEqual, 0.99, isPercentage: true)
        #expect([Words.english.limit(atMost), atMost.words] == ["at or below 99%", "at or below 99%"])
        #expect(Words.spanish.limit(limit) == "por debajo de 99,5\u{A0}%")
    }

    @Test(
        arguments: [
            (0.994999, 0.995, "99.4999%"), (0.995001, 0.995, "99.5001%"), (0.995, 0.995, "99.50%"),
            (0.9949999999999, 0.995, "99.4999999%"), (0.9899985, 0.989999, "98.99985%"), (0.99, 0.995, "99.00%"),
            (0.99999999, nil, "99.999999%"), (0.999999999999, nil, "99.9999999%"), (1, 1, "100.00%"),
            (0.0000001, nil, "0.00001%"), (1e-15, nil, "0.0000001%"), (0, 0, "0.00%"), (-0.5, 0.5, "-50.00%"),
            (0.0047001, 0.0047, "0.47001%"), (12, 1e300, "1200.00%"),
        ] as [(Double, Double?, String)])
    func `a share is told with places enough to be on its own side of a limit, of all and of nothing`(
        share: Double, limit: Double?, told: String
    ) {
        #expect(share.percent(besides: limit) == told)
        #expect(Words.spanish.percent(share, besides: limit) == "\(told.dropLast().replacing(".", with: ","))\u{A0}%")
    }

    @Test(arguments: [("\u{202F}", "-1\u{202F}234\u{202F}567.25"), (" ", "-1 234 567.25"), ("", "-1234567.25")])
    func `thousands may be marked by a space, or by nothing`(mark: String, told: String) {
        #expect(Words.english.replacing([.numberThousands: Wording(other: mark)]).plain(-1_234_567.25) == told)
    }

    @Test func `a metric of a source's own is told in the unit of its limit`() {
        let limit = Comparison(.less, 0.9, isPercentage: true)
        #expect(Words.english.figure(0.85, of: "checkout_success") == "0.85")
        #expect(Words.english.figure(0.85, of: "checkout_success", by: limit) == "85.00%")
        #expect(Words.english.figure(12, of: "users", by: limit) == "12")
        let beside = Phrase(
            .reasonCondition,
            [
                .metric: .metric("checkout_success"), .figure: .figure(0.85, of: "checkout_success"),
                .limit: .limit(limit),
            ])
        #expect(beside.english == "checkout_success 85.00% (below 90%)")
    }

    @Test func `English figures, limits and durations read as they do everywhere else`() {
        for value in [0, 0.5, 0.99951, 1, 12_345.678, -3, .infinity] {
            #expect(Words.english.plain(value) == value.plain)
            #expect(Words.english.percent(value) == value.percent)
        }
        let words = Words.english.replacing([.days: "{count} d "])
        for seconds: Int64 in [0, 1, 59, 60, 61, 599, 600, 3_600, 3_661, 86_400, 90_000, 172_799] {
            #expect(Words.english.short(.seconds(seconds)) == Duration.seconds(seconds).short)
            #expect(Words.english.rough(.seconds(seconds)) == Duration.seconds(seconds).rough)
            // The way that other languages go.
            if seconds < 86_400 { #expect(words.short(.seconds(seconds)) == Duration.seconds(seconds).short) }
        }
        for relation in Comparison.Relation.allCases {
            let limit = Comparison(relation, 500, isPercentage: false)
            #expect(Words.english.limit(limit) == limit.words)
        }
        for metric in Metric.wellKnown { #expect(Words.english.title(of: metric) == metric.title) }
    }

    @Test func `what is put into a phrase stays text`() {
        let hostile = "{figure} {count}} {{who} %@ \\(x)"
        #expect(
            Words.english(.headlineFigure, [.who: hostile, .metric: "{who}", .figure: "1"]) == "\(hostile): {who} 1")
        let phrase = Phrase(.issueNewHit, [.issue: .text("{users}"), .users: .text("{issue}")])
        #expect(phrase.english == "new issue, {issue} hit: {users}")
    }

    @Test func `a place may stand twice in a phrase of one's own`() {
        let long = String(repeating: "购物者", count: 100)
        let words = Words.english.replacing([
            .headlineFigure: "{who} {who} {metric} {figure} {who}",
            .countUsers: Wording(one: "{count} {count} {count}", other: "{count} of {count}"),
        ])
        #expect(
            words(.headlineFigure, [.who: long, .metric: "m", .figure: "1"]) == "\(long) \(long) m 1 \(long)")
        #expect(words(.countUsers, count: 1) == "1 1 1")
        #expect(words(.countUsers, count: 1_234) == "1,234 of 1,234")
        // What is not given is seen to be missing, and nothing more.
        #expect(Words.english(.headlineFigure, [:]) == "?: ? ?")
    }

    @Test func `a phrase of one's own wins, in whatever language`() {
        let words = Words.spanish.replacing([.captionWhy: "Motivo", .percent: "{number}%"])
        #expect(words[.captionWhy] == "Motivo")
        #expect(words.percent(0.5) == "50,00%")
        #expect(words[.captionIssues] == Words.spanish[.captionIssues])
        #expect(words != Words.spanish)
        #expect(words == Words.spanish.replacing([.percent: "{number}%", .captionWhy: "Motivo"]))
    }

    @Test(arguments: [
        (PhraseID.headlineFigure, Wording(other: "{who}: {metrik} {figure}"), "it has no {metrik} -> {metric}"),
        (.headlineFigure, Wording(other: "{who}: {metric}"), "it lacks {figure}"),
        (.captionWhy, Wording(other: "Why {zzz}"), "it has no {zzz} (it has no placeholders)"),
        (
            .headlineFigure, Wording(other: "{who} {metric} {figure} {period}"),
            "it has no {period} (it has {figure}, {metric}, {who})"
        ),
        (.countEvents, Wording(one: "an event", other: "{count} events"), ""),
        (.countEvents, Wording(one: "an event", other: "events"), "it lacks {count}"),
        (.captionWhy, Wording(one: "a", other: "b"), "it is about no number of things, so it has one form"),
        (.captionWhy, Wording(other: "  "), "it is empty"),
        (.numberDecimal, Wording(other: " "), "it is empty"),
        (.numberThousands, Wording(other: " "), ""),
        (.numberThousands, Wording(other: "\u{202F}"), ""),
        (.numberThousands, Wording(other: ""), ""),
        (.numberThousands, Wording(other: "\n"), "it has a line break"),
        (.numberThousands, Wording(other: "    "), "it has 4 characters, expected at most 3"),
        (.captionWhy, Wording(other: "a\nb"), "it has a line break"),
        (.captionWhy, Wording(other: "Why {"), "it has an unmatched brace (placeholders are written {like this})"),
        (.captionWhy, Wording(other: String(repeating: "x", count: 41)), "it has 41 characters, expected at most 40"),
        (.weekdays, Wording(other: "L M X J V S"), "it has 6 words, expected 7 with spaces between"),
        (.weekdays, Wording(other: "L"), "it has 1 word, expected 7 with spaces between"),
    ])
    func `a phrase of one's own is held against the built-in one`(id: PhraseID, own: Wording, mistake: String) {
        let told = id.mistakes(in: own).map { mistake in
            mistake.message + (mistake.suggestion.map { " -> \($0)" } ?? "")
                + (mistake.advice.map { " (\($0))" } ?? "")
        }
        #expect(told.joined(separator: "; ") == mistake)
    }

    @Test func `what a rule says is kept, whatever is in it`() throws {
        let all = Phrase(
            .reasonAlso,
            [
                .reason: .phrase(Phrase(.reasonAtMost)), .age: .period(.milliseconds(1_500)),
                .others: .list([
                    Phrase(.issueNewHit, [.issue: .text("{\"a\"}"), .users: .count(3)]), "as it is", .nothing,
                    Phrase(
                        .staleSource,
                        [
                            .moment: .moment(Moment(milliseconds: 1_795_219_200_000)), .limit: .rough(.hours(2)),
                            .age: .limit(Comparison(.less, 0.995, isPercentage: true)), .bound: .percent(0.25),
                            .share: .share(0.5), .difference: .points(0.001), .figure: .figure(7, of: "users"),
                            .metric: .metric("anr_rate"),
                        ]),
                ]),
            ])
        let evidence = Evidence(
            metric: "crash_free_users", bound: 0.9887,
            span: TimeSpan(lasting: .hours(1), until: Moment(milliseconds: 7_200_000)),
            sentence: "Because.", phrase: all)
        #expect(try Evidence(JSONReader(evidence.json)) == evidence)
        #expect(
            Words.spanish.text(Phrase(.reasonAtMost), of: evidence) { $0.description }
                == "No es casualidad: como mucho 98,87\u{A0}% en 1 h, aun contando con generosidad.")
    }

    @Test func `records of other versions keep their sentence`() throws {
        let old = try JSON(parsing: #"{"sentence":"Because."}"#)
        #expect(try Evidence(JSONReader(old)) == Evidence(sentence: "Because."))
        for later in [
            #""reason.of_tomorrow""#, #"{"id":"issue.new","issue":{"colour":"red"}}"#,
            #"{"id":"issue.new","nobody":"x"}"#,
        ] {
            let record = try JSON(parsing: #"{"sentence":"Because.","phrase":\#(later)}"#)
            #expect(try Evidence(JSONReader(record)) == Evidence(sentence: "Because."), "\(later)")
        }
    }

    @Test func `the table is printed as it is read`() {
        let lines = Words.spanish.yaml.split(separator: "\n")
        #expect(lines.count == PhraseID.allCases.count)
        #expect(lines.contains(#"caption.why: "Por qué""#))
        #expect(lines.contains(#"count.users: {one: "{count} usuario", other: "{count} usuarios"}"#))
    }
}

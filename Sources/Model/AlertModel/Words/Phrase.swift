/// Something to be said in the language of whoever reads it: which phrase, and what stands in its places.
///
/// A text in its stead stays as it is in every language.
public struct Phrase: Hashable, Sendable, ExpressibleByStringInterpolation {
    /// What stands in a place, before it is written out: numbers and times look different from language to language.
    public enum Value: Hashable, Sendable {
        /// Names, and whatever else is no word of the bot's.
        case text(String)
        /// A whole number; in the place `count`, it chooses the form.
        case count(Double)
        case figure(Double, of: String)
        /// A fraction with two places, and one with as few as it needs.
        case percent(Double)
        case share(Double)
        /// A difference of fractions.
        case points(Double)
        case period(Duration)
        /// From ten minutes on without seconds.
        case rough(Duration)
        case moment(Moment)
        case metric(String)
        case limit(Comparison)
        indirect case phrase(Phrase)
        /// With commas between.
        indirect case list([Phrase])

        var number: Double? { if case .count(let number) = self { number } else { nil } }
        var moment: Moment? { if case .moment(let moment) = self { moment } else { nil } }
        var limit: Comparison? { if case .limit(let limit) = self { limit } else { nil } }
    }

    struct Entry: Hashable, Sendable {
        let place: Placeholder
        let value: Value
    }

    enum Content: Hashable, Sendable {
        case phrase(PhraseID, [Entry])
        case verbatim(String)
    }

    let content: Content

    init(_ content: Content) { self.content = content }

    /// Which it is; nil of words that are somebody else's.
    public var id: PhraseID? { if case .phrase(let id, _) = content { id } else { nil } }

    /// How many it speaks of; nil of words that count nothing.
    public var count: Double? {
        guard case .phrase(_, let values) = content else { return nil }
        return values.first { $0.place == .count }?.value.number
    }

    /// The moment that it names; nil of words that name none.
    public var moment: Moment? {
        guard case .phrase(_, let values) = content else { return nil }
        return values.first { $0.place == .moment }?.value.moment
    }

    public init(_ id: PhraseID, _ values: KeyValuePairs<Placeholder, Value>) {
        content = .phrase(id, values.map { Entry(place: $0.key, value: $0.value) })
    }

    /// A place and what stands in it.
    public typealias Part = (place: Placeholder, value: Value)

    public init(_ id: PhraseID, _ parts: [Part]) {
        content = .phrase(id, parts.map { Entry(place: $0.place, value: $0.value) })
    }

    /// Without anything in its places but what evidence has: nothing is made for it.
    public init(_ id: PhraseID) { content = .phrase(id, []) }

    /// A text that is the same in every language.
    public init(verbatim text: String) { content = .verbatim(text) }
    public init(stringLiteral text: String) { self.init(verbatim: text) }

    /// That there is nothing to say.
    public static let nothing = Phrase(verbatim: "")

    /// The English sentence, with moments as programs write them: for logs and for `why`.
    public var english: String { Words.english.text(self) { $0.description } }
}

extension Evidence {
    /// Evidence whose sentence is a phrase.
    ///
    /// - Parameter clock: how moments are written in the English sentence.
    public init(
        metric: String? = nil, span: TimeSpan? = nil, issue: Issue? = nil, saying phrase: Phrase,
        clock: (Moment) -> String = \.description
    ) {
        self.init(metric: metric, span: span, issue: issue, sentence: "")
        say(phrase, clock: clock)
    }

    /// Makes the phrase what is said.
    public mutating func say(_ phrase: Phrase, clock: (Moment) -> String = \.description) {
        sentence = AlertModel.Words.english.text(phrase, of: self, clock: clock)
        self.phrase = phrase
    }

    /// What is said, for programs and for people.
    public struct Words {
        public let sentence: String
        public let phrase: Phrase
    }
}

extension Phrase {
    /// The phrase with its English sentence.
    public func saying(clock: (Moment) -> String = \.description) -> Evidence.Words {
        Evidence.Words(sentence: Words.english.text(self, clock: clock), phrase: self)
    }
}

// MARK: As JSON

extension Phrase: JSONWritable, JSONPuttable {
    /// An object with the id and what stands in the places; the id alone where nothing does.
    public func put(into json: inout JSONWriter) {
        switch content {
        case .verbatim(let text): json.object { $0.member("text", text) }
        case .phrase(let id, let values) where values.isEmpty: json.put(id.name)
        case .phrase(let id, let values):
            json.object { json in
                json.member("id", id.name)
                for entry in values { json.member(named: entry.place.rawValue, entry.value) }
            }
        }
    }

    /// Nil for a phrase of another version, which is no mistake: the sentence is there, too.
    static func read(_ reader: JSONReader) throws(JSONMismatch) -> Phrase? {
        if let id = try? reader.string() { return PhraseID(name: id).map { Phrase($0) } }
        if let text = try reader.optional("text")?.string() { return Phrase(verbatim: text) }
        guard let id = PhraseID(name: try reader.member("id").string()) else { return nil }
        var entries: [Entry] = []
        for (name, value) in try reader.members() where name != "id" {
            guard let place = Placeholder(rawValue: name), let value = try Value.read(value) else { return nil }
            entries.append(Entry(place: place, value: value))
        }
        return Phrase(.phrase(id, entries))
    }
}

extension Phrase.Value: JSONWritable, JSONPuttable {
    public func put(into json: inout JSONWriter) {
        if case .text(let text) = self { return json.put(text) }
        json.object { json in
            switch self {
            case .text: break
            case .count(let number): json.member("count", number)
            case .figure(let number, let metric):
                json.member("value", number)
                json.member("of", metric)
            case .percent(let fraction): json.member("percent", fraction)
            case .share(let fraction): json.member("share", fraction)
            case .points(let fraction): json.member("points", fraction)
            case .period(let duration): json.member("ms", Double(duration.wholeMilliseconds))
            case .rough(let duration): json.member("about_ms", Double(duration.wholeMilliseconds))
            case .moment(let moment): json.member("at", moment)
            case .metric(let name): json.member("metric", name)
            case .limit(let limit): json.member("limit", limit.description)
            case .phrase(let phrase): json.member("phrase", phrase)
            case .list(let phrases): json.array("list") { json in for phrase in phrases { phrase.put(into: &json) } }
            }
        }
    }

    fileprivate static func read(_ reader: JSONReader) throws(JSONMismatch) -> Phrase.Value? {
        if let text = try? reader.string() { return .text(text) }
        guard let (name, value) = try reader.members().first else { return nil }
        switch name {
        case "count": return .count(try value.number())
        case "value": return .figure(try value.number(), of: try reader.member("of").string())
        case "percent": return .percent(try value.number())
        case "share": return .share(try value.number())
        case "points": return .points(try value.number())
        case "ms", "about_ms":
            let number = try value.number()
            guard abs(number) < 1e15 else { throw value.mismatch(expected: "milliseconds") }
            let duration = Duration.milliseconds(Int64(number))
            return name == "ms" ? .period(duration) : .rough(duration)
        case "at": return .moment(try value.moment())
        case "metric": return .metric(try value.string())
        case "limit":
            guard let limit = try? Comparison(grammar: try value.string()) else {
                throw value.mismatch(expected: "a comparison such as \"< 99.5%\"")
            }
            return .limit(limit)
        case "phrase": return try Phrase.read(value).map { .phrase($0) }
        case "list":
            var phrases: [Phrase] = []
            for element in try value.elements() {
                guard let phrase = try Phrase.read(element) else { return nil }
                phrases.append(phrase)
            }
            return .list(phrases)
        default: return nil
        }
    }
}

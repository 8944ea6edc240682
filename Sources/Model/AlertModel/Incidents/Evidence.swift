/// What a detector's verdict rests on.
public struct Evidence: Hashable, Sendable {
    /// The metric that was judged; nil for troubles of the bot itself.
    public var metric: String?
    public var figure: Figure?
    public var limit: Comparison?
    /// The fraction of days that pass without a false alarm at a figure exactly at its limit.
    public var confidence: Double?
    /// The value that the figure truly has at best (or at worst, for limits from above), at that confidence.
    public var bound: Double?
    /// The span that was judged.
    public var span: TimeSpan?
    /// The issue it is about, for rules that judge issues.
    public var issue: Issue?
    /// The others that its sentence names, where it is about many.
    public var otherIssues: [Issue] = []
    /// What the figure was compared with, for rules without a limit of their own.
    public var reference: Reference?
    /// One sentence that says why, with all that it rests on, in English: for logs, programs and `why`.
    public var sentence: String
    /// The same as a message says it, in the language of its readers; nil where the sentence is all there is.
    public var phrase: Phrase?

    /// What a figure is compared with.
    public enum Reference: Hashable, Sendable {
        /// What the figure usually is at this time.
        case usual(Double)
        /// What it is of the release before.
        case olderRelease(Double)
    }

    public init(
        metric: String? = nil, figure: Figure? = nil, limit: Comparison? = nil, confidence: Double? = nil,
        bound: Double? = nil, span: TimeSpan? = nil, issue: Issue? = nil, reference: Reference? = nil, sentence: String,
        phrase: Phrase? = nil
    ) {
        self.reference = reference
        self.metric = metric
        self.figure = figure
        self.limit = limit
        self.confidence = confidence
        self.bound = bound
        self.span = span
        self.issue = issue
        self.sentence = sentence
        self.phrase = phrase
    }
}

internal import PluginKit

/// The first look that a config takes, once somebody has edited it, at what was known before. What that finds changed is the
/// work of whoever has edited it, such as another limit or window: nothing that was seen to come or go. An incident in which
/// it has had a hand counts neither as having come nor as having gone, so that what counts stays pairs.
struct FirstLook: Sendable {
    private enum Stage {
        case idle, withoutAnswers
        case answer(of: String)
    }

    private var stage = Stage.idle
    /// What was known of each source when the config was loaded, and has not been judged by it yet.
    private var awaited: [String: Set<Subject>] = [:]
    /// The ids of the open incidents in which it has had a hand.
    private var touched: Set<String> = []

    /// Begins with what is judged without an answer.
    ///
    /// - Parameter known: what has figures, of each source.
    mutating func begin(at known: [String: Set<Subject>]) {
        // What is said of an app is said of the whole, also where figures come only of its releases.
        awaited = known.mapValues { subjects in
            subjects.contains { $0.release != nil } ? subjects.union(subjects.map(\.whole)) : subjects
        }
        stage = .withoutAnswers
    }

    mutating func begin(withAnswerOf source: String) { stage = .answer(of: source) }

    /// - Parameter judged: what the answer has told of.
    mutating func end(of source: String, judged: some Sequence<Subject>) {
        stage = .idle
        guard awaited[source] != nil else { return }
        for subject in judged {
            awaited[source]?.remove(subject)
            awaited[source]?.remove(subject.whole)
        }
        if awaited[source]?.isEmpty == true { awaited[source] = nil }
    }

    mutating func end() { stage = .idle }

    /// Whether what becomes of an incident about that is its work.
    func concerns(_ subject: Subject) -> Bool {
        switch stage {
        case .idle: false
        case .withoutAnswers: true
        case .answer(let source): awaited[source]?.contains(subject) == true
        }
    }

    /// - Returns: whether it had no hand in it before.
    mutating func touch(_ incident: String) -> Bool { touched.insert(incident).inserted }

    func hasTouched(_ incident: String) -> Bool { touched.contains(incident) }

    mutating func forget(_ incident: String) { touched.remove(incident) }
}

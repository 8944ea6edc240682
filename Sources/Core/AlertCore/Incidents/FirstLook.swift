internal import PluginKit

/// The first look that a config takes, once it was loaded, at what was known before. What it finds otherwise than it stands, from
/// the very same figures, is the work of whoever has edited it, such as another limit or window: nothing that was seen to come
/// or go. An incident in which that has had a hand counts neither as having come nor as having gone, so that what counts stays
/// pairs.
struct FirstLook: Sendable {
    /// Whether what changes does so as the config is loaded, without any answer.
    private var isLoading = false
    /// The sources of which no answer has come since.
    private var due: Set<String> = []
    /// What it finds otherwise, and whether a rule finds it in an app with its releases; by whose figures say so.
    private var foregone: [Subject: [IncidentKey: Bool]] = [:]
    /// The ids of the open incidents in which it has had a hand.
    private var touched: Set<String> = []

    /// Begins with what changes without an answer.
    ///
    /// - Parameter touched: the ids of incidents in which earlier edits have had a hand.
    mutating func begin(at sources: some Sequence<String>, touched before: some Sequence<String>) {
        isLoading = true
        due = Set(sources)
        foregone = [:]
        touched.formUnion(before)
    }

    mutating func endLoading() { isLoading = false }

    /// Whether that is the first answer of the source since.
    mutating func takeDue(_ source: String) -> Bool { due.remove(source) != nil }

    /// Notes what the config finds otherwise than it stands.
    ///
    /// - Parameter isOfApp: whether its rule judges an app with its releases.
    mutating func foresee(_ identity: IncidentKey, isOfApp: Bool) {
        let place = isOfApp ? identity.subject.whole : identity.subject
        foregone[place, default: [:]][identity] = isOfApp
    }

    /// Takes in of whom there are new figures, by which everything was judged: what changes from now on was seen.
    ///
    /// - Parameter silent: those of whom nothing was told of how they are now.
    mutating func settle(_ subjects: [Subject], except silent: Set<Subject> = []) {
        guard !foregone.isEmpty else { return }
        for subject in subjects where !silent.contains(subject) {
            foregone[subject] = nil
            guard subject.release != nil else { continue }
            let others = foregone[subject.whole]?.filter { !$0.value } ?? [:]
            foregone[subject.whole] = others.isEmpty ? nil : others
        }
    }

    /// Whether what becomes of it now is the work of an edit.
    func concerns(_ identity: IncidentKey) -> Bool {
        if isLoading { return true }
        guard !foregone.isEmpty else { return false }
        return foregone[identity.subject]?[identity] != nil || foregone[identity.subject.whole]?[identity] != nil
    }

    /// - Returns: whether it had no hand in it before.
    mutating func touch(_ incident: String) -> Bool { touched.insert(incident).inserted }

    func hasTouched(_ incident: String) -> Bool { touched.contains(incident) }

    mutating func forget(_ incident: String) { touched.remove(incident) }
}

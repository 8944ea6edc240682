/// Whom a chat calls, by severity: those that the config names, and nobody else, whatever stands in a message.
///
/// People are called when an incident begins and when it gets worse, also where a summary is what announces it. Reminders
/// and ends call nobody. Of a rotation whoever is on call when the message leaves.
public struct Mentions: Sendable {
    public static let setting = Setting(
        "mention", .section([critical, warning, info]), default: Options(name: "mention", position: .none),
        unset: "nobody", "Whom to mention when an incident opens with that severity, or reaches it.")

    // Inside of `mention`.
    static let critical = Setting(
        "critical", .list(.callee), default: [], unset: "nobody", "Whom to mention for critical.")
    static let warning = Setting(
        "warning", .list(.callee), default: [], unset: "nobody", "Whom to mention for warning.")
    static let info = Setting("info", .list(.callee), default: [], unset: "nobody", "Whom to mention for info.")

    /// In the service's own writing.
    private enum Called: Sendable {
        case always(String)
        /// With what each of its people is called by.
        case onCall(Rotation, [String: [String]])
    }

    private let called: [Severity: [Called]]

    /// More than one call of all the people that a team has.
    private static let countMax = 20

    /// - Parameters:
    ///   - read: gives back what the service writes for it, or nil where it means nobody there.
    ///   - forms: what can be written, for whoever wrote something else.
    /// - Throws: what cannot be called.
    public init(_ options: Options, forms: String, _ read: (String) -> String?) throws(ProblemList) {
        let written = options[Self.setting]
        var problems: [Problem] = []
        var called: [Severity: [Called]] = [:]
        for (severity, setting) in [
            (Severity.critical, Self.critical), (.warning, Self.warning), (.info, Self.info),
        ] {
            let position = written.position(of: setting)
            let callees = written[setting]
            if callees.count > Self.countMax {
                problems.append(
                    Problem(
                        position,
                        "'\(setting.spec.name)' mentions \(callees.count), expected at most \(Self.countMax)"))
            }
            let places = written.positions(in: setting)
            for (index, callee) in callees.enumerated() {
                let position = places.indices.contains(index) ? places[index] : position
                switch callee {
                case .written(let name):
                    if let form = read(name) {
                        called[severity, default: []].append(.always(form))
                    } else {
                        problems.append(
                            Problem(
                                position, "'\(name.quotable)' cannot be mentioned here; expected \(forms)")
                        )
                    }
                case .onCall(let rotation):
                    var known: [String: [String]] = [:]
                    for person in rotation.people {
                        let understood = person.mentions.compactMap(read)
                        known[person.name] = understood
                        guard understood.isEmpty else { continue }
                        problems.append(
                            Problem(
                                position,
                                "'\(person.name.quotable)' of the rotation '\(rotation.name)' cannot be mentioned here",
                                advice: "give them a 'mention' under 'oncall': \(forms)"))
                    }
                    called[severity, default: []].append(.onCall(rotation, known))
                }
            }
        }
        guard problems.isEmpty else { throw ProblemList(problems) }
        self.called = called
    }

    /// Nobody.
    public static let none = Mentions()

    private init() { called = [:] }

    /// Whom the message calls, in the service's own writing.
    ///
    /// - Parameter now: when it is sent.
    public func called(by message: Message, at now: Moment) -> [String] {
        guard let severity = message.callsFor else { return [] }
        return (called[severity] ?? []).flatMap { called in
            switch called {
            case .always(let form): [form]
            case .onCall(let rotation, let forms): forms[rotation.person(on: now).name] ?? []
            }
        }.unrepeated
    }

    /// Everybody who may be called for that severity, whoever is on call.
    public func everybody(at severity: Severity) -> [String] {
        (called[severity] ?? []).flatMap { called in
            switch called {
            case .always(let form): [form]
            case .onCall(let rotation, let forms): rotation.people.flatMap { forms[$0.name] ?? [] }
            }
        }.unrepeated
    }
}

extension [String] {
    /// Each of them once: somebody may be on call and named besides.
    fileprivate var unrepeated: [String] { reduce(into: []) { if !$0.contains($1) { $0.append($1) } } }
}

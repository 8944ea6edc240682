/// Whom a chat calls, by severity: those that the config names, and nobody else, whatever stands in a message.
///
/// People are called when an incident begins and when it gets worse. Reminders, ends and summaries call nobody.
public struct Mentions: Sendable {
    public static let setting = Setting(
        "mention", .section([critical, warning, info]), default: Options(name: "mention", position: .none),
        unset: "nobody", "Whom to call when an incident of that severity begins, or gets as bad.")

    // Inside of `mention`.
    static let critical = Setting("critical", .list(.plain), default: [], unset: "nobody", "Whom to call for critical.")
    static let warning = Setting("warning", .list(.plain), default: [], unset: "nobody", "Whom to call for warning.")
    static let info = Setting("info", .list(.plain), default: [], unset: "nobody", "Whom to call for info.")

    private let called: [Severity: [String]]

    /// More than one call of all the people that a team has.
    private static let countMax = 20

    /// - Parameters:
    ///   - read: gives back what the service writes for it, or nil where it means nobody there.
    ///   - forms: what can be written, for whoever wrote something else.
    /// - Throws: what cannot be called.
    public init(_ options: Options, forms: String, _ read: (String) -> String?) throws(ProblemList) {
        let written = options[Self.setting]
        var problems: [Problem] = []
        var called: [Severity: [String]] = [:]
        for (severity, setting) in [
            (Severity.critical, Self.critical), (.warning, Self.warning), (.info, Self.info),
        ] {
            let position = written.position(of: setting)
            let names = written[setting]
            if names.count > Self.countMax {
                problems.append(
                    Problem(position, "'\(setting.spec.name)' calls \(names.count), expected at most \(Self.countMax)"))
            }
            for name in names {
                if let form = read(name) {
                    called[severity, default: []].append(form)
                } else {
                    problems.append(
                        Problem(position, "'\(name.tamed.clipped(to: 60))' calls nobody here; expected \(forms)"))
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
    public func called(by message: Message) -> [String] {
        guard message.kind == .opened || message.kind == .escalated else { return [] }
        return called[message.severity] ?? []
    }
}

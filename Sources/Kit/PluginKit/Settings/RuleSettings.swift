/// What rules take besides the options of their plugins.
public enum RuleSettings {
    /// Detectors and gates.
    public static let match = Setting(
        "match", .match, default: .all, "What it applies to: exact values, lists and globs.")

    /// Gates.
    public static let timezone = Setting(
        "timezone", .text, unset: "that of the bot", "The IANA time zone of its hours and local times.")

    /// Detectors. Nil where it is left out: then `remindsAfter` of the detector holds.
    public static let reminder = Setting(
        "repeat", .orOff(.duration(.minutes(1) ... .days(30))),
        unset: "\(remindsAfter.grammar); off for rules that report events",
        "The time between reminders while it lasts.")

    /// Detectors.
    public static let runbook = Setting("runbook", .link, "What to do about it, for a link in its messages.")
    /// Detectors.
    public static let links = Setting("links", .map(.link), default: [], "More links for its messages, by their names.")

    /// Detectors.
    public static let template = Setting(
        "template", .path, "A Mustache file with its messages in a team's own words; 'alertbot template show' has one.")

    /// The time between reminders where a config says nothing, of rules that are worth any.
    public static let remindsAfter = Duration.hours(4)
}

extension Detector {
    /// The time between reminders where a config says nothing; nil for none.
    public static var remindsAfter: Duration? { isWorthReminding ? RuleSettings.remindsAfter : nil }
}

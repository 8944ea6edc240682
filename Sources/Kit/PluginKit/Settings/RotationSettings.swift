/// What stands under `oncall`, for each rotation.
public enum RotationSettings {
    public static let timezone = Setting(
        "timezone", .text, unset: "that of the bot", "The IANA time zone of its handovers.")
    public static let starts = RequiredSetting(
        "starts", .instant, "The first handover, such as 2026-11-02 09:00: later ones are at the same time of day.")
    /// An hour is the least that anybody hands over in, and a year the most that anybody is on call for.
    public static let every = Setting(
        "every", .duration(.hours(1) ... .days(366)), default: .days(7), "How long each turn is, on the wall clock.")
    public static let people = RequiredSetting(
        "people", .list(.section([name, mention, channel])), "Who takes turns, in this order.")
    public static let overrides = Setting(
        "overrides", .list(.section([from, until, person])), default: [], "Times when somebody stands in.")

    // Of each of `people`.
    public static let name = RequiredSetting("name", .plain, "The person's name.")
    public static let mention = Setting(
        "mention", .list(.plain), default: [], unset: "nobody",
        "How chats mention the person; each chat uses the forms that it knows.")
    public static let channel = Setting(
        "channel", .name(of: .channel), "Where routes to the rotation lead while the person is on call.")

    // Of each of `overrides`.
    public static let from = RequiredSetting("from", .instant, "When it begins.")
    public static let until = RequiredSetting("until", .instant, "When it ends.")
    public static let person = RequiredSetting("person", .plain, "Who is on call then, by name.")

    public static let all: [any SettingDeclaration] = [timezone, starts, every, people, overrides]

    /// No team of one rotation is larger.
    public static let peopleMax = 100
    /// More is no list of exceptions: one for every third day of a year.
    public static let overridesMax = 120
}

/// What sources take besides their pace and the options of their plugins.
public enum SourceSettings {
    public static let dashboard = Setting(
        "dashboard", .orOff(.plain), unset: "the service's own page, where its plugin knows one",
        "A page with its figures, for links in messages; {app}, {release} and {environment} are filled in.")
    public static let owner = Setting(
        "owner", .plain, "Who looks after its apps: the label 'owner', for messages and every match.")

    public static let all: [any SettingDeclaration] = [dashboard, owner]

    /// What a dashboard's address may leave open.
    public static let placeholders = ["{app}", "{release}", "{environment}"]

    /// Whether it is a web address that leaves nothing open but the placeholders.
    public static func isDashboard(_ template: String) -> Bool {
        let filled = filled(template)
        return WebAddress(filled) != nil && !filled.contains { "{}".contains($0) }
    }

    /// The address of some app.
    public static func filled(_ template: String) -> String {
        placeholders.reduce(template) { $0.replacing($1, with: "x") }
    }
}

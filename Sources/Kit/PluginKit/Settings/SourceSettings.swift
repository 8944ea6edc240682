/// What sources take besides their pace and the options of their plugins.
public enum SourceSettings {
    public static let dashboard = Setting(
        "dashboard", .plain,
        "Where people look at its figures, for links in messages; {app}, {release} and {environment} are filled in.")
    public static let owner = Setting(
        "owner", .plain, "Who looks after its apps: the label 'owner', for messages and every match.")

    public static let all: [any SettingDeclaration] = [dashboard, owner]

    /// What a dashboard's address may leave open.
    public static let placeholders = ["{app}", "{release}", "{environment}"]
}

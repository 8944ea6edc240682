/// What channels take besides the options of their plugins.
public enum ChannelSettings {
    public static let acknowledged = Setting(
        "acknowledged", .flag, default: true, "Whether it is notified when somebody acknowledges an incident.")
    public static let template = Setting(
        "template", .path, "A Mustache file with the messages in a team's own words; 'alertbot template show' has one.")
}

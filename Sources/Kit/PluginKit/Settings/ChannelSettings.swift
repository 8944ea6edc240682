/// What channels take besides the options of their plugins.
public enum ChannelSettings {
    public static let acknowledged = Setting(
        "acknowledged", .flag, default: true, "Whether it is told who has acknowledged an incident that it heard of.")
}

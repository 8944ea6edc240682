internal import AlertCore
internal import PluginKit
internal import YAMLKit

extension ConfigLoader {
    /// What is told a source comes in where the bot listens.
    mutating func checkPushes(_ bot: BotSettings, _ sources: SourceList) {
        guard bot.listen == .off else { return }
        for entry in sources where entry.plan.isPushed {
            reader.report(
                entry.position,
                "source '\(entry.plan.name)' receives pushes, but 'bot.listen' is off, so nothing can reach it",
                advice: "set 'bot.listen', such as 127.0.0.1:8480")
        }
    }
}

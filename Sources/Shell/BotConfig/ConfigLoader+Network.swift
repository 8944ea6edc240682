internal import PluginKit
internal import YAMLKit

// `network:` keeps sources and channels away from addresses that no service of theirs should have: whoever may write a
// part of the config, or answers for a name in it, else reaches what the bot's machine reaches.

/// What stands under `network`.
enum NetworkSettings {
    enum Denied: String, CaseIterable { case `private` }

    static let deny = Setting(
        "deny", .choice(of: Denied.self), unset: "nothing",
        "private: sources and channels may only be at public addresses.")
    static let allow = Setting(
        "allow", .list(.plain), default: [],
        "Addresses and blocks (CIDR) that are allowed anyway, such as 10.1.0.0/16.")

    static let all: [any SettingDeclaration] = [deny, allow]
}

extension ConfigLoader {
    /// Which addresses services may be at.
    mutating func readNetwork(_ entry: Entry?) -> AddressPolicy {
        guard let entry else { return .open }
        let what = "'\(Vocabulary.network)'"
        let entries = reader.entries(of: entry.value, what)
        let meant = reader.reportUnknown(entries, known: NetworkSettings.all.map(\.name), in: what)
        let options = reader.options(NetworkSettings.all, in: entries, at: entry.value.position, what)
        var allowed: [AddressBlock] = []
        for (written, position) in zip(
            options[NetworkSettings.allow], options.positions(in: NetworkSettings.allow))
        {
            do throws(GrammarError) {
                allowed.append(try AddressBlock(grammar: written))
            } catch {
                reader.report(
                    position, "'allow' holds '\(written.quotable)', expected \(error.expected)",
                    error.suggestion)
            }
        }
        guard options[NetworkSettings.deny] != nil else {
            let name = NetworkSettings.deny.name
            if !allowed.isEmpty, !meant.contains(name), !entries.contains(where: { $0.key == name }) {
                reader.report(
                    Problem(
                        options.position(of: NetworkSettings.allow), "'allow' has no effect: nothing is denied",
                        advice: "add deny: private", level: .warning))
            }
            return .open
        }
        return .publicOnly(besides: allowed)
    }
}

extension ConfigReader {
    /// Reports an address that leads where nothing may be, as far as it can be told without asking for its name.
    mutating func checkAdmitted(_ text: GuardedText, _ name: String, at position: Position) {
        // Proxies and mail servers have schemes of their own, or none.
        let written = text.reveal().trimmed
        let place = written.firstRange(of: "://").map { written[$0.upperBound...] } ?? written[...]
        guard !isWithheld(text, at: position), let host = WebAddress("http://" + place)?.host,
            let found = IPAddress(host: host),
            !policy.admits(found)
        else { return }
        report(
            position, "'\(name)' leads to \(text.hasSecret ? "an address" : "\(found)"), which 'network' denies",
            advice: "add \(text.hasSecret ? "it" : "\(found)") to 'allow' there if it is intended")
    }
}

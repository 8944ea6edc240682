internal import PluginKit

/// The secrets of one reading: those that came from elsewhere, and what of the files themselves may be one.
struct SecretsRead {
    /// Those from elsewhere, in the order in which they were read.
    private(set) var seen: [Secret] = []
    /// A mark of what stands behind each reference to one: that it has changed may be told, and nothing else.
    private(set) var marks: [String: String] = [:]
    /// What of the files is not shown.
    private(set) var written: [WrittenSecret] = []
    /// What of that plugins get as secrets. What is wrong with the file may have words in common with them, and shows those.
    private(set) var guarded: [Secret] = []
    /// What texts say below their first lines, by where they stand: no problem there quotes it.
    private var asides: [Position: Set<Secret>] = [:]
    /// Made once: a config may have thousands of mistakes.
    private var masks: [Secret: SecretMask] = [:]

    /// Remembers the secrets of a text, so that they are masked wherever they turn up.
    mutating func remember(_ text: GuardedText) {
        for case .secret(let secret) in text.pieces { seen.append(secret) }
    }

    /// Remembers the secrets of a text that stand in the file itself, so that they are masked wherever they turn up. One that
    /// is a word rather than a token, such as the topic `shop-alerts`, is masked only in what the service answers that was sent
    /// it: elsewhere it may be the name of a thing.
    mutating func rememberWritten(_ text: GuardedText) {
        for case .secret(let secret) in text.pieces where !secret.isWord { guarded.append(secret) }
    }

    /// Remembers marks of the secrets of a text, by the references that name them.
    mutating func noteMarks(of text: GuardedText, _ references: [String]) {
        let found = text.pieces.compactMap { if case .secret(let secret) = $0 { secret } else { nil } }
        for (reference, secret) in zip(references, found) {
            var hash = StableHash()
            hash.add(secret.reveal())
            marks["${\(reference)}"] = hash.text
        }
    }

    /// Hides what stands there and behind it, and all of the lines below up to the last one.
    mutating func hide(_ position: Position, to lastLine: Int? = nil) {
        written.append(WrittenSecret(position: position, lastLine: lastLine ?? position.line))
    }

    /// Remembers what no problem there is to quote, nor as it is shown.
    mutating func setAside(_ text: String, at position: Position) {
        asides[position, default: []].formUnion([Secret(text), Secret(text.tamed)])
    }

    /// What masks the secrets that were read last, and what was set aside at a place, the longest first.
    mutating func masksNear(_ position: Position?) -> [SecretMask] {
        var near = Set(seen.suffix(SecretsRead.nearMax))
        if let position { near.formUnion(asides[position] ?? []) }
        return near.sorted { $0.reveal().utf8.count > $1.reveal().utf8.count }.map { secret in
            if let known = masks[secret] { return known }
            let made = SecretMask(secret)
            masks[secret] = made
            return made
        }
    }

    /// What a problem quotes was read with the thing that it is about, which has fewer secrets than this.
    private static let nearMax = 64
}

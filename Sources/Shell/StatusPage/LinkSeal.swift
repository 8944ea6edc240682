public import AlertModel
internal import MessageCodes

/// Seals the links of messages that do something, so that whoever was sent one may do that and needs no token.
///
/// A seal is for one errand about one thing until one moment: HMAC-SHA256 (RFC 2104) with a key made of the bot's
/// token, of which the first 128 bits are written, as many as RFC 2104 asks for at least. It is put on when a message
/// leaves, so that neither the journal nor the pages nor the history have any. It says nothing of how long to mute: whoever
/// may mute an incident for two hours may do so again after them, so that to bind it would hinder nobody but the honest.
public struct LinkSeal: Sendable {
    private let key: Secret
    private let bot: BotAddress

    /// How long a link may be used after the message that has it: reminders bring fresh ones.
    public static let lifetime = Duration.hours(24 * 7)

    /// How long whoever has muted something may undo that on the page that says so.
    static let undoTime = Duration.hours(1)

    /// - Parameters:
    ///   - token: the bot's own.
    ///   - publicURL: where the links lead.
    /// - Returns: nil for an empty token: anybody could make its seals.
    public init?(token: Secret, publicURL: String) {
        guard !token.reveal().trimmed.isEmpty else { return nil }
        key = Secret("alertbot link 1 \(token.reveal())")
        bot = BotAddress(publicURL)
    }

    /// The message with its links sealed; the same each time.
    public func sealing(_ message: Message) -> Message {
        guard message.links.contains(where: { bot.errand(of: $0.url) != nil }) else { return message }
        var message = message
        let until = (message.at + LinkSeal.lifetime).unixSeconds
        message.links = message.links.map { link in
            guard let (errand, incident) = bot.errand(of: link.url), let seal = seal(errand, incident, until: until)
            else {
                return link
            }
            return Message.Link(link.title, BotAddress.sealed(link.url, until: until, by: seal), isOwn: link.isOwn)
        }
        return message
    }

    /// For whoever has just muted something by a link, to end that one mute.
    func undoing(_ mute: String, at now: Moment) -> Written? {
        let until = (now + LinkSeal.undoTime).unixSeconds
        return seal(.unmute, mute, until: until).map { Written(until: until, seal: $0) }
    }

    /// Whether the seal is ours, for that errand about that incident, and still holds.
    func holds(_ written: Written, for errand: BotAddress.Errand, _ incident: String, at now: Moment) -> Bool {
        guard now.unixSeconds <= written.until, let seal = seal(errand, incident, until: written.until) else {
            return false
        }
        return Secret(seal).isSame(as: written.seal)
    }

    /// What a request brings along.
    struct Written: Hashable, Sendable {
        /// Seconds since 1970.
        let until: Int64
        let seal: String

        init(until: Int64, seal: String) {
            self.until = until
            self.seal = seal
        }

        /// As a form sends it.
        var fields: [(name: String, value: String)] { [("until", String(until)), ("seal", seal)] }

        /// - Parameter value: the value that came along by that name.
        init?(_ value: (String) -> String?) {
            guard let until = value("until").flatMap(Int64.init), let seal = value("seal"),
                seal.utf8.count == BotAddress.sealCount
            else { return nil }
            self.until = until
            self.seal = seal
        }
    }

    /// Nil only for a key that libcrypto cannot count.
    private func seal(_ errand: BotAddress.Errand, _ incident: String, until: Int64) -> String? {
        let content = Array("\(errand.rawValue)\n\(incident)\n\(until)".utf8)
        return MessageCode.sha256(content, key: Array(key.reveal().utf8))?.prefix(BotAddress.sealCount / 2).hexadecimal
    }
}

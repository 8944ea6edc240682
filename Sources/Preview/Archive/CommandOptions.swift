public import PluginKit
public import SystemPorts

extension Duration {
    /// The length of time that somebody wrote behind an option.
    public init(option: String, _ text: String) throws(Failure) {
        do {
            self = try Duration(grammar: text)
        } catch {
            throw Failure(
                .wrongUsage,
                "\(option) is '\(text.quotable)', expected \(error.expected)\(error.hint)")
        }
    }
}

extension Moment {
    /// The instant that somebody wrote behind an option.
    ///
    /// - Parameter isEnd: whether a span ends with it: of an hour that comes twice, the second is meant then.
    public init(option: String, _ text: String, in zone: Zone, isEnd: Bool = false) throws(Failure) {
        do {
            let written = try WrittenInstant(grammar: text)
            self = isEnd ? written.moment(endingIn: zone) : written.moment(beginningIn: zone)
        } catch {
            throw Failure(.wrongUsage, "\(option) is '\(text.quotable)', expected \(error.expected)")
        }
    }

    /// The last instant of what somebody wrote behind an option: of a minute without seconds, as messages show it, the end of
    /// that minute, though not later than now.
    public init(option: String, through text: String, in zone: Zone, now: Moment) throws(Failure) {
        let begin = try Moment(option: option, text, in: zone)
        let isMinute = text.contains(/[ Tt][0-9]{2}:[0-9]{2}(?!:)/)
        self = isMinute && begin <= now ? min(begin + .minutes(1) - .milliseconds(1), now) : begin
    }
}

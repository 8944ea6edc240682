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
                "\(option) is '\(text.tamed.clipped(to: 60))', expected \(error.expected)\(error.hint)")
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
            throw Failure(.wrongUsage, "\(option) is '\(text.tamed.clipped(to: 60))', expected \(error.expected)")
        }
    }
}

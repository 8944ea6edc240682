/// How a source is made anew with its secrets read again: what a file or a credential holds may have been replaced since
/// the config was read.
public struct SourceRenewal: Sendable {
    /// A source, with the secrets that its options hold.
    public struct Made: Sendable {
        public let source: any Source
        public let secrets: [Secret]

        public init(_ source: any Source, secrets: [Secret]) {
            self.source = source
            self.secrets = secrets
        }
    }

    /// Those of the source that is in use.
    private var secrets: [Secret]
    private let make: @Sendable () -> Made?

    /// - Parameters:
    ///   - secrets: what the source in use has.
    ///   - make: reads them again; nil where the source cannot be made of what is there now.
    public init(from secrets: [Secret], make: @escaping @Sendable () -> Made?) {
        self.secrets = secrets
        self.make = make
    }

    /// The source with its secrets as they are now; nil while they are the same, or cannot be read.
    public func renewed() -> Made? {
        guard let made = make(), made.secrets != secrets else { return nil }
        return made
    }

    /// Takes note that this one is in use now.
    public mutating func use(_ made: Made) { secrets = made.secrets }
}

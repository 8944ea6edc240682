/// A credential that a service gave for a while: what a request shows instead of the key that it was had for.
///
/// Requests that need one are built from one, so that none can be built without.
public struct AccessToken: Hashable, Sendable {
    public let secret: Secret
    /// How long the service takes it, from the moment of asking.
    public let lasts: Duration

    public init(_ secret: Secret, lasts: Duration) {
        self.secret = secret
        self.lasts = lasts
    }
}

/// An access token that a conversation needs, and how one is had.
///
/// The plugin describes, the shell performs: it keeps tokens in memory and nowhere else, gives the same one to every
/// source that asks by the same key, and asks for a new one once, however many wait for it.
public struct TokenOrder: Sendable {
    /// Whose token it is and what for. It holds no secret.
    public let key: String
    /// A token that was taken until a service refused it: any other will do.
    public var refused: AccessToken?
    /// The request that gets one, as it is made at that moment.
    public let request: @Sendable (Moment) -> Result<HTTPRequest, PollFailure>
    /// What came of the request, at that moment.
    public let read: @Sendable (FetchResult, Moment) -> Result<AccessToken, PollFailure>

    public init(
        key: String, request: @escaping @Sendable (Moment) -> Result<HTTPRequest, PollFailure>,
        read: @escaping @Sendable (FetchResult, Moment) -> Result<AccessToken, PollFailure>
    ) {
        self.key = key
        self.request = request
        self.read = read
    }

    /// The same order after a service has refused that token.
    public func refusing(_ token: AccessToken) -> TokenOrder {
        var order = self
        order.refused = token
        return order
    }
}

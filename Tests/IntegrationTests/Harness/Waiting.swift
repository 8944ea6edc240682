/// Something that should have happened by now has not.
public struct TooLate: Error, CustomStringConvertible {
    public let description: String
    public init(_ what: String) { description = what }
}

/// Looks again and again until there is something, and gives up at the deadline.
///
/// - Parameter what: completes the sentence "it took longer than 20 s until …".
public func eventually<Found>(
    _ what: @autoclosure () -> String, within patience: Duration = .seconds(20),
    _ look: () async throws -> Found?
) async throws -> Found {
    let clock = ContinuousClock()
    let deadline = clock.now + patience
    while true {
        if let found = try await look() { return found }
        guard clock.now < deadline else { throw TooLate("it took longer than \(patience) until \(what())") }
        try await Task.sleep(for: .milliseconds(10))
    }
}

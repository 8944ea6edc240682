public import AlertCore
internal import PluginKit
public import Records

extension State {
    /// Takes in records as a start does: of what has a topic, only what no later record overtakes, and at the end.
    ///
    /// - Throws: `JSONSyntaxError` or `JSONMismatch`.
    public mutating func replay(_ records: some Sequence<(topic: Topic, payload: [UInt8])>) throws {
        var survivors = Survivors<[UInt8]>()
        for record in records where survivors.take(record.topic, { record.payload }) { try apply(record.payload) }
        for payload in survivors.inOrder() { try apply(payload) }
    }

    private mutating func apply(_ payload: [UInt8]) throws { apply(try Fact(record: payload[...], memories)) }
}

extension Fact {
    /// As the journal has it.
    public var record: (topic: Topic, payload: [UInt8]) { (topic, bytes) }
    /// As a snapshot has it: nothing there says what it is about, so nothing overtakes it.
    public var inSnapshot: (topic: Topic, payload: [UInt8]) { (.always, bytes) }
}

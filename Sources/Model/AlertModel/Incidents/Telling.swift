/// That a channel was told something: what budgets count.
public struct Telling: Hashable, Sendable {
    /// The delivery's number: later ones have higher numbers.
    public let number: Int
    /// When it was accepted into the outbox.
    public var at: Moment
    /// The apps it was about, each once, in order.
    public let apps: [String]

    public init(number: Int, at: Moment, apps: [String]) {
        self.number = number
        self.at = at
        self.apps = apps
    }

    public init(_ delivery: Delivery) {
        self.init(
            number: delivery.number, at: delivery.queued,
            apps: Set(delivery.message.incidents.map(\.subject.app)).sorted())
    }

    /// Tellings remembered of each channel: no budget can allow more.
    public static let keptMax = 1000
}

extension Telling: JSONWritable {
    public func put(into json: inout JSONWriter) {
        json.object { json in
            json.member("number", number)
            json.member("at", at)
            json.member("apps", apps)
        }
    }

    public init(_ reader: JSONReader) throws(JSONMismatch) {
        var apps: [String] = []
        for app in try reader.member("apps").elements() { apps.append(try app.string()) }
        self.init(number: try reader.member("number").int(), at: try reader.member("at").moment(), apps: apps)
    }
}

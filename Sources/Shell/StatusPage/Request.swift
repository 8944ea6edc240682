/// An HTTP request; only those that tell a command have a body.
struct Request: Hashable, Sendable {
    let method: String
    /// As it was sent, percent signs included: no route has any.
    let path: String
    let version: String
    private(set) var body: [UInt8] = []
    private let query: [Field]
    private let fields: [Field]

    struct Field: Hashable, Sendable {
        let name: String
        let value: String
    }

    /// Reads a head up to and with its empty line; nil when it is no HTTP/1 head.
    init?(head: [UInt8]) {
        var lines = head.split(separator: Ascii.lineFeed).map { line in
            String(decoding: line.last == Ascii.carriageReturn ? line.dropLast() : line, as: UTF8.self)
        }
        guard !lines.isEmpty else { return nil }
        let start = lines.removeFirst().split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        guard start.count == 3, !start[0].isEmpty, start[1].hasPrefix("/"), ["HTTP/1.1", "HTTP/1.0"].contains(start[2])
        else { return nil }
        method = start[0]
        version = start[2]

        let target = start[1].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        path = String(target[0])
        query = Request.fields(target.count == 2 ? target[1] : "")

        var fields: [Field] = []
        for line in lines where !line.isEmpty {
            let pair = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard pair.count == 2, !pair[0].isEmpty, !pair[0].contains(where: \.isWhitespace) else { return nil }
            let value = pair[1].drop { $0 == " " || $0 == "\t" }
            let end = value.lastIndex { $0 != " " && $0 != "\t" }
            fields.append(Field(name: pair[0].lowercased(), value: end.map { String(value[...$0]) } ?? ""))
        }
        self.fields = fields
    }

    /// The pairs of a query or a form; percent signs are left as they are.
    static func fields(_ text: some StringProtocol) -> [Field] {
        text.split(separator: "&").map { part in
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return Field(name: String(pair[0]), value: pair.count == 2 ? String(pair[1]) : "")
        }
    }

    /// Every value of the header field of that name, in lower case.
    func headers(_ name: String) -> [String] { fields.filter { $0.name == name }.map(\.value) }

    /// The first value of that name in the query; percent signs are left as they are.
    func parameter(_ name: String) -> String? { query.first { $0.name == name }?.value }
}

extension Request {
    /// Why a head could not be taken.
    enum Refusal: Error {
        case malformed, tooLong, bodyTooLong
    }

    /// Reads the head of a request, and the body of a command where any are taken; nil when the client closes without a word, as browsers do with spare connections.
    static func read(
        from connection: Connection, withBody: (Request) -> Bool, _ limits: Limits
    ) async throws -> Request? {
        var head: [UInt8] = []
        while head.count < limits.headBytesMax {
            let bytes = try await connection.read(bytesMax: limits.headBytesMax - head.count)
            guard !bytes.isEmpty else {
                if head.isEmpty { return nil }
                throw Refusal.malformed
            }
            let seen = head.count
            head += bytes
            if let length = headLength(head, from: seen) {
                guard var request = Request(head: Array(head.prefix(length))) else { throw Refusal.malformed }
                if request.method == "POST", withBody(request) {
                    try await request.readBody(from: connection, begun: Array(head[length...]), limits.bodyBytesMax)
                }
                return request
            }
        }
        throw Refusal.tooLong
    }

    private mutating func readBody(from connection: Connection, begun: [UInt8], _ bytesMax: Int) async throws {
        guard let length = headers("content-length").first.flatMap(Int.init), length >= 0 else {
            throw Refusal.malformed
        }
        guard length <= bytesMax else { throw Refusal.bodyTooLong }
        body = Array(begun.prefix(length))
        while body.count < length {
            let bytes = try await connection.read(bytesMax: length - body.count)
            guard !bytes.isEmpty else { throw Refusal.malformed }
            body += bytes
        }
    }

    /// The length of a head with its empty line, looked for at the bytes from `start`; nil while the line is missing.
    private static func headLength(_ bytes: [UInt8], from start: Int) -> Int? {
        for index in start..<bytes.count where bytes[index] == Ascii.lineFeed {
            let line = bytes[..<index].suffix(2)
            if line.last == Ascii.lineFeed || line.elementsEqual([Ascii.lineFeed, Ascii.carriageReturn]) {
                return index + 1
            }
        }
        return nil
    }
}

private enum Ascii {
    static let lineFeed = UInt8(ascii: "\n")
    static let carriageReturn = UInt8(ascii: "\r")
}

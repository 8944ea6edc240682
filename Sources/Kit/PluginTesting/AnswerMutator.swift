private import Chance
public import PluginKit

/// Makes wrong answers of right ones, the same ones for the same seed: for tests that no answer can trap a plugin, and
/// that none makes figures that are not there.
///
/// It changes what JSON says (numbers, types, members dropped or said twice, nesting, arrays emptied), then the bytes
/// (cut, flipped, not UTF-8), and what is around them (status and headers).
public struct AnswerMutator: Sendable {
    private var chance: SeededRandom

    public init(seed: UInt64) { chance = SeededRandom(seed: seed) }

    /// A whole number from 0 up to `bound`, which itself is not among them: for what else a test varies. It is drawn even
    /// where there is nothing to choose, so that what follows does not hang on that.
    public mutating func below(_ bound: Int) -> Int { Int(chance.next() % UInt64(max(bound, 1))) }

    /// What services have been seen to send where something else was promised, and what is worse.
    private static let strange: [JSON] = [
        .null, true, false, 0, -1, 1, 9_223_372_036_854_775_807, -9_223_372_036_854_775_808, 9_007_199_254_740_993,
        4_294_967_296, -1e300, 1e300, 1e-300, 0.5, 1.0000001, -0.0, 99.7, "", " ", "NaN", "-NaN", "+Inf", "Infinity",
        "-3", "12", "1e400", "1e-400", "0x10", "99999999999999999999999", "1,000", "99.7%", "\u{202E}\u{0}\n", "<html>",
        "2026-02-30T00:00:00Z", "2026-11-20T24:00:00Z", "0000-01-01T00:00:00Z", "9999-12-31T23:59:59Z",
        "-292277022399-01-01T00:00:00Z", "2026-11-20T18:04:11+99:99", [], [[]], [.null], [:], ["": .null],
        ["value": "NaN"], ["id": .null],
    ]

    /// The bytes of a text with one to four things wrong in it. What is JSON is changed as such first, most of the time.
    public mutating func mutated(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        let json = try? JSON(parsing: bytes)
        if let json, below(8) != 0 {
            bytes = mutated(json)
            if below(6) != 0 { return bytes }
        }
        for _ in 0...below(3) { bytes = broken(bytes) }
        return bytes
    }

    /// The same of lines, one of which is changed.
    public mutating func mutated(lines bytes: [UInt8]) -> [UInt8] {
        var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map(Array.init)
        for _ in 0...below(3) {
            let index = below(lines.count)
            switch below(6) {
            case 0: lines.insert(lines[index], at: index)
            case 1: lines[index] = []
            default: lines[index] = mutated(lines[index])
            }
        }
        return Array(lines.joined(separator: [UInt8(ascii: "\n")]))
    }

    private mutating func mutated(_ json: JSON) -> [UInt8] {
        var json = json
        for _ in 0...below(4) { json = changed(json) }
        return json.bytes
    }

    /// The answer with other bytes, and now and then with another status or other headers.
    public mutating func mutated(_ response: HTTPResponse) -> HTTPResponse {
        var status = response.status
        var headers = response.headers
        let isAround = below(8) == 0
        if isAround, below(2) == 0 { status = AnswerMutator.statuses[below(AnswerMutator.statuses.count)] }
        if isAround { headers.append(AnswerMutator.headers[below(AnswerMutator.headers.count)]) }
        let body = isAround && below(2) == 0 ? response.body : mutated(response.body)
        return HTTPResponse(status: status, headers: headers, body: body)
    }

    private static let statuses = [
        -1, 0, 100, 201, 202, 204, 206, 226, 300, 304, 307, 400, 401, 402, 403, 404, 408, 409, 410, 413, 418, 422, 425,
        429,
        451, 500, 501, 502, 503, 504, 520, 599, 600, 999, 2_147_483_647,
    ]

    private static let headers: [(name: String, value: String)] = [
        ("Link", ""), ("Link", "<"), ("Link", "<>; rel=next"), ("Link", ";;;=\"\"\"<,>"),
        ("Link", "<https://elsewhere.example/?cursor=1>; rel=\"next\"; results=\"true\"; cursor=\"1\""),
        ("Link", "<?cursor=\u{0}>; rel=\"next\"; results=\"true\"; cursor=\"\u{202E}\n\""),
        ("Retry-After", "-1"), ("Retry-After", "NaN"), ("Retry-After", "1e300"),
        ("Retry-After", "99999999999999999999"),
        ("Retry-After", "Wed, 31 Feb 2026 25:61:61 GMT"), ("Retry-After", ""), ("X-Sentry-Rate-Limit-Remaining", "0"),
        ("X-Sentry-Rate-Limit-Reset", "-9223372036854775808"), ("X-Sentry-Rate-Limit-Reset", "nan"),
        ("X-RateLimit-Remaining", "0"), ("X-RateLimit-Reset", "1e308"), ("X-RateLimit-Reset-After", "-inf"),
        ("Date", "Thu, 01 Jan 1970 00:00:00 GMT"), ("Date", "99"), ("ETag", "\""), ("Last-Modified", "\u{7F}"),
        ("Content-Type", "text/html"), ("Content-Type", ""),
    ]

    // MARK: - JSON

    private mutating func changed(_ json: JSON) -> JSON {
        switch json {
        case .array(var elements) where !elements.isEmpty && below(8) != 0:
            let index = below(elements.count)
            switch below(12) {
            case 0: elements.remove(at: index)
            case 1: elements.append(elements[index])
            case 2: elements.swapAt(index, below(elements.count))
            case 3: elements = Array(elements.prefix(index))
            default: elements[index] = changed(elements[index])
            }
            return .array(elements)
        case .object(let object) where !object.members.isEmpty && below(12) != 0:
            var members = object.members.map { ($0.name, $0.value) }
            let index = below(members.count)
            switch below(14) {
            case 0: members.remove(at: index)
            case 1: members[index].0 += "x"
            // Said twice, and which of them counts is anybody's guess.
            case 2: members.append((members[index].0, changed(members[index].1)))
            case 3: members.append(members[index])
            case 4:
                let other = below(members.count)
                (members[index].1, members[other].1) = (members[other].1, members[index].1)
            default: members[index].1 = changed(members[index].1)
            }
            return .object(JSONObject(members))
        default: return replacement(of: json)
        }
    }

    /// Something else in the place of a value: of its own kind, of another, wrapped, emptied, or long.
    private mutating func replacement(of json: JSON) -> JSON {
        switch below(10) {
        case 0: return .array([json])
        case 1: return .object(JSONObject([("value", json)]))
        case 2: return nested(json, 1 << below(9))
        case 3:
            switch json {
            case .string(let text): return Double(text).map { JSON($0) } ?? .string(String(text.reversed()))
            case .int(let whole): return below(2) == 0 ? .string(String(whole)) : .int(0 &- whole)
            case .double(let number): return below(2) == 0 ? .string("\(number)") : JSON(-number)
            case .bool(let flag): return .bool(!flag)
            case .array: return []
            case .object: return [:]
            case .null: return 0
            }
        case 4:
            switch json {
            case .string(let text): return .string(String(repeating: text + "é", count: 1 + below(300)))
            case .int(let whole): return .int(whole &* Int64(1 + below(1_000_000)))
            case .double(let number): return JSON(number * 1e12)
            default: return .string(String(repeating: "\u{1F4A5}", count: 1 + below(300)))
            }
        default: return AnswerMutator.strange[below(AnswerMutator.strange.count)]
        }
    }

    private func nested(_ json: JSON, _ levels: Int) -> JSON {
        (0..<levels).reduce(json) { inner, level in
            level % 2 == 0 ? .array([inner]) : .object(JSONObject([("a", inner)]))
        }
    }

    // MARK: - Bytes

    /// What is not UTF-8: a lone continuation, a surrogate, too long a form, beyond the last scalar.
    private static let ill: [[UInt8]] = [
        [0x80], [0xED, 0xA0, 0x80], [0xC0, 0xAF], [0xF4, 0x90, 0x80, 0x80], [0xFF, 0xFE], [0x00], [0xEF, 0xBB, 0xBF],
    ]

    private mutating func broken(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        let place = below(bytes.count + 1)
        switch below(7) {
        case 0: return Array(bytes.prefix(place))
        case 1: return Array(bytes.dropFirst(place))
        case 2: bytes.insert(contentsOf: AnswerMutator.ill[below(AnswerMutator.ill.count)], at: place)
        case 3: bytes.insert(contentsOf: bytes.dropFirst(place).prefix(1 + below(200)), at: place)
        case 4: bytes.removeSubrange(place..<min(bytes.count, place + 1 + below(20)))
        default:
            guard place < bytes.count else { return bytes }
            bytes[place] ^= 1 << UInt8(below(8))
        }
        return bytes
    }
}

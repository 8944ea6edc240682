/// Room for text that is put together piece by piece: the end of an array as long as it lasts, and memory of its own
/// beyond that.
///
/// The journal writes every fact in some forty pieces. To ask an array for room each time took two fifths of the
/// instructions of a record; here a piece costs a comparison and its bytes.
struct TextRoom {
    private var start: UnsafeMutablePointer<UInt8>?
    private var capacity: Int
    private var count = 0
    /// Whether the room is memory of its own; whoever made the room lets go of it.
    private var isOwn = false

    /// No room: whatever is written finds memory of its own.
    init() { (start, capacity) = (nil, 0) }

    private init(_ room: UnsafeMutableBufferPointer<UInt8>) { (start, capacity) = (room.baseAddress, room.count) }

    /// What most records need.
    private static let bytesUsual = 2048

    /// Adds what `write` puts into the room to the end of `bytes`.
    static func add(to bytes: inout [UInt8], _ write: (TextRoom) -> TextRoom) {
        var spilled: TextRoom?
        bytes.append(addingCapacity: bytesUsual) { output in
            output.withUnsafeMutableBufferPointer { buffer, count in
                let room = write(TextRoom(UnsafeMutableBufferPointer(rebasing: buffer[count...])))
                if room.isOwn { spilled = room } else { count += room.count }
            }
        }
        guard let spilled else { return }
        bytes.append(contentsOf: UnsafeBufferPointer(start: spilled.start, count: spilled.count))
        spilled.start?.deallocate()
    }

    /// Where the next `count` bytes go; all of them must be written.
    @inline(__always)
    mutating func take(_ count: Int) -> UnsafeMutablePointer<UInt8> {
        if self.count + count > capacity { grow(by: count) }
        guard let start else { preconditionFailure("room that was asked for is there") }
        defer { self.count += count }
        return start + self.count
    }

    @inline(never)
    private mutating func grow(by more: Int) {
        let larger = max(2 * capacity, count + more, TextRoom.bytesUsual)
        let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
        if let start {
            memory.update(from: start, count: count)
            if isOwn { start.deallocate() }
        }
        (start, capacity, isOwn) = (memory, larger, true)
    }

    @inline(__always)
    mutating func append(mark: Unicode.Scalar) { take(1)[0] = UInt8(ascii: mark) }

    @inline(__always)
    mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let from = bytes.baseAddress else { return }
        take(bytes.count).update(from: from, count: bytes.count)
    }

    /// - Parameter text: Of ASCII.
    mutating func append(_ text: StaticString) { text.withUTF8Buffer { append($0) } }

    mutating func append(_ number: Int64) {
        var digits = 1
        var rest = number.magnitude
        while rest >= 10 {
            rest /= 10
            digits += 1
        }
        let place = take(digits + (number < 0 ? 1 : 0))
        rest = number.magnitude
        if number < 0 { place[0] = UInt8(ascii: "-") }
        let first = number < 0 ? 1 : 0
        for index in (first..<first + digits).reversed() {
            place[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
    }

    /// A text as JSON writes it, quotes included.
    mutating func append(quoted text: String) {
        append(mark: "\"")
        JSON.eachPiece(of: text) { append($0) }
        append(mark: "\"")
    }

    /// A moment as RFC 3339.
    mutating func append(_ moment: Moment) {
        let place = take(Moment.bytesMax)
        count -= Moment.bytesMax - moment.write(to: place)
    }
}

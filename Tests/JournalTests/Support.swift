import JournalTesting
import Synchronization

@testable import Journal

let noon = "2026-11-21T12:00:00.000Z"
let firstSegment = "journal-00000000000000000001.jsonl"

func payload(_ number: Int) -> [UInt8] { Array("{\"n\":\(number)}".utf8) }

func text(_ bytes: some Sequence<UInt8>) -> String { String(decoding: Array(bytes), as: UTF8.self) }

/// A journal's records as `seq payload`, and the report.
func read(
    _ disk: any JournalDisk,
    limits: JournalLimits = .standard
) throws(JournalError) -> (records: [String], report: JournalReport) {
    var records: [String] = []
    let report = try JournalReader(disk, limits: limits).forEach { records.append("\($0.seq) \(text($0.payload))") }
    return (records, report)
}

/// What `read` gives for records 1 to `count` of `payload`.
func lines(_ numbers: some Sequence<Int>) -> [String] { numbers.map { "\($0) {\"n\":\($0)}" } }

/// A disk with the records 1 to `count`, each in its own commit.
func diskWith(_ count: Int, limits: JournalLimits = .standard) throws -> MemoryDisk {
    let disk = MemoryDisk()
    var writer = try JournalWriter.open(disk, limits: limits) { _ in }
    for number in 1...count {
        try writer.append(payload(number), at: noon)
        try writer.commit()
    }
    return disk
}

/// A line of a record as an earlier version of the format has it: 1, of release 0.1, or 2.
func oldLine(_ number: Int, version: Int = 1, at: String = noon) -> [UInt8] {
    let last = version == 1 ? "" : ",\"last\":1"
    let head = "{\"v\":\(version),\"seq\":\(number)\(last),\"at\":\"\(at)\""
    let tail = ",\"record\":\(text(payload(number)))}"
    let checksum = String(CRC32C.extend(0, with: Array((head + tail).utf8).span.bytes), radix: 16)
    let padded = String(repeating: "0", count: 8 - checksum.count) + checksum
    return Array("\(head),\"crc\":\"\(padded)\"\(tail)\n".utf8)
}

/// Opens for writing, as a bot that starts does, and drops the writer again.
@discardableResult
func reopen(_ disk: any JournalDisk, limits: JournalLimits = .standard) throws(JournalError) -> JournalReport {
    try JournalWriter.open(disk, limits: limits) { _ in }.report
}

/// Counts down, wherever it is shared.
final class Counter: Sendable {
    private let value: Atomic<Int>

    init(_ start: Int) { value = Atomic(start) }

    func next() -> Int { value.subtract(1, ordering: .relaxed).oldValue }
}

/// Ends a writer's life, and with it the lock.
func drop(_ writer: consuming JournalWriter) {}

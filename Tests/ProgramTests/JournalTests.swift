import BotHarness
import Foundation
import Testing

/// What the journal commands say of journals in every condition, and that only `compact` changes one.
@Suite struct JournalTests {
    private static let segment = "state/journal-00000000000000000001.jsonl"

    /// Four records of a bot, the first of release 0.1, and lines that stand for everything else.
    private static let sound = [
        #"{"v":1,"seq":1,"at":"2026-11-21T12:00:00.000Z","crc":"CRC","record":{"kind":"numbering","next":1}}"#,
        #"{"v":2,"seq":2,"last":1,"at":"2026-11-21T12:00:01.000Z","crc":"CRC","record":{"kind":"numbering","next":2}}"#,
        #"{"v":2,"seq":3,"last":1,"at":"2026-11-21T12:00:02.000Z","crc":"CRC","record":{"kind":"numbering","next":3}}"#,
        #"{"v":2,"seq":4,"last":1,"at":"2026-11-21T12:00:03.000Z","crc":"CRC","record":{"kind":"numbering","next":4}}"#,
    ].map(withChecksum)

    /// The second record, of a commit that has more.
    private static let withoutEnd = withChecksum(
        #"{"v":2,"seq":2,"last":0,"at":"2026-11-21T12:00:01.000Z","crc":"CRC","record":{"kind":"numbering","next":2}}"#)

    private static func withChecksum(_ line: String) -> String {
        var crc = UInt32.max
        for byte in line.replacing(#","crc":"CRC""#, with: "").utf8 {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0x82F6_3B78 : crc >> 1 }
        }
        return line.replacing("CRC", with: String(UInt64(~crc) | 1 << 32, radix: 16).dropFirst())
    }

    private static func scratch(_ lines: [String]) throws -> Scratch {
        let scratch = try Shop.scratch()
        try scratch.makeFolder("state")
        try scratch.write(segment, lines.map { $0 + "\n" }.joined())
        return scratch
    }

    /// A journal with a damaged line, and one that lacks a record besides.
    private static func damaged() throws -> Scratch {
        try scratch([sound[0], sound[1].replacing("12:00:01", with: "12:00:09"), sound[3]])
    }

    @Test(
        arguments: [
            ([], 0, "there is no journal yet", ""),
            (sound, 0, "sound", ""),
            (
                [sound[0], sound[1].replacing("12:00:01", with: "12:00:09"), sound[2]], 1, "damaged",
                "checksum does not match"
            ),
            ([sound[0], "not a line", sound[2]], 1, "damaged", "not a journal record"),
            ([sound[0], sound[3]], 1, "damaged", "records 2 to 3, which should come before this, are missing"),
            ([sound[0], #"{"v":4,"seq":2,"#, sound[2]], 1, "damaged", "checksum does not match"),
            (["some other program's", "lines"], 1, "", "none of its lines is a journal's"),
            ([#"{"v":4,"seq":1}"#], 1, "", "format version 4, this release reads versions up to 3"),
            (
                [sound[0], withoutEnd], 0,
                "sound", ":2 (byte 104): the last 113 bytes belong to a commit that never ended; none of it counts"
            ),
            (
                [
                    withChecksum(
                        #"{"v":1,"seq":1,"at":"2026-11-21T12:00:00.000Z","crc":"CRC","record":{"kind":"teleport"}}"#)
                ],
                1, "not understood", "record 1 is intact but was not understood"
            ),
        ] as [([String], Int32, String, String)])
    func `a journal is called what it is`(
        lines: [String], status: Int32, verdict: String, reason: String
    ) async throws {
        let scratch = try Self.scratch(lines)
        let before = scratch.contents
        let verify = try await scratch.alertbot("journal", "verify")
        #expect(verify.status == status, "\(verify.all)")
        #expect(verify.output.hasSuffix(verdict.isEmpty ? "" : ": \(verdict)\n"), "\(verify.all)")
        #expect(reason.isEmpty || verify.errors.contains(reason), "\(verify.errors)")
        #expect(reason.isEmpty || verify.errors.contains("journal-00000000000000000001.jsonl"))
        #expect(scratch.contents == before)
    }

    @Test func `invalid UTF-8 and a record of 100 MB are damage, and take neither memory nor the other records`()
        async throws
    {
        let scratch = try Self.scratch([Self.sound[0]])
        let file = try #require(FileHandle(forWritingAtPath: scratch.path(Self.segment)))
        try file.seekToEnd()
        try file.write(contentsOf: Data("{\"v\":1,".utf8) + [0xFF, 0x0A])
        for _ in 0..<100 { try file.write(contentsOf: Data(repeating: UInt8(ascii: "x"), count: 1_000_000)) }
        try file.write(contentsOf: Data("\n\(Self.sound[3])\n".utf8))
        try file.close()
        let verify = try await scratch.alertbot("journal", "verify")
        #expect(verify.status == 1)
        #expect(verify.errors.contains(".jsonl:2 (byte 104): the line is not valid UTF-8"), "\(verify.errors)")
        #expect(verify.errors.contains("the line has 100000000 bytes, more than any record"), "\(verify.errors)")
        let repair = try await scratch.alertbot("journal", "repair")
        #expect(repair.output.contains("2 records saved; lost: 2 damaged lines"), "\(repair.all)")
    }

    @Test func `a folder in place of a file, and a file that may not be read, are reported by name`() async throws {
        let scratch = try Self.scratch(Self.sound)
        try scratch.makeFolder("state/journal-00000000000000000005.jsonl")
        for command in ["verify", "show", "repair", "compact"] {
            let finished = try await scratch.alertbot("journal", command)
            #expect(finished.status == 3)
            #expect(finished.errors.contains("00005.jsonl has a journal's name, but is not a regular file"))
        }
        let secret = try Self.scratch(Self.sound)
        secret.chmod(Self.segment, 0)
        let finished = try await secret.boundAlertbot(["journal", "verify"])
        #expect(finished.status == 3)
        #expect(
            finished.errors.contains("cannot read ./state/journal-00000000000000000001.jsonl"), "\(finished.errors)")
        secret.chmod(Self.segment, 0o600)
    }

    @Test func `repair saves what can be saved beside the damaged journal, and says what is lost`() async throws {
        let scratch = try Self.damaged()
        let before = scratch.contents
        let repair = try await scratch.alertbot("journal", "repair")
        #expect(repair.status == 0, "\(repair.all)")
        #expect(
            repair.output == """
                ./state.repaired: 2 records saved; lost: 1 damaged line, 2 missing records
                To use it: stop the bot, move journal-* and snapshot-* out of ./state, and the files of ./state.repaired into it.

                """)
        #expect(repair.errors.contains("checksum does not match"))
        for (name, bytes) in before { #expect(scratch.contents[name] == bytes) }

        let again = try await scratch.alertbot("journal", "repair")
        #expect(again.status == 3)
        #expect(again.errors.contains("./state.repaired holds a journal already"))
        let json = try await scratch.alertbot("journal", "repair", "--to", "copy", "--format", "json").json
        #expect(json["to"].string == "copy")
        #expect(json["saved"].number == 2)
        #expect(json["damaged_lines"].number == 1)
        #expect(json["missing_records"].number == 2)

        try scratch.write("state/observations/2026-11-21-1.jsonl", "recorded\n")
        let followed = try await run(
            "sh", ["-c", "rm -f state/journal-* state/snapshot-* && mv state.repaired/* state"], folder: scratch.folder)
        #expect(followed.status == 0, "\(followed.all)")
        #expect(scratch.names.contains("state/observations/2026-11-21-1.jsonl"))
        #expect(try await scratch.alertbot("journal", "verify").status == 0)
        let show = try await scratch.alertbot("journal", "show")
        #expect(
            show.output == """
                1 2026-11-21T12:00:00.000Z {"kind":"numbering","next":1}
                2 2026-11-21T12:00:03.000Z {"kind":"numbering","next":4}

                """)
    }

    @Test func `where only the state folder can be written, the copy has room in it, and whoever asks is told so`()
        async throws
    {
        let scratch = try Self.damaged()
        scratch.chmod(".", 0o500)
        defer { scratch.chmod(".", 0o700) }
        let beside = try await scratch.boundAlertbot(["journal", "repair"])
        #expect(beside.status == 3)
        #expect(
            beside.errors.contains(
                "cannot write to ./state.repaired: Permission denied; "
                    + "name a folder that can be written with --to, such as ./state/repaired\n"), "\(beside.errors)")
        let within = try await scratch.boundAlertbot(["journal", "repair", "--to", "./state/repaired"])
        #expect(within.status == 0, "\(within.all)")
        #expect(
            within.output.hasSuffix(
                "move journal-* and snapshot-* out of ./state, and the files of ./state/repaired into it.\n"),
            "\(within.output)")
    }

    @Test func `who is told of the past by a damaged journal hears that it is damaged`() async throws {
        let scratch = try Shop.scratch()
        for app in ["shop-ios", "shop-web"] {
            #expect(try await scratch.alertbot("mute", "--app", app, "--for", "2h", "--by", "ada").status == 0)
        }
        let journal = String(decoding: try #require(scratch.contents[Self.segment]), as: UTF8.self)
        try scratch.write(Self.segment, journal.replacing("shop-ios", with: "shop-iot"))
        for words in [["status"], ["incidents"], ["mutes"], ["history"], ["why"]] {
            let run = try await BotHarness.run(BotBinary.path, words, folder: scratch.folder)
            #expect(run.status == 0, "\(words): \(run.all)")
            #expect(
                run.errors.hasPrefix("alertbot: warning: journal-00000000000000000001.jsonl:")
                    && run.errors.hasSuffix("the line's checksum does not match; it is skipped\n"),
                "\(words): \(run.all)")
        }
        let status = try await scratch.alertbot("status")
        #expect(
            status.output.hasSuffix("\nThe journal is damaged: 1 damaged line; 'alertbot journal verify' says more\n"),
            "\(status.all)")
        let json = try await scratch.alertbot("status", "--format", "json").json
        #expect(json["journal_trouble"].string == "1 damaged line; 'alertbot journal verify' says more")
        #expect(json["mutes"].elements.count == 1)

        // What a crash leaves behind is no damage, and neither is what a bot has not written to its end.
        try scratch.write(Self.segment, journal + "{\"v\":2,")
        for words in [["status"], ["history"]] {
            let run = try await BotHarness.run(BotBinary.path, words, folder: scratch.folder)
            #expect(run.errors.isEmpty && !run.output.contains("The journal"), "\(words): \(run.all)")
        }
    }

    @Test func `compact puts one snapshot in place of everything, and keeps what was damaged`() async throws {
        let scratch = try Self.damaged()
        let compact = try await scratch.alertbot("journal", "compact", "--format", "json")
        #expect(compact.status == 0, "\(compact.all)")
        #expect(try compact.json["before"]["records"].number == 2)
        #expect(try compact.json["after"]["records"].number == 1)
        #expect(
            scratch.names.filter { $0.hasPrefix("state/") } == [
                "state/journal-00000000000000000001.jsonl.damaged", "state/journal-00000000000000000005.jsonl",
                "state/lock", "state/quarantine.jsonl", "state/snapshot-00000000000000000004.jsonl",
            ])
        let verify = try await scratch.alertbot("journal", "verify")
        #expect(verify.status == 0)
        #expect(verify.errors.contains("1 damaged piece kept in ./state/quarantine.jsonl"))
        #expect(try await scratch.alertbot("journal", "verify", "--format", "json").json["quarantined"].number == 1)
        let show = try await scratch.alertbot("journal", "show")
        #expect(show.output.hasSuffix(#"{"kind":"numbering","next":4}"# + "\n"))
    }

    @Test func `where there is no journal compact has nothing to do, and makes nothing`() async throws {
        let scratch = try Shop.scratch()
        let compact = try await scratch.alertbot("journal", "compact")
        #expect(compact.status == 0)
        #expect(compact.output == "./state: 0 records, 0 bytes, are now 0 records, 0 bytes\n")
        #expect(!scratch.names.contains("state"))
    }

    @Test func `while a bot runs repair works and compact is refused`() async throws {
        let config = Shop.config.replacing(
            #"ops: {plugin: webhook, url: "https://hooks.example.com/bot"}"#, with: "ops: {plugin: console}")
        let scratch = try Shop.scratch(config, figures: Figures().line("shop-ios", crashed: 500, of: 10_000))
        let bot = try await scratch.startBot()
        defer { bot.send(9) }
        _ = try await eventually("something was said") { bot.standardOutput.contains("shop-ios") ? true : nil }
        let compact = try await scratch.alertbot("journal", "compact")
        #expect(compact.status == 3)
        #expect(
            compact.errors.contains("is running in ./state and compacts its journal by itself; stop it first"),
            "\(compact.errors)")
        let repair = try await scratch.alertbot("journal", "repair")
        #expect(repair.status == 0, "\(repair.all)")
        #expect(repair.output.contains("; lost: nothing\n"))
        bot.send(15)
        #expect(try await bot.ending() == .exited(0))
    }

    @Test func `a bot whose state folder is taken away goes on and writes it anew`() async throws {
        let config = Shop.config.replacing(
            #"ops: {plugin: webhook, url: "https://hooks.example.com/bot"}"#, with: "ops: {plugin: console}"
        ).replacing(
            "figures.jsonl}",
            with: "figures.jsonl, follow: true, every: 1s}\npolling: {throttle: 1s, slowest: 2s}")
        let scratch = try Shop.scratch(config, figures: Figures().line("shop-ios", crashed: 500, of: 10_000))
        let bot = try await scratch.startBot()
        defer { bot.send(9) }
        _ = try await eventually("something was said") { bot.standardOutput.contains("shop-ios") ? true : nil }
        try FileManager.default.removeItem(atPath: scratch.path("state"))
        _ = try await eventually("it was noticed and fixed", within: .seconds(30)) {
            bot.standardError.contains("the journal can be written again") ? true : nil
        }
        #expect(bot.standardError.contains("./state was removed or moved while the bot wrote to it"))
        let history = try await scratch.alertbot("journal", "show")
        #expect(history.output.contains("shop-ios"))
        bot.send(15)
        #expect(try await bot.ending() == .exited(0))
        #expect(try await scratch.alertbot("journal", "verify").status == 0)
        #expect(try await scratch.alertbot("history").output.contains("delivered"))
    }
}

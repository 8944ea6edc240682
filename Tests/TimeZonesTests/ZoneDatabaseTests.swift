import AlertModel
import Glibc
import Testing
import TimeZones

@Suite struct `The database of zones` {
    @Test func `a zone is read by its name or an alias`() throws {
        let folder = try ScratchFolder()
        let bytes = try #require(ZoneTable.entries.first { $0.name == "America/New_York" }).bytes
        try folder.write(bytes, to: "US/Eastern")
        let zone = try ZoneDatabase(folder: folder.path).zone("US/Eastern")
        #expect(zone.name == "US/Eastern")
        #expect(try zone.abbreviation(at: instant("2025-07-01T00:00Z")) == "EDT")
    }

    @Test(arguments: ["UTC", "Etc/UTC"])
    func `UTC is there without a database`(name: String) throws {
        let zone = try ZoneDatabase(folder: "/nowhere").zone(name)
        #expect(zone.name == name)
        #expect(zone.offset(at: .latest) == 0)
    }

    @Test(arguments: [
        "", "/", "/etc/passwd", "Europe/", "Europe//Madrid", "../UTC", "Europe/../UTC", "Europe/Mad rid",
        "Europe/Madríd",
        "tzdata.zi", "A\0B", String(repeating: "A", count: 101),
    ])
    func `names that lead elsewhere are refused unread`(name: String) {
        #expect(throws: ZoneError.nameMalformed(name)) { try ZoneDatabase(folder: "/").zone(name) }
        #expect(throws: ZoneError.nameMalformed(name)) { try Zone(name: name, tzif: TZif().bytes) }
    }

    @Test func `a missing database says how to install it`() throws {
        let folder = try ScratchFolder()
        for path in [folder.path, folder.path + "/none"] {
            let error = #expect(throws: ZoneError.noDatabase(folder: path)) {
                try ZoneDatabase(folder: path).zone("Europe/Madrid")
            }
            #expect(
                error?.description
                    == "there is no time zone database in \(path); install it with: apt-get install tzdata")
        }
    }

    @Test(arguments: [
        ("Europe/Madird", "Europe/Madrid"), ("europe/madrid", "Europe/Madrid"), ("madrid", "Europe/Madrid"),
        ("Ushuaia", "America/Argentina/Ushuaia"), ("Mars/Olympus", nil), ("Europe", nil),
    ])
    func `an unknown zone comes with the likely one`(name: String, suggestion: String?) throws {
        let folder = try ScratchFolder()
        try folder.write(ScratchFolder.list, to: "tzdata.zi")
        try folder.write([], to: "Europe/Madrid")
        let error = #expect(throws: ZoneError.unknown(name: name, suggestion: suggestion)) {
            try ZoneDatabase(folder: folder.path).zone(name)
        }
        if let suggestion {
            #expect(error?.description == "there is no time zone '\(name)'; did you mean \(suggestion)?")
        }
    }

    @Test func `a zone that is listed but absent is in another package`() throws {
        let folder = try ScratchFolder()
        try folder.write(ScratchFolder.list, to: "tzdata.zi")
        #expect(throws: ZoneError.notInstalled(name: "US/Eastern")) {
            try ZoneDatabase(folder: folder.path).zone("US/Eastern")
        }
    }

    @Test func `the list gives zones and aliases in order`() throws {
        let folder = try ScratchFolder()
        try folder.write(ScratchFolder.list, to: "tzdata.zi")
        let names = ["America/Argentina/Ushuaia", "America/New_York", "Europe/Madrid", "US/Eastern"]
        #expect(ZoneDatabase(folder: folder.path).names() == names)
        #expect(ZoneDatabase(folder: folder.path + "/none").names().isEmpty)
    }

    @Test func `a file beyond the bound is refused`() throws {
        let folder = try ScratchFolder()
        try folder.write([UInt8](repeating: 0, count: 65_537), to: "Huge")
        #expect(throws: ZoneError.tooLarge(path: folder.path + "/Huge", bytesMax: 65_536)) {
            try ZoneDatabase(folder: folder.path).zone("Huge")
        }
    }

    @Test func `a pipe in the database does not block`() throws {
        let folder = try ScratchFolder()
        try folder.write([], to: "UTC")
        try #require(mkfifo(folder.path + "/Pipe", 0o600) == 0)
        #expect(throws: ZoneError.unknown(name: "Pipe", suggestion: nil)) {
            try ZoneDatabase(folder: folder.path).zone("Pipe")
        }
    }

    @Test(.enabled(if: !ZoneDatabase().names().isEmpty, "no database is installed here"))
    func `every zone of the installed database is understood`() throws {
        let database = ZoneDatabase()
        for name in database.names() {
            do {
                _ = try database.zone(name)
            } catch .notInstalled {
                continue  // An old alias, packaged apart.
            }
        }
    }
}

/// A folder of its own for one test, gone with it.
private final class ScratchFolder {
    let path: String
    private var made: [String] = []

    static let list = Array(
        """
        # version 2025b
        R A 1916 o - Jun 14 23s 1 S
        Z America/New_York -4:56:2 - LMT 1883 N 18 17u
        -5 u E%sT
        Z Europe/Madrid -0:14:44 - LMT 1901 Ja 1 0u
        Z America/Argentina/Ushuaia -4:33:12 - LMT 1894 O 31
        L America/New_York US/Eastern
        L America/New_York ../../etc

        """.utf8)

    init() throws {
        var template = Array("/tmp/zones-XXXXXX".utf8CString)
        let isMade = mkdtemp(&template) != nil
        try #require(isMade)
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        for name in made.reversed() + ["Pipe"] { remove(path + "/" + name) }
        remove(path)
    }

    func write(_ bytes: [UInt8], to name: String) throws {
        var folder = ""
        for part in name.split(separator: "/").dropLast() {
            folder += folder.isEmpty ? String(part) : "/" + part
            if mkdir(path + "/" + folder, 0o700) == 0 { made.append(folder) }
        }
        let file = try #require(fopen(path + "/" + name, "w"))
        made.append(name)
        let count = fwrite(bytes, 1, bytes.count, file)
        try #require(fclose(file) == 0 && count == bytes.count)
    }
}

import BotHarness
import Glibc
import SystemPorts
import Testing

@testable import Archive

@Suite struct CacheFolderTests {
    private let scratch: Scratch
    private let none = Variables([:])

    init() throws { scratch = try Scratch() }

    @Test func `it lies where users keep such things, and paths from somewhere are passed over`() throws {
        func path(_ variables: [String: String]) throws -> String {
            try CacheFolder(nil, variables: Variables(variables)).path
        }
        #expect(try path(["XDG_CACHE_HOME": "/var/cache/ada", "HOME": "/home/ada"]) == "/var/cache/ada/alertbot")
        #expect(try path(["XDG_CACHE_HOME": "cache", "HOME": "/home/ada"]) == "/home/ada/.cache/alertbot")
        #expect(try path(["HOME": "/home/ada"]) == "/home/ada/.cache/alertbot")
        #expect(try CacheFolder("mine", variables: none).path == "mine")
        let failure = #expect(throws: Failure.self) { try path(["HOME": "ada"]) }
        #expect(
            failure?.sentence == "there is no home folder to keep fetched history in; name a folder with --cache DIR")
    }

    @Test func `what is kept is there the next time, for nobody else to read`() throws {
        let cache = try CacheFolder(scratch.path("a/cache"), variables: none)
        try cache.prepare()
        #expect(!cache.has("ios/2026-11-20.jsonl"))
        try cache.keep(Array("one".utf8), as: "ios/2026-11-20.jsonl")
        try cache.keep(Array("two".utf8), as: "ios/2026-11-20.jsonl")
        #expect(cache.has("ios/2026-11-20.jsonl"))
        #expect(try cache.contents(of: "ios/2026-11-20.jsonl") == Array("two".utf8))
        #expect(scratch.names == ["a", "a/cache", "a/cache/ios", "a/cache/ios/2026-11-20.jsonl"])
        var status = stat()
        #expect(stat(scratch.path("a/cache/ios"), &status) == 0 && status.st_mode & 0o777 == 0o700)
        #expect(stat(scratch.path("a/cache/ios/2026-11-20.jsonl"), &status) == 0 && status.st_mode & 0o777 == 0o600)
        cache.remove("ios/2026-11-20.jsonl")
        #expect(!cache.has("ios/2026-11-20.jsonl"))
        #expect(throws: Failure.self) { try cache.contents(of: "ios/2026-11-20.jsonl") }
    }

    @Test func `a folder that cannot be made is reported before anything is fetched`() throws {
        try scratch.write("file", "")
        let cache = try CacheFolder(scratch.path("file/cache"), variables: none)
        let failure = #expect(throws: Failure.self) { try cache.prepare() }
        #expect(
            failure
                == Failure(
                    .impossible,
                    "\(scratch.path("file/cache")) cannot be written: Not a directory; "
                        + "name another folder with --cache DIR"))
        #expect(throws: Failure.self) { try cache.keep([1], as: "ios/2026-11-20.jsonl") }
    }

    @Test func `the days that were fetched longest ago make room, and other people's files stay`() throws {
        let cache = try CacheFolder(scratch.path("cache"), variables: none, bytesMax: 25)
        let days = ["ios/2026-11-20.jsonl", "web/2026-11-18.jsonl", "ios/2026-11-19.part.jsonl"]
        for (age, name) in zip([3, 1, 2], days) {
            try cache.keep(Array(repeating: 1, count: 10), as: name)
            touch("cache/" + name, hoursAgo: age)
        }
        for name in ["ios/notes.jsonl", "ios/2026-11-20.txt", "top.jsonl"] {
            try cache.keep(Array(repeating: 1, count: 10), as: name)
            touch("cache/" + name, hoursAgo: 99)
        }
        cache.shrink()
        #expect(days.map(cache.has) == [false, true, true])
        #expect(cache.has("ios/notes.jsonl") && cache.has("ios/2026-11-20.txt") && cache.has("top.jsonl"))
        cache.shrink()
        #expect(days.map(cache.has) == [false, true, true], "what fits stays")
    }

    private func touch(_ name: String, hoursAgo: Int) {
        var times = [timespec(), timespec()]
        for index in times.indices { times[index].tv_sec = 1_800_000_000 - hoursAgo * 3600 }
        #expect(utimensat(AT_FDCWD, scratch.path(name), times, 0) == 0)
    }
}

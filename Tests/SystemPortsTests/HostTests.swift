import AlertCore
import BotHarness
import Foundation
import Glibc
import Journal
import MachineTesting
import PluginKit
import Runtime
import Testing

@testable import SystemPorts

@Suite struct HostTests {
    private let stage = StagedMachine()
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func host(_ variables: [String: String] = [:]) -> SystemHost {
        SystemHost(
            stateFolder: scratch.path("state"), terminal: stage.terminal, clock: stage.clock,
            variables: Variables(variables), powerFolder: scratch.path("power"))
    }

    @Test func `a note is a line with its time and its level, and what would break the line does not`() async {
        let host = host()
        host.log(Note(.info, "watching\n1 source"))
        host.log(Note(.warning, "\u{1B}[31mslow"))
        host.log(Note(.error, "broken"))
        #expect(await host.print("printed\n", within: .seconds(1)) == .done)
        #expect(
            stage.complained == """
                2026-11-20T12:00:00Z info: watching 1 source
                2026-11-20T12:00:00Z warning: [31mslow
                2026-11-20T12:00:00Z error: broken

                """)
        #expect(stage.said == "printed\n")
    }

    @Test func `notes of one turn are a line each, and none are nothing`() {
        host().log([Note(.info, "one"), Note(.warning, "two")])
        host().log([])
        #expect(stage.complained == "2026-11-20T12:00:00Z info: one\n2026-11-20T12:00:00Z warning: two\n")
        #expect(!host().logsDetails)
    }

    private func host(printingTo output: Int32) -> SystemHost {
        SystemHost(
            stateFolder: scratch.path("state"),
            terminal: Terminal(output: output, errors: output, variables: Variables([:]), clock: stage.clock),
            clock: stage.clock, variables: Variables([:]))
    }

    @Test func `a reader that stops keeps nobody waiting, and what it did not begin with is not printed later`()
        async throws
    {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        #expect(fcntl(ends[1], 1031, 4096) == 4096)  // F_SETPIPE_SZ, which Swift does not see
        let host = host(printingTo: ends[1])
        let long = String(repeating: "a", count: 8192)
        async let first = host.print(long, within: .seconds(30))
        // It has begun.
        var buffer = [UInt8](repeating: 0, count: 8192)
        #expect(read(ends[0], &buffer, 1) == 1)
        #expect(
            await host.print("b", within: .zero)
                == .failed("whoever reads standard output has not read what came before"))
        stage.clock.advance(by: .seconds(30))
        #expect(await first == .stuck)
        var taken = 1
        while taken < long.utf8.count { taken += max(0, read(ends[0], &buffer, buffer.count)) }
        #expect(await host.print("c", within: .seconds(30)) == .done)
        #expect(read(ends[0], &buffer, buffer.count) == 1 && buffer[0] == UInt8(ascii: "c"))
    }

    @Test func `what standard output does not take is said`() async throws {
        let full = open("/dev/full", O_WRONLY)
        try #require(full >= 0)
        defer { close(full) }
        #expect(
            await host(printingTo: full).print("x", within: .seconds(30))
                == .failed("standard output takes nothing: No space left on device"))
    }

    /// A pipe takes no more than 4096 bytes in one piece; between two pieces another's line may come.
    @Test func `lines of two threads stay whole on a pipe`() throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        defer { close(ends[0]) }
        // A pipe of one page: whoever writes more has to wait in the middle.
        #expect(fcntl(ends[1], 1031, 4096) == 4096)  // F_SETPIPE_SZ, which Swift does not see
        let terminal = Terminal(output: ends[1], errors: ends[1], variables: Variables([:]), clock: stage.clock)
        let host = SystemHost(
            stateFolder: scratch.path("state"), terminal: terminal, clock: stage.clock, variables: Variables([:]))
        let rounds = 40
        let writers = DispatchGroup()
        for name in ["a", "b"] {
            writers.enter()
            Thread.detachNewThread {
                for round in 0..<rounds {
                    let count = round % 2 == 0 ? 300 : 1
                    host.log((0..<count).map { Note(.info, String(repeating: name, count: 20 + $0 % 97)) })
                }
                writers.leave()
            }
        }
        writers.notify(queue: .global()) { [output = ends[1]] in close(output) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1000)
        while case let got = read(ends[0], &buffer, buffer.count), got > 0 { bytes += buffer[..<got] }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        #expect(lines.count == rounds * 301)
        let start = "2026-11-20T12:00:00Z info: "
        let torn = lines.filter { !$0.hasPrefix(start) || Set($0.dropFirst(start.count)).count != 1 }
        #expect(torn == [], "\(torn.count) lines are torn")
    }

    @Test func `under systemd's journal a line begins with its priority and leaves the time to the journal`() {
        let host = host(["JOURNAL_STREAM": "8:1234"])
        for level in [Note.Level.error, .warning, .info] { host.log(Note(level, "x")) }
        #expect(stage.complained == "<3>x\n<4>x\n<6>x\n")
    }

    @Test func `power is low when a battery empties, or when somebody says so`() throws {
        #expect(!host().isLowOnPower(), "there is no power supply to ask")
        try scratch.makeFolder("power/AC")
        try scratch.makeFolder("power/BAT0")
        try scratch.write("power/BAT0/status", "Charging\n")
        #expect(!host().isLowOnPower())
        try scratch.write("power/BAT0/status", "Discharging\n")
        #expect(host().isLowOnPower())
        try scratch.write("power/BAT0/status", "Full\n")
        try scratch.makeFolder("state")
        try scratch.write("state/low-power", "")
        #expect(host().isLowOnPower())
    }

    @Test func `what a journal's trouble means is how the command ends`() {
        #expect(Failure(JournalError.lockHeld(folder: "/x", pid: 7)).status == .impossible)
        #expect(Failure(JournalError(DiskFault(.list, "", .denied("no")), in: "/x")).status == .impossible)
        let full = Failure(JournalError(DiskFault(.write, "journal", .full), in: "/x"))
        #expect(full.sentence == "no space left on the disk of /x/journal; free some, and run this again")
        let unknown = Failure(noSuch: "channel", "opps", known: ["team", "ops"])
        #expect(unknown == Failure(.wrongUsage, "there is no channel 'opps'; known: ops, team; did you mean ops?"))
        #expect(Failure(noSuch: "channel", "x", known: ["team"]).sentence == "there is no channel 'x'; known: team")
    }

    @Test func `the shell's name for somebody comes before the system's`() {
        #expect(Variables(["USER": "ada", "LOGNAME": "root"]).user == "ada")
        #expect(Variables(["USER": "", "LOGNAME": "eve"]).user == "eve")
        #expect(Variables(["USER": "root", "LOGNAME": "root", "SUDO_USER": "ada"]).user == "ada")
        #expect(Variables(["USER": "root", "DOAS_USER": "eve"]).user == "eve")
        #expect(Variables([:]).user == getpwuid(geteuid()).map { String(cString: $0.pointee.pw_name) })
        #expect(Variables.ofProcess["PATH"] == getenv("PATH").map { String(cString: $0) })
        #expect(Variables.ofProcess["ALERTBOT_NO_SUCH_VARIABLE"] == nil)
    }

    /// What the system's wall clock says, asked in another way.
    private static func milliseconds() -> Int64 {
        var time = timeval()
        gettimeofday(&time, nil)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_usec) / 1000
    }

    @Test func `the clocks are the system's, and nobody waits for what is over`() async throws {
        let clock = SystemClock()
        // Not time(): it reads a coarser clock, which may be a tick behind at the edge of a second.
        let before = HostTests.milliseconds()
        let now = clock.now().milliseconds
        #expect(before <= now && now <= HostTests.milliseconds())
        let first = clock.uptime()
        #expect(first > .zero)
        #expect(clock.uptime() >= first)
        try await clock.sleep(until: first)
        let task = Task { try await clock.sleep(until: clock.uptime() + .hours(1)) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func `a network that was closed takes no more requests, and one that was never used is closed at once`() async
    {
        let web = CurlWeb()
        await web.close()
        // Nothing listens on port 9 of this machine.
        let request = HTTPRequest(.get, "http://127.0.0.1:9/")
        let refused = await #expect(throws: TransportError.self) {
            try await web.perform(request, timeout: .seconds(5))
        }
        #expect(refused?.cause == .connect)
        await web.close()
        let late = await #expect(throws: TransportError.self) {
            try await web.perform(request, timeout: .seconds(5))
        }
        #expect(late?.cause == .cancelled)
    }
}

/// A service as systemd starts it.
@Suite struct SupervisorTests {
    /// A socket that hears what services say.
    private final class Ear {
        private let descriptor: Int32

        init(_ path: String) throws {
            descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
            try #require(descriptor >= 0)
            var bytes = Array(path.utf8)
            if bytes[0] == UInt8(ascii: "@") { bytes[0] = 0 }
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
            let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
            let bound = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
            }
            try #require(bound == 0)
        }

        deinit { close(descriptor) }

        func heard() -> String? {
            var bytes = [UInt8](repeating: 0, count: 256)
            let count = recv(descriptor, &bytes, bytes.count, 0)
            return count < 0 ? nil : String(decoding: bytes.prefix(count), as: UTF8.self)
        }
    }

    @Test(arguments: ["path", "abstract"])
    func `systemd hears how the service is`(kind: String) throws {
        let scratch = try Scratch()
        let name = kind == "path" ? scratch.path("notify") : "@alertbot-test-\(getpid())"
        let ear = try Ear(name)
        let supervisor = Supervisor(Variables(["NOTIFY_SOCKET": name]))
        supervisor.ready()
        #expect(ear.heard() == "READY=1")
        supervisor.reloading()
        let reloading = try #require(ear.heard())
        let parts = reloading.split(separator: "\n")
        #expect(parts.first == "RELOADING=1")
        let microseconds = try #require(Int64(parts.last?.dropFirst("MONOTONIC_USEC=".count) ?? ""))
        #expect(microseconds <= SystemClock.read(CLOCK_MONOTONIC) / 1000)
        supervisor.stopping()
        #expect(ear.heard() == "STOPPING=1")
        #expect(ear.heard() == nil)
    }

    @Test(arguments: [nil, "", "x", "/nowhere/at/all", "/" + String(repeating: "x", count: 200)])
    func `where nobody listens nothing happens`(name: String?) {
        var variables: [String: String] = [:]
        variables["NOTIFY_SOCKET"] = name
        Supervisor(Variables(variables)).ready()
    }
}

/// One after the other: the handlers of signals belong to the whole process.
@Suite(.serialized) struct SignalTests {
    @Test func `signals come as a stream, in their order`() async throws {
        let signals = try #require(Signals([SIGUSR1, SIGUSR2]))
        defer { for number in [SIGUSR1, SIGUSR2] { _ = signal(number, SIG_DFL) } }
        var stream = signals.stream.makeAsyncIterator()
        for number in [SIGUSR1, SIGUSR2, SIGUSR1] {
            kill(getpid(), number)
            #expect(await stream.next() == number)
        }
    }

    @Test func `a signal cancels work instead of ending the program`() async throws {
        let (began, begin) = AsyncStream.makeStream(of: Void.self)
        let work = Task {
            try await Interruption([SIGUSR2]).cancelling {
                begin.yield()
                try await Task.sleep(for: .hours(1))
            }
        }
        for await _ in began { break }
        kill(getpid(), SIGUSR2)
        await #expect(throws: CancellationError.self) { try await work.value }
    }

    @Test func `a signal that whoever started the program wants ignored stays ignored`() async throws {
        await #expect(processExitsWith: .exitCode(7)) {
            _ = signal(SIGUSR1, SIG_IGN)
            try await Interruption([SIGUSR1]).cancelling {
                kill(getpid(), SIGUSR1)
                try Task.checkCancellation()
            }
            kill(getpid(), SIGUSR1)
            exit(7)
        }
    }

    @Test func `work that nothing interrupts gives what it gives, and its own end is reported`() async throws {
        #expect(try await Interruption.none.cancelling { 7 } == 7)
        #expect(try await Interruption([SIGUSR1]).cancelling { 8 } == 8)
        let (began, begin) = AsyncStream.makeStream(of: Void.self)
        let work = Task {
            try await Interruption([SIGUSR1]).cancelling {
                begin.yield()
                try await Task.sleep(for: .hours(1))
            }
        }
        for await _ in began { break }
        work.cancel()
        await #expect(throws: CancellationError.self) { try await work.value }
    }
}

/// The log as JSON.
@Suite struct LogFormatTests {
    private let stage = StagedMachine()

    private func host(_ variables: [String: String] = [:]) -> SystemHost {
        SystemHost(
            stateFolder: "/nowhere", terminal: stage.terminal.logging(.json), clock: stage.clock,
            variables: Variables(variables))
    }

    @Test func `each note is an object on a line of its own, with what it is about by name`() throws {
        let host = host()
        host.log(Note(.info, "watching\n1 \"source\"\u{1B}[31m"))
        host.log(Note(.warning, "source ios: timeout", ["source": "ios"]))
        host.log(
            Note(.info, "team: send (first): opened x", ["reason": "first", "channel": "team", "decision": "send"]))
        #expect(
            stage.complained == """
                {"time":"2026-11-20T12:00:00Z","level":"info","message":"watching 1 \\"source\\"[31m"}
                {"time":"2026-11-20T12:00:00Z","level":"warning","message":"source ios: timeout","source":"ios"}
                {"time":"2026-11-20T12:00:00Z","level":"info","message":"team: send (first): opened x","channel":"team","decision":"send","reason":"first"}

                """)
    }

    @Test func `under systemd's journal the priority stands in front, which the journal takes off`() {
        host(["JOURNAL_STREAM": "8:1"]).log(Note(.error, "x"))
        #expect(
            stage.complained == #"<3>{"time":"2026-11-20T12:00:00Z","level":"error","message":"x"}"# + "\n")
    }

    @Test func `what is said over several lines stays one message`() {
        stage.terminal.logging(.json).error("config.yaml:1:1: error: no\n    \u{202E}x\n    ^")
        #expect(
            stage.complained
                == #"{"time":"2026-11-20T12:00:00Z","level":"error","message":"config.yaml:1:1: error: no\n    x\n    ^"}"#
                + "\n")
    }
}

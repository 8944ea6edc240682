import AlertCore
import Archive
import BotConfig
import BotHarness
import BuiltinPlugins
import Commands
import Foundation
import MachineTesting
import PluginKit
import PluginTesting
import Preview
import SourceFakes
import SystemPorts
import Testing

extension FrontSuite {
    /// Every vendor of the fakes over a real socket, through the program's own transport, in good health and in trouble.
    @Suite(.serialized, .timeLimit(.minutes(5))) struct VendorTests {
        /// Those that are asked over HTTP.
        static let asked = SourceFake.polled.filter { $0.bodies.isEmpty }

        private let scratch: Scratch

        init() throws { scratch = try Scratch() }

        private func write(_ fake: SourceFake) throws {
            for file in try fake.files() { try scratch.write(file.name, file.text) }
            try scratch.write("config.yaml", fake.config())
        }

        private static func inMemory(_ fake: SourceFake) throws -> StagedWeb.Answer {
            let respond = try fake.responder()
            return { request throws(TransportError) in respond(request) }
        }

        // MARK: - Probes

        /// What a probe said, and why it ended where it did.
        private struct Probed {
            let said: String
            let complained: String
            let failure: Failure?
            /// How many requests there were, those for tokens apart.
            let asked: Int
            let tokens: Int

            var all: String { said + complained + (failure?.sentence ?? "") }

            /// The lines of observations that it printed.
            func lines() throws -> [JSON] { try said.split(separator: "\n").map { try JSON(parsing: String($0)) } }

            /// What it said beside them, but for the requests.
            var aside: [String] {
                complained.split(separator: "\n").map(String.init).filter { !$0.hasPrefix("# ") }
            }

            var warnings: [String] { aside.filter { $0.hasPrefix("warning: ") } }
        }

        /// Probes a vendor whose config has been written.
        private static func probe(
            _ fake: SourceFake, in scratch: Scratch, as format: TextOrJSON = .json, _ answer: @escaping StagedWeb.Answer
        ) async throws -> Probed {
            let stage = StagedMachine(at: fake.now, variables: ["T": SourceFake.secret], answer: answer)
            let config = try ConfigFile(scratch.path("config.yaml"), .builtin, on: stage.machine).config()
            let probe = try SourceProbe(
                of: SourceFake.source, config, "config.yaml", format, isRaw: true, on: stage.machine)
            var failure: Failure?
            do { try await probe.run() } catch { failure = error }
            let tokens = stage.web.asked.count { $0.hasSuffix("/token") }
            return Probed(
                said: stage.said, complained: stage.complained, failure: failure,
                asked: stage.web.asked.count - tokens, tokens: tokens)
        }

        // MARK: - Good health

        @Test(arguments: asked)
        func `in good health it is understood as without a socket, however its answers are packed`(_ fake: SourceFake)
            async throws
        {
            try write(fake)
            let right = try await Self.probe(fake, in: scratch, Self.inMemory(fake))
            #expect(right.failure == nil, "\(right.all)")
            #expect(try right.lines().contains { $0["metrics"] != nil })
            for wrapping in [.plain, .chunked, try await VendorSocket.Wrapping.gzip(of: fake)] {
                let socket = try VendorSocket(fake, wrapping)
                let probed = try await Self.probe(fake, in: scratch, socket.answer)
                await socket.stop()
                #expect(probed.said == right.said, "\(wrapping)")
                #expect(probed.aside == right.aside, "\(wrapping)")
                #expect(probed.failure == nil, "\(wrapping)")
                #expect(socket.requests.count == right.asked + right.tokens)
                #expect(socket.requests.allSatisfy { $0.header("accept-encoding")?.contains("gzip") == true })
            }
        }

        @Test(arguments: asked.filter { ["google_play", "crashlytics"].contains($0.plugin) })
        func `a token that runs out on the way is fetched anew, and nothing is missing`(_ fake: SourceFake) async throws
        {
            try write(fake)
            let right = try await Self.probe(fake, in: scratch, Self.inMemory(fake))
            // The first token is good for all requests but the last.
            let socket = try VendorSocket(fake, renewingTokensAfter: right.asked - 1)
            let probed = try await Self.probe(fake, in: scratch, socket.answer)
            await socket.stop()
            #expect(probed.failure == nil, "\(probed.all)")
            #expect((probed.tokens, probed.asked) == (2, right.asked + 1))
            #expect(probed.said == right.said)
            #expect(probed.warnings == right.warnings)
            #expect(!probed.all.contains("ya29"))
        }

        // MARK: - Trouble

        /// Those whose figures are whole before the last answer: it is for details, of which a warning says that they are
        /// missing. A poll of the others fails with it: half a list would look like an end of issues, and half of the
        /// metrics like a stop of them.
        private static let goingOn: Set<String> = [
            "sentry", "bugsink", "rollbar", "datadog", "bugsnag", "google_play", "google_play by the day",
            "crashlytics",
        ]

        private static let secrets =
            [SourceFake.secret, "ya29.c.EXAMPLE", "PRIVATE KEY", "eyJ"]
            + SampleServiceAccount.privateKey.split(separator: "\n").dropFirst().dropLast().map(String.init)

        @Test(arguments: asked)
        func `whatever its trouble, the probe names it, says what to do and tells no secret`(_ fake: SourceFake)
            async throws
        {
            try write(fake)
            let right = try await Self.probe(fake, in: scratch, Self.inMemory(fake))
            let elsewhere = try LoopbackServer { _ in .answer(200) }
            defer { elsewhere.stop() }
            let troubles = Trouble.all(
                at: try fake.moment(), elsewhere: elsewhere.url, bomb: try await Trouble.bomb.value)
            var onsets: [VendorSocket.Onset] = [.request(0)]
            if right.asked > 1 { onsets.append(.request(right.asked - 1)) }
            if right.tokens > 0 { onsets.append(.token) }
            try await withThrowingTaskGroup(of: Void.self) { [scratch, onsets] group in
                for (number, trouble) in troubles.enumerated() {
                    // Most of the time is spent on waiting.
                    if number >= 4 { try await group.next() }
                    group.addTask {
                        for onset in onsets { try await Self.check(fake, trouble, onset, against: right, in: scratch) }
                    }
                }
                try await group.waitForAll()
            }
            #expect(elsewhere.requests.isEmpty, "a redirect was followed to another host")
        }

        private static func check(
            _ fake: SourceFake, _ trouble: Trouble, _ onset: VendorSocket.Onset, against right: Probed,
            in scratch: Scratch
        ) async throws {
            let comment: Comment = "\(fake), \(trouble.name), \(onset)"
            let goesOn = onset != .token && onset != .request(0) && goingOn.contains(fake.name)
            for format in TextOrJSON.allCases {
                let socket = try VendorSocket(fake, trouble, onset)
                let probed = try await probe(fake, in: scratch, as: format, socket.answer)
                await socket.stop()
                #expect((probed.failure?.status == .impossible) != goesOn, comment)
                for secret in secrets { #expect(!probed.all.contains(secret), comment) }
                let hasControls = probed.all.unicodeScalars.contains {
                    $0.value < 0x20 && $0 != "\n" || $0.value == 0x7F
                }
                #expect(!hasControls, comment)
                guard format == .json else { continue }
                let said = try probed.lines()
                let failed = said.first { $0["failed"] != nil }
                let hasFigures = said.contains { $0["metrics"] != nil }
                #expect(hasFigures == goesOn, comment)
                #expect(failed?["failed"]?.string == trouble.reason.rawValue, comment)
                #expect(failed?["outcome"]?.string == (goesOn ? "partial" : nil), comment)
                let sentences = goesOn ? probed.warnings : [failed?["sentence"]?.string ?? ""]
                #expect(sentences.contains { trouble.isNamed(in: $0, of: onset) }, "\(comment): \(sentences)")
                #expect(try strays(of: said, among: right.lines()) == [], comment)
                guard let wait = trouble.wait else { continue }
                #expect(probed.complained.contains("It is not polled again before "), comment)
                guard let until = failed?["retry_at"]?.string.flatMap({ Moment(rfc3339: $0) }) else { continue }
                #expect(try until >= fake.moment() + wait, comment)
            }
        }

        /// Figures that are not those of good health: whatever is missing, the rest must not look better or worse for it.
        private static func strays(of said: [JSON], among right: [JSON]) -> [String] {
            func figures(_ said: [JSON]) -> [String] {
                said.flatMap { seen in
                    let subject = ["app", "release", "environment", "from", "to"].map { seen[$0]?.text ?? "-" }
                    let metrics = seen["metrics"]?.object?.members ?? []
                    return metrics.map { "\(subject.joined(separator: " ")): \($0.name) \($0.value.text)" }
                }
            }
            let known = Set(figures(right))
            return figures(said).filter { !known.contains($0) }
        }

        // MARK: - The past

        /// What a backtest was given to play, and what it complained of.
        private struct Played: Equatable {
            var batches: [String] = []
            var messages: [String] = []
            var complained = ""
        }

        /// Plays the past of the source in the config, two days of it or until an instant.
        private func play(
            at now: String, until end: Moment? = nil, keepingIn cache: String, _ answer: @escaping StagedWeb.Answer
        ) async throws -> (played: Played, asked: Int) {
            let stage = StagedMachine(at: now, variables: PastService.variables, answer: answer)
            let config = try ConfigFile(scratch.path("config.yaml"), .builtin, on: stage.machine).config()
            var (played, playback) = (Played(), Playback(config.plan))
            let wish = PlayedSpan.Wish(since: end == nil ? "2d" : "1d", cache: scratch.path(cache))
            let isWhole = try await PlayedSpan(config, wish, until: end, on: stage.machine).play { batch in
                played.batches.append("\(batch)")
                playback.feed(batch)
            }
            #expect(isWhole, "\(stage.complained)")
            let report = BacktestReport(playback.finish(now: stage.clock.now()), channels: config.channels)
            played.messages = report.messages.map { "\($0.at) \($0.kind) \($0.severity)" }
            played.complained = stage.complained
            return (played, stage.web.asked.count)
        }

        /// Plays it without a socket, over one, and once more from what was kept.
        private func playThrice(
            at now: String, until end: Moment? = nil,
            _ serve: @escaping @Sendable (_ asked: String, _ body: String) -> HTTPResponse
        ) async throws -> (played: Played, asked: Int, askedAgain: Int) {
            let right = try await play(at: now, until: end, keepingIn: "memory") { request throws(TransportError) in
                serve(request.url.reveal(), String(decoding: request.wireBody()?.bytes ?? [], as: UTF8.self))
            }
            let socket = try VendorSocket(serve)
            let played = try await play(at: now, until: end, keepingIn: "socket", socket.answer)
            #expect(played.played == right.played)
            #expect(played.asked == right.asked)
            #expect(socket.requests.count == right.asked)
            let again = try await play(at: now, until: end, keepingIn: "socket", socket.answer)
            await socket.stop()
            #expect(again.played.batches == right.played.batches)
            #expect(again.played.messages == right.played.messages)
            return (right.played, right.asked, again.asked)
        }

        @Test(arguments: SourceFake.all.filter(\.isPast))
        func `the past that is recalled is the same as without a socket, and is asked for once`(_ fake: SourceFake)
            async throws
        {
            try write(fake)
            let end = Recall.floor(try fake.moment(), to: .days(1))
            // So long after the day that nothing of it changes any more.
            let later = try fake.moment() + Past.settlingTime
            let (played, _, asked) = try await playThrice(at: later.description, until: end, fake.server())
            #expect(!played.batches.isEmpty, "\(played.complained)")
            #expect(asked == 0)
        }

        @Test(arguments: PastService.all)
        func `a backtest finds over a socket what was planted, and asks again for what may have changed alone`(
            _ service: PastService
        ) async throws {
            try scratch.write("config.yaml", service.config(state: scratch.path("state")))
            let (played, asked, askedAgain) = try await playThrice(at: service.course.now) { service.answer($0, $1) }
            #expect(played.messages.count == 2, "\(played.messages)")
            #expect(played.complained == "")
            // One answer of Bugsnag's holds all days.
            let fewer = service.plugin == "bugsnag" ? asked : asked - 1
            #expect((1...fewer).contains(askedAgain), "\(askedAgain) after \(asked)")
        }

        // MARK: - A first config

        /// What 'init' said and wrote of a source, and why it ended where it did.
        private func initialize(
            _ typed: TypedSource, in folder: Scratch, _ answer: @escaping StagedWeb.Answer
        ) async throws -> (said: String, config: String, failure: Failure?, stage: StagedMachine) {
            let stage = StagedMachine(
                at: typed.fake?.now ?? "", variables: ["T": SourceFake.secret, "HOME": folder.folder], answer: answer)
            for file in try typed.fake?.files() ?? [] { try folder.write(file.name, file.text) }
            folder.chmod("key.json", 0o600)
            let dialogue = ScriptedDialogue([typed.plugin] + typed.answers + ["console", "n"])
            let wish = InitWish(path: folder.path("config.yaml"))
            var failure: Failure?
            do { try await Init(wish, .builtin, asking: dialogue, on: stage.machine).run() } catch { failure = error }
            let said = (stage.said + stage.complained).replacing(folder.folder, with: "FOLDER")
            let config = (try? String(contentsOfFile: folder.path("config.yaml"), encoding: .utf8)) ?? ""
            return (said, config.replacing(folder.folder, with: "FOLDER"), failure, stage)
        }

        @Test(arguments: TypedSource.all.filter { $0.fake?.bodies.isEmpty == true })
        func `a first config is written and previewed as without a socket`(_ typed: TypedSource) async throws {
            let fake = try #require(typed.fake)
            let right = try await initialize(typed, in: Scratch(), Self.inMemory(fake))
            let socket = try VendorSocket(fake)
            let written = try await initialize(typed, in: Scratch(), socket.answer)
            await socket.stop()
            #expect(written.failure == nil, "\(written.said)")
            #expect(written.said == right.said)
            #expect(written.said.contains("What would be sent now:"), "\(written.said)")
            #expect(written.config == right.config)
            #expect(written.config.contains("plugin: \(typed.plugin)"))
            #expect(socket.requests.count == right.stage.web.asked.count)
        }

        @Test func `a vendor in trouble is named by 'init', and what stops there writes nothing`() async throws {
            for typed in TypedSource.all {
                guard let fake = typed.fake, fake.bodies.isEmpty else { continue }
                for trouble in Trouble.all(at: try fake.moment(), elsewhere: "http://127.0.0.1:1", bomb: [])
                where ["401", "502 with a title", "a page to sign in", "refused"].contains(trouble.name) {
                    let socket = try VendorSocket(fake, trouble, .request(0))
                    let written = try await initialize(typed, in: Scratch(), socket.answer)
                    await socket.stop()
                    #expect(written.failure != nil, "\(typed), \(trouble.name)")
                    #expect(written.config == "", "\(typed), \(trouble.name)")
                    for secret in Self.secrets { #expect(!written.said.contains(secret), "\(typed), \(trouble.name)") }
                    let isNamed = trouble.isNamed(in: written.said, of: .request(0))
                    #expect(isNamed, "\(typed), \(trouble.name): \(written.said)")
                }
            }
        }
    }
}

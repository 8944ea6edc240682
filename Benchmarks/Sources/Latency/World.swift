internal import Programs
internal import Synchronization

/// Sources that name a new app with every answer, and webhooks that note when they hear of it.
final class World: Sendable {
    private let server: LoopbackServer
    private let memory: Memory

    private final class Memory: Sendable {
        struct Kept {
            /// Polls of each path.
            var polls: [String: Int] = [:]
            /// When an app's source answered.
            var answered: [String: Double] = [:]
            var delays: [Double] = []
        }

        let kept = Mutex(Kept())
    }

    init(stormApps: Int) throws {
        let memory = Memory()
        self.memory = memory
        server = try LoopbackServer { request in
            guard request.isPost else { return World.answer(request.path, stormApps: stormApps, memory) }
            if let app = request.body.firstMatch(of: /probe-s\d+-\d+/) {
                memory.kept.withLock { kept in
                    guard let begun = kept.answered.removeValue(forKey: String(app.0)) else { return }
                    kept.delays.append(request.arrived - begun)
                }
            }
            return LoopbackServer.Reply()
        }
    }

    var port: UInt16 { server.port }

    /// Forgets what was measured so far.
    func begin() { memory.kept.withLock { $0.delays = [] } }

    /// Seconds from each source's answer to the arrival of its message.
    var delays: [Double] { memory.kept.withLock(\.delays) }

    private static func answer(_ path: String, stormApps: Int, _ memory: Memory) -> LoopbackServer.Reply {
        let number = memory.kept.withLock { kept in
            kept.polls[path, default: 0] += 1
            return kept.polls[path, default: 0]
        }
        func row(_ app: String) -> String { #"{"app":"\#(app)","users":9000,"crashed":500}"# }
        guard path != "/storm" else {
            let rows = (0..<stormApps).map { row("storm-\(number)-\($0)") }
            return LoopbackServer.Reply(#"{"rows":[\#(rows.joined(separator: ","))]}"#)
        }
        let app = "probe-\(path.dropFirst())-\(number)"
        return LoopbackServer.Reply(#"{"rows":[\#(row(app))]}"#) {
            memory.kept.withLock { $0.answered[app] = LoopbackServer.now() }
        }
    }
}

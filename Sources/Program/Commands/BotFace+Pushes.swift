internal import AlertCore
internal import PluginKit
internal import Runtime
public import StatusPage

extension BotFace: BotIntake {
    public func bodyBytesMax(_ push: PushedRequest) -> Int {
        bot.intake.bodyBytesMax(for: push.source, PushHeaders(push.headers))
    }

    public func refusal(_ push: PushedRequest) -> PushAnswer? {
        bot.intake.refusal(for: push.source, PushHeaders(push.headers)).map(PushAnswer.init)
    }

    public func take(_ push: PushedRequest, _ body: [UInt8]) async -> PushAnswer {
        do throws(Intake.Refusal) {
            let (sentence, details) = try await bot.push(for: push.source, PushHeaders(push.headers), body)
            return .taken(sentence, details)
        } catch {
            return PushAnswer(error)
        }
    }
}

extension PushAnswer {
    fileprivate init(_ refusal: Intake.Refusal) {
        self =
            switch refusal {
            case .nobody: .refused(.nobody, "The config has no such source that receives pushes.")
            case .unauthorized:
                .refused(
                    .unauthorized,
                    "This is not the token of a source that receives pushes: send 'Authorization: Bearer TOKEN'; for what Sentry signs, 'token' is its Client Secret."
                )
            case .ambiguous(let names):
                .refused(
                    .mistaken,
                    "Sources \(names.joined(separator: " and ")) have this token: name one with ?source=NAME.")
            case .misnamed(let name, let owners):
                .refused(
                    .mistaken,
                    "This token is that of \(owners.count == 1 ? "source" : "sources") \(owners.joined(separator: " and ")), "
                        + "and there is no source '\(name.quotable)' that it opens.")
            case .tooMany(let wait): .tooMany(wait: wait, "Too many pushes: push again in \(wait.short).")
            case .mistaken(let mistake, _):
                .refused(
                    .mistaken, "Nothing was accepted: \(mistake)\(mistake.sentence.hasSuffix("?") ? "" : ".")")
            case .unsafe(let why): .refused(.notNow, "It cannot be saved now, so push it again later: \(why).")
            case .stopping: .refused(.notNow, "The bot is stopping; push it again in a moment.")
            }
    }
}

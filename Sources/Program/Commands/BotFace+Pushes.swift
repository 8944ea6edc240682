internal import AlertCore
internal import PluginKit
internal import Runtime
public import StatusPage

extension BotFace: BotIntake {
    public func bodyBytesMax(_ push: PushedRequest) -> Int {
        bot.intake.bodyBytesMax(for: push.source, PushHeaders(push.headers))
    }

    public func take(_ push: PushedRequest, _ body: [UInt8]) async -> PushAnswer {
        do throws(Intake.Refusal) {
            let (sentence, details) = try await bot.push(for: push.source, PushHeaders(push.headers), body)
            return .taken(sentence, details)
        } catch {
            switch error {
            case .nobody: return .refused(.nobody, "The config has no such source that receives pushes.")
            case .unauthorized:
                return .refused(
                    .unauthorized,
                    "This is not the token of a source that receives pushes: send 'Authorization: Bearer TOKEN'.")
            case .ambiguous(let names):
                return .refused(
                    .mistaken,
                    "Sources \(names.joined(separator: " and ")) have this token: name one with ?source=NAME.")
            case .tooMany(let wait):
                return .tooMany(wait: wait, "Too many pushes: push again in \(wait.short).")
            case .mistaken(let mistake): return .refused(.mistaken, "Nothing was accepted: \(mistake).")
            case .unsafe(let why):
                return .refused(.notNow, "It cannot be saved now, so push it again later: \(why).")
            case .stopping: return .refused(.notNow, "The bot is stopping; push it again in a moment.")
            }
        }
    }
}

import AlertModel
import Testing

@testable import StatusPage

/// Takes down what it is told.
actor Carer: BotCare {
    private(set) var told: [String] = []

    func view(ofIncident id: String) -> CareView? {
        let message = Message(
            kind: .reminder, severity: .critical, at: Moment(milliseconds: 0), headline: "🔴 <shop>: still 98.3%",
            fields: [Message.Field("Since", "Fri 20 Nov 22:05 UTC")], reason: "98.3% is below 99%.")
        let muted = "It is muted until <tomorrow> by ana."
        return id == "3f9a" ? CareView(message: message, coverage: "rule floor, app <shop>", muted: muted) : nil
    }

    /// `0ver` has ended.
    func knows(incident id: String) -> Bool { id == "3f9a" || id == "0ver" }

    func mute(incident id: String, for length: Duration, by name: String?) -> CareAnswer {
        told.append("mute \(id) for \(length.short) by \(name ?? "-")")
        return CareAnswer("muted app <shop> until tomorrow", mute: "a1b2c3")
    }

    func unmute(_ mute: String) -> CareAnswer {
        told.append("unmute \(mute)")
        return CareAnswer("the mute has ended")
    }

    func acknowledge(incident id: String, by name: String?) -> CareAnswer {
        told.append("acknowledge \(id) by \(name ?? "-")")
        return CareAnswer("acknowledged <shop>")
    }

    func coverage(ofMute id: String) -> String? { id == "a1b2c3" ? "app <shop>" : nil }
    func headline(ofFailed delivery: String) -> String? { delivery == "d-2_x" ? "🔴 <shop>: 98.3%" : nil }

    nonisolated func now() -> Moment { .friday }

    func retry(_ delivery: String) -> CareAnswer {
        told.append("retry \(delivery)")
        return CareAnswer("delivery is queued again")
    }
}

/// What the desk answers to a request that comes from elsewhere; nothing else of it is different.
func fromElsewhere(
    _ method: String, _ body: String = "", headers: [String: String] = [:], token: Secret?,
    userHeader: String? = nil, seal: LinkSeal? = nil, publicHost: String? = "alerts.example.com",
    target: String = "/ack?incident=3f9a", ring: KeyRing? = nil
) async throws -> (status: Int, body: String, told: [String]) {
    let carer = Carer()
    let ring = ring ?? KeyRing(.init(userHeader: userHeader, token: token, seal: seal, publicHost: publicHost))
    let desk = CareDesk(care: carer, Gatekeeper(ring))
    let fields = [
        "origin": "https://alerts.example.com", "content-type": "application/x-www-form-urlencoded",
    ].merging(headers) { $1 }
    var request = try #require(
        Request(
            method: method, target: target,
            fields: fields.map { Request.Field(name: $0.key, value: $0.value) }))
    request.isLocal = false
    request.body = Array(body.replacing("TOKEN", with: desk.token).utf8)
    let errand = try #require(BotAddress.Errand(rawValue: request.path))
    let response = await desk.answer(errand, request, Page(botName: "shop-alerts"))
    return (response.status.rawValue, String(decoding: response.body, as: UTF8.self), await carer.told)
}

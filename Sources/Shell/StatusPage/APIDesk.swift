import AlertModel
import TimeZones

/// `/api/v1`: what the commands do with a running bot, for programs, in the shapes of `--format json`. Its document is at
/// `/api/v1/openapi.json`.
struct APIDesk: Sendable {
    let view: any BotView
    let control: any BotControl
    let gatekeeper: Gatekeeper
    let limits: Limits

    static let prefix = "/api/v1/"

    /// What can be asked for or done.
    enum Call: Hashable {
        case document, status, incidents, history, mutes, why
        case mute
        case unmute(String)
        case acknowledge(String)
        case retry(String)
        case reload

        var method: String {
            switch self {
            case .document, .status, .incidents, .history, .mutes, .why: "GET"
            case .mute, .acknowledge, .retry, .reload: "POST"
            case .unmute: "DELETE"
            }
        }

        /// The names that its query may have.
        var parameters: [String] {
            switch self {
            case .history: ["limit", "failed"]
            case .why: ["app", "rule"]
            default: []
            }
        }

        /// Whether it says much of what the bot knows.
        var isReading: Bool { method == "GET" && self != .document }
    }

    static func isMeant(by request: Request) -> Bool { request.path.hasPrefix(prefix) }

    /// What a path can stand for, whatever the method.
    static func calls(_ path: String) -> [Call] {
        let parts = path.dropFirst(prefix.count).split(separator: "/", omittingEmptySubsequences: false).map(
            String.init)
        switch (parts.first ?? "", parts.count) {
        case ("openapi.json", 1): return [.document]
        case ("status", 1): return [.status]
        case ("incidents", 1): return [.incidents]
        case ("history", 1): return [.history]
        case ("why", 1): return [.why]
        case ("mutes", 1): return [.mutes, .mute]
        case ("reload", 1): return [.reload]
        case ("mutes", 2): return [.unmute(parts[1])]
        case ("incidents", 3) where parts[2] == "acknowledge": return [.acknowledge(parts[1])]
        case ("deliveries", 3) where parts[2] == "retry": return [.retry(parts[1])]
        default: return []
        }
    }

    func answer(_ request: Request) async -> Response {
        let calls = APIDesk.calls(request.path)
        guard !calls.isEmpty else {
            return .refused(
                .notFound, "There is nothing here; \(APIDesk.prefix)openapi.json says what there is.")
        }
        let method = request.method == "HEAD" ? "GET" : request.method
        guard let call = calls.first(where: { $0.method == method }) else {
            let allowed = calls.map(\.method).joined(separator: ", ")
            return .refused(.methodNotAllowed, "This takes \(allowed).").with("Allow", allowed)
        }
        do throws(Mistake) {
            try APIDesk.only(call.parameters, among: request.parameters)
            try APIDesk.once(request.parameters)
            return method == "GET" ? try await read(call, request) : try await change(call, request)
        } catch {
            return .refused(error.isOfNow ? .conflict : .badRequest, error.sentence)
        }
    }

    // MARK: Reading

    private func read(_ call: Call, _ request: Request) async throws(Mistake) -> Response {
        switch call {
        case .status: .json(await view.status())
        case .incidents: .json(await view.incidents())
        case .mutes: .json(await view.mutes())
        case .why:
            .json(await view.why(app: try words("app", request), rule: try words("rule", request)))
        case .history:
            .json(
                await view.history(
                    limit: try limits.historyCount(request), failedOnly: try flag("failed", request)))
        default: Response(.ok, "application/json", APIDesk.document + "\n")
        }
    }

    private func flag(_ name: String, _ request: Request) throws(Mistake) -> Bool {
        switch request.parameter(name) {
        case nil, "false": return false
        case "true": return true
        case let other?:
            throw Mistake(sentence: "\(name): found '\(other.tamed.clipped(to: 40))', expected true or false.")
        }
    }

    private func words(_ name: String, _ request: Request) throws(Mistake) -> String? {
        guard let written = request.parameter(name)?.formDecoded else { return nil }
        guard !written.isEmpty, written.unicodeScalars.count <= Limits.nameMax else {
            throw Mistake(sentence: "\(name): expected a name or a pattern of 1 to \(Limits.nameMax) characters.")
        }
        return written
    }

    // MARK: Changing

    private func change(_ call: Call, _ request: Request) async throws(Mistake) -> Response {
        if let refusal = refusal(of: request) { return refusal }
        // A page of another site can have a browser send anything but this without asking us first.
        guard call.method != "POST" || request.mediaType == "application/json" else {
            return .refused(.unsupportedMediaType, "Send JSON, with 'Content-Type: application/json'.")
        }
        if let excess = request.excess { return .refused(.contentTooLarge, excess) }
        if case .acknowledge(let id) = call, let refusal = await refusal(ofIncident: id) { return refusal }
        let command = try await command(call, request)
        do {
            let answer = try await control.obey(command)
            if answer["done"] == .bool(true) { return .json(answer) }
            let status: Response.Status = answer["unavailable"] == .bool(true) ? .serviceUnavailable : .conflict
            return Response(status, "application/json", answer.prettyText + "\n")
        } catch {
            throw Mistake(sentence: "\(error)")
        }
    }

    private func refusal(of request: Request) -> Response? {
        if gatekeeper.isForeign(request) {
            return .refused(.forbidden, "A page of another site may not change anything here.")
        }
        guard gatekeeper.needsPassword(request), !gatekeeper.isRight(request) else { return nil }
        guard gatekeeper.password != nil else { return .refused(.forbidden, Gatekeeper.closed) }
        return .refused(.unauthorized, "Send the bot's token: 'Authorization: Bearer TOKEN'.")
            .with("WWW-Authenticate", "Bearer")
    }

    /// People may shorten an id; a program that sends a part of one has lost the rest.
    private func refusal(ofIncident id: String) async -> Response? {
        guard CareDesk.id(id) != nil, await !view.knows(incident: id) else { return nil }
        let known = await view.incidents().array?.compactMap { $0["id"]?.string } ?? []
        return .refused(
            .conflict, "there is no incident '\(id)'; expected the whole id of one\(id.guess(in: known))")
    }

    /// The same command as the control socket takes.
    private func command(_ call: Call, _ request: Request) async throws(Mistake) -> JSON {
        let body = try body(of: request)
        switch call {
        case .mute: break
        case .acknowledge: try only(["by"], in: body)
        default: try only([], in: body)
        }
        switch call {
        case .mute: return try await mute(body, request)
        case .unmute(let id): return ["command": "unmute", "id": .string(try APIDesk.id(id))]
        case .acknowledge(let id):
            return [
                "command": "ack", "incidents": [.string(try APIDesk.id(id))], "by": JSON(try name(body, request)),
            ]
        case .retry(let id): return ["command": "retry", "id": .string(try APIDesk.id(id))]
        default: return ["command": "reload"]
        }
    }

    private func mute(_ body: JSON, _ request: Request) async throws(Mistake) -> JSON {
        try only(["match", "all", "for_seconds", "until", "reason", "by"], in: body)
        guard case .object(let match) = body["match"] ?? .object(JSONObject()) else {
            throw Mistake(sentence: "match: expected an object such as {\"app\": [\"shop-*\"]}.")
        }
        switch body["all"] {
        case nil, .bool: break
        default: throw Mistake(sentence: "all: expected true or false.")
        }
        guard match.members.isEmpty == (body["all"] == .bool(true)) else {
            throw Mistake(
                sentence: match.members.isEmpty
                    ? "match: expected what to mute, such as {\"app\": [\"shop-*\"]}, or \"all\": true in its place."
                    : "all: expected false, or no match beside it.")
        }
        let conditions = try conditions(match)
        var command = JSONObject([("command", "mute"), ("match", .object(conditions))])
        switch (body["for_seconds"], body["until"]) {
        case (let seconds?, nil):
            // 60.0 is a whole number to JSON Schema.
            guard let count = seconds.number.flatMap({ Int64(exactly: $0) }), Limits.muteSeconds.contains(count) else {
                let bounds = "\(Limits.muteSeconds.lowerBound) to \(Limits.muteSeconds.upperBound)"
                throw Mistake(sentence: "for_seconds: expected a whole number from \(bounds).")
            }
            command["for_ms"] = .int(count * 1000)
        case (nil, let until?): command["until"] = .string(try end(until, await view.wall()).description)
        default: throw Mistake(sentence: "Expected 'for_seconds' or 'until', and one of them only.")
        }
        if let reason = body["reason"], reason != .null {
            guard let reason = reason.string, reason.unicodeScalars.count <= Limits.reasonMax else {
                throw Mistake(sentence: "reason: expected a text of at most \(Limits.reasonMax) characters.")
            }
            if !reason.trimmed.isEmpty { command["reason"] = .string(reason.tamed) }
        }
        command["by"] = JSON(try name(body, request))
        return .object(command)
    }

    /// When a mute ends: with an offset or, as in the config, on the bot's clock.
    private func end(_ written: JSON, _ wall: WallClock) throws(Mistake) -> Moment {
        let text = written.string ?? written.text
        let instant: WrittenInstant
        do {
            instant = try WrittenInstant(grammar: text)
        } catch {
            throw Mistake(sentence: "until: found '\(text.tamed.clipped(to: 40))', expected \(error.expected).")
        }
        let end = instant.moment(endingIn: wall.zone)
        guard end - wall.now <= .seconds(Limits.muteSeconds.upperBound) else {
            throw Mistake(sentence: "until: \(wall.words(end)) is more than a year away.", isOfNow: true)
        }
        return end
    }

    /// Who does it: whom a proxy names, or else who says so.
    private func name(_ body: JSON, _ request: Request) throws(Mistake) -> String? {
        if let user = gatekeeper.user(of: request) { return user }
        guard let by = body["by"], by != .null else { return nil }
        guard let written = by.string, written.unicodeScalars.count <= Gatekeeper.nameMax else {
            throw Mistake(sentence: "by: expected a name of at most \(Gatekeeper.nameMax) characters.")
        }
        return Gatekeeper.name(written)
    }

    /// The match as the bot has it. Labels stand by themselves: any name may be that of one, so that a slip in the name of a
    /// property would pass for a label, and mute nothing.
    private func conditions(_ match: JSONObject) throws(Mistake) -> JSONObject {
        for name in match.members.map(\.name) where name != "labels" && !Match.properties.contains(name) {
            let guess = name.guess(in: Match.properties)
            throw Mistake(
                sentence: "match: '\(name.tamed.clipped(to: 40))' is not known; known: "
                    + Match.properties.joined(separator: ", ")
                    + ", and labels, such as {\"labels\": {\"team\": [\"checkout\"]}}\(guess.isEmpty ? "." : guess)")
        }
        var conditions = match
        conditions["labels"] = nil
        if let labels = match["labels"] {
            guard case .object(let labels) = labels, !labels.members.isEmpty else {
                throw Mistake(sentence: "match: 'labels': expected an object such as {\"team\": [\"checkout\"]}.")
            }
            for label in labels.members {
                guard !Match.properties.contains(label.name) else {
                    throw Mistake(sentence: "match: '\(label.name)' is not a label; it stands beside 'labels'.")
                }
                conditions.append(label.name, label.value)
            }
        }
        try check(conditions)
        return conditions
    }

    /// The patterns of every property; a slip would mute something else than was meant.
    private func check(_ match: JSONObject) throws(Mistake) {
        for member in match.members {
            let patterns = member.value.array ?? [member.value]
            let words = patterns.compactMap(\.string)
            guard !words.isEmpty, words.count == patterns.count, words.allSatisfy({ !$0.isEmpty }) else {
                let name = member.name.tamed.clipped(to: 40)
                throw Mistake(sentence: "match: '\(name)': expected a pattern, or a list of patterns.")
            }
            guard member.name != "severity" || words.allSatisfy({ Severity(rawValue: $0) != nil }) else {
                throw Mistake(sentence: "match: 'severity': expected info, warning or critical.")
            }
        }
    }

    private func body(of request: Request) throws(Mistake) -> JSON {
        guard !request.body.isEmpty else { return .object(JSONObject()) }
        let json: JSON
        do throws(JSONSyntaxError) { json = try JSON(parsing: request.body) } catch {
            throw Mistake(sentence: "The body is not JSON: \(error.description).")
        }
        guard case .object = json else { throw Mistake(sentence: "The body is not a JSON object.") }
        if let name = json.repeatedName {
            throw Mistake(
                sentence: "'\(name.tamed.clipped(to: 40))' stands twice in one object; nobody knows which is meant.")
        }
        return json
    }

    private func only(_ known: [String], in body: JSON) throws(Mistake) {
        guard case .object(let object) = body else { return }
        try APIDesk.only(known, among: object.members.map(\.name))
    }

    /// A name that is not known is more likely a slip than of no importance.
    private static func only(_ known: [String], among names: [String]) throws(Mistake) {
        for name in names where !known.contains(name) {
            let list = known.isEmpty ? "nothing is expected here" : "known: \(known.joined(separator: ", "))"
            let guess = name.guess(in: known)
            throw Mistake(
                sentence: "'\(name.tamed.clipped(to: 40))' is not known; \(list)\(guess.isEmpty ? "." : guess)")
        }
    }

    /// Of two values the first would count, and whoever wrote the second would not know.
    private static func once(_ names: [String]) throws(Mistake) {
        var seen: Set<String> = []
        for name in names where !seen.insert(name).inserted {
            throw Mistake(sentence: "'\(name)' stands twice in the query; nobody knows which is meant.")
        }
    }

    private static func id(_ written: String) throws(Mistake) -> String {
        guard let id = CareDesk.id(written) else {
            throw Mistake(
                sentence:
                    "'\(written.tamed.clipped(to: 40))' is not an id; ids are made of lowercase letters, digits, '-' and '_'."
            )
        }
        return id
    }
}

public import PluginKit

/// What somebody tells the bot to do, through its control socket or, while it does not run, on its journal.
public enum Command: Hashable, Sendable {
    case mute(Match, until: Until, reason: String?, by: String?)
    /// Ends mutes before their time.
    case unmute(Muted)
    /// Stops the reminders of incidents; by their ids, or as much of them as is unique.
    case acknowledge([String], by: String?)
    /// Tries a dead letter once more.
    case retry(String)

    /// When a mute ends.
    public enum Until: Hashable, Sendable {
        case after(Duration)
        case at(Moment)
    }

    /// Which mutes to end.
    public enum Muted: Hashable, Sendable {
        case id(String)
        case all
    }
}

/// What came of a command.
public enum CommandAnswer: Hashable, Sendable {
    /// It is done; a sentence for people, and what there is to know.
    case done(String, JSON)
    /// It was not done, or not as it should be, and why.
    case refused(String, Hindrance = .command)

    public enum Hindrance: String, Hashable, Sendable {
        /// What was asked for cannot be done.
        case command
        /// The bot is stopping; the next one may do it.
        case unavailable
        /// It is done, but cannot be saved: to ask again would do it twice.
        case unsaved
    }
}

extension Command {
    /// An object whose `command` says what it is.
    public var json: JSON {
        var object = JSONObject()
        func set(_ name: String, _ value: String?) { object[name] = value.map(JSON.string) }
        switch self {
        case .mute(let match, let until, let reason, let by):
            set("command", "mute")
            object["match"] = match.json
            switch until {
            case .after(let length): object["for_ms"] = .int(length.wholeMilliseconds)
            case .at(let moment): object["until"] = JSON(moment)
            }
            set("reason", reason)
            set("by", by)
        case .unmute(.id(let id)):
            set("command", "unmute")
            set("id", id)
        case .unmute(.all):
            set("command", "unmute")
            object["all"] = .bool(true)
        case .acknowledge(let ids, let by):
            set("command", "ack")
            object["incidents"] = .array(ids.map(JSON.string))
            set("by", by)
        case .retry(let id):
            set("command", "retry")
            set("id", id)
        }
        return .object(object)
    }

    public init(_ json: JSON) throws(JSONMismatch) {
        let reader = JSONReader(json)
        let name = try reader.member("command")
        switch try name.string() {
        case "mute":
            let until: Until
            if let length = try reader.optional("for_ms") {
                until = .after(.milliseconds(Int64(try length.int())))
            } else {
                until = .at(try reader.member("until").moment())
            }
            self = .mute(
                try Match(reader.member("match")), until: until, reason: try reader.optional("reason")?.string(),
                by: try reader.optional("by")?.string())
        case "unmute":
            if let id = try reader.optional("id") {
                self = .unmute(.id(try id.string()))
            } else if try reader.member("all").bool() {
                self = .unmute(.all)
            } else {
                throw try reader.member("all").mismatch(expected: "true, or an \"id\" in its place")
            }
        case "ack":
            var ids: [String] = []
            for element in try reader.member("incidents").elements() { ids.append(try element.string()) }
            self = .acknowledge(ids, by: try reader.optional("by")?.string())
        case "retry": self = .retry(try reader.member("id").string())
        default:
            // The control socket takes two more, which are no commands to the state.
            throw name.mismatch(expected: "\"mute\", \"unmute\", \"ack\", \"retry\", \"reload\" or \"why\"")
        }
    }
}

extension CommandAnswer {
    public var json: JSON {
        switch self {
        case .done(let sentence, let details): ["done": .bool(true), "sentence": .string(sentence), "details": details]
        case .refused(let sentence, .command): ["done": .bool(false), "sentence": .string(sentence)]
        case .refused(let sentence, let hindrance):
            .object(
                JSONObject([
                    ("done", .bool(false)), ("sentence", .string(sentence)), (hindrance.rawValue, .bool(true)),
                ]))
        }
    }

    public init(_ json: JSON) throws(JSONMismatch) {
        let reader = JSONReader(json)
        let sentence = try reader.member("sentence").string()
        if try reader.member("done").bool() {
            self = .done(sentence, try reader.optional("details")?.value ?? .null)
        } else {
            let known: [Hindrance] = [.unavailable, .unsaved]
            self = .refused(sentence, known.first { json[$0.rawValue] == .bool(true) } ?? .command)
        }
    }
}

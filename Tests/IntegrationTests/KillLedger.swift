import BotHarness
import Foundation

/// What the observations demanded, beside what the receivers took.
struct KillLedger {
    /// One thing to be said of one app.
    struct Word: Hashable {
        let app: String
        /// `opened`, `resolved`, or `digest` for both at once.
        let kind: String
    }

    /// What became of one channel's words.
    private struct Account {
        var due = 0
        var received = 0
        var lost = 0
        /// Given up after two attempts of which nobody knows what became of them, and shown as failed deliveries.
        var dead = 0
        var repeated = 0
        /// Repetitions that the receiver can tell: by the same id, or by the notice in the text.
        var told = 0
        var answersLost = 0
        var faults = 0
    }

    private let heading: String
    private var accounts: [(name: String, account: Account)] = []
    /// Every broken promise, as a sentence.
    private(set) var complaints: [String] = []

    init(
        heading: String, kills: Int, apps: [String], hook: FickleReceiver, team: FickleReceiver, history: [JSONTree]
    ) {
        self.heading = heading
        let hookTaken = hook.taken.flatMap { request in KillLedger.words(inHook: request).map { ($0, request) } }
        let teamTaken = team.taken.flatMap { request in KillLedger.words(inTeam: request).map { ($0, request) } }
        for (name, receiver, taken) in [("hook", hook, hookTaken), ("team", team, teamTaken)] {
            let ended = history.filter { $0["channel"].string == name }
            enter(name, receiver, taken, ended, apps: apps, kills: kills)
        }
        complain(ifAny: hook.requests.filter { !StandardWebhook.test.isSigned($0) }.map { "unsigned: \($0.text)" })
        let bodies = Dictionary(grouping: hook.requests) { $0.header("webhook-id") ?? "none" }.mapValues {
            Set($0.map(\.text))
        }
        complain(ifAny: bodies.filter { $0.value.count > 1 }.map { "two things were said under the id \($0.key)" })
    }

    private mutating func complain(ifAny sentences: [String]) { complaints += sentences }

    private mutating func enter(
        _ name: String, _ receiver: FickleReceiver, _ taken: [(word: Word, request: LoopbackServer.Request)],
        _ ended: [JSONTree], apps: [String], kills: Int
    ) {
        var account = Account()
        account.answersLost = receiver.faults.filter(\.key.losesAnswer).values.reduce(0, +)
        account.faults = receiver.faults.values.reduce(0, +)
        let dead = Set(ended.filter { $0["outcome"].string == "dead" }.flatMap(KillLedger.word(inEntry:)))
        let delivered = Set(ended.filter { $0["outcome"].string == "delivered" }.flatMap(KillLedger.word(inEntry:)))
        let takenAt = Dictionary(grouping: taken.enumerated(), by: \.element.word).mapValues { $0.map(\.offset) }
        for app in apps {
            let (opened, resolved) = (Word(app: app, kind: "opened"), Word(app: app, kind: "resolved"))
            let story = Word(app: app, kind: "digest")
            let isOneStory = takenAt[story] != nil || dead.contains(story)
            for word in isOneStory ? [story] : [opened, resolved] {
                account.due += 1
                let times = takenAt[word] ?? []
                if !times.isEmpty {
                    account.received += 1
                } else if dead.contains(word) {
                    account.dead += 1
                } else {
                    account.lost += 1
                    complaints.append("\(name) never heard that \(app) was \(word.kind)")
                }
                let first = times.first.map { taken[$0].request }
                for again in times.dropFirst().map({ taken[$0].request }) {
                    account.repeated += 1
                    let isTold =
                        name == "hook"
                        ? again.header("webhook-id") == first?.header("webhook-id")
                        : again.text.contains("possibly repeated")
                    if isTold {
                        account.told += 1
                    } else {
                        complaints.append("\(name) heard twice that \(app) was \(word.kind), and could not tell")
                    }
                }
                if name == "team", times.count > 2 { complaints.append("\(name) heard \(word) \(times.count) times") }
            }
            if let first = takenAt[opened]?.first, let last = takenAt[resolved]?.first, last < first {
                complaints.append("\(name) heard of the end of \(app) before its beginning")
            }
            if isOneStory, takenAt[opened] != nil || takenAt[resolved] != nil {
                complaints.append("\(name) heard the story of \(app) in whole and in parts")
            }
        }
        if account.repeated > kills + account.answersLost, name == "team" {
            complaints.append(
                "\(name): \(account.repeated) repetitions are more than there were kills and lost answers")
        }
        if name == "hook", account.dead > 0 { complaints.append("\(name) can ask again, and has failed deliveries") }
        complaints += KillLedger.unexcused(ended, name)
        for word in delivered.subtracting(takenAt.keys) {
            complaints.append("\(name) never took \(word), as was claimed")
        }
        accounts.append((name, account))
    }

    // MARK: reading

    /// What a message to the webhook says of apps.
    @Sendable static func words(inHook request: LoopbackServer.Request) -> [Word] {
        let data = request.json["data"]
        let apps = data["incidents"].elements.compactMap { $0["app"].string }
        return apps.filter { $0.hasPrefix("app-") }.map { Word(app: $0, kind: data["kind"].string ?? "?") }
    }

    /// What a message to the chat says of apps.
    @Sendable static func words(inTeam request: LoopbackServer.Request) -> [Word] {
        let headline = request.json["text"].string ?? ""
        let marks = [("🔴", "opened"), ("✅", "resolved"), ("🗒", "digest"), ("⚪", "closed")]
        let kind = marks.first { headline.contains($0.0) }?.1
        return app(in: request.text).map { [Word(app: $0, kind: kind ?? headline)] } ?? []
    }

    /// What an entry of the history says of apps.
    static func word(inEntry entry: JSONTree) -> [Word] {
        guard let app = app(in: entry["text"].string ?? "") else { return [] }
        return [Word(app: app, kind: entry["kind"].string ?? "?")]
    }

    /// What was given up although nobody doubts what became of it.
    static func unexcused(_ ended: [JSONTree], _ name: String) -> [String] {
        let excuses = [
            "it is unknown, for the second time, whether it arrived",
            "the bot was stopped twice while it was being sent",
        ]
        let reasons = ended.filter { $0["outcome"].string == "dead" }.map { $0["why"].string ?? "" }
        return reasons.filter { why in !excuses.contains(where: why.hasPrefix) }
            .map { "\(name): a failed delivery without excuse: \($0)" }
    }

    static func app(in text: String) -> String? { text.firstMatch(of: /app-\d{3}/).map { String($0.0) } }

    // MARK: telling

    /// A row a channel.
    var table: String {
        let columns = [
            "channel", "due", "received", "lost", "given up", "repeated", "of these told", "answers lost", "faults",
        ]
        let rows = accounts.map { name, account in
            [name]
                + [
                    account.due, account.received, account.lost, account.dead, account.repeated, account.told,
                    account.answersLost, account.faults,
                ].map(String.init)
        }
        return KillLedger.table(heading, columns, rows)
    }

    /// Every row's cells below those of the row above.
    static func table(_ heading: String, _ columns: [String], _ rows: [[String]]) -> String {
        let widths = columns.indices.map { column in ([columns] + rows).map { $0[column].count }.max() ?? 0 }
        let lines = ([columns] + rows).map { row in
            zip(row, widths).map { cell, width in String(repeating: " ", count: width - cell.count) + cell }
                .joined(separator: "  ")
        }
        return ([heading] + lines).joined(separator: "\n")
    }
}

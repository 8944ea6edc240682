import BotHarness
import Foundation

/// What each service was owed of each app, beside what it took.
struct ChatKillLedger {
    private struct Account {
        var due = 0
        var received = 0
        /// Newer truth took its place before it had arrived.
        var replaced = 0
        /// Given up after two attempts of which nobody knows what became of them.
        var dead = 0
        var lost = 0
        var repeated = 0
        var edits = 0
        var faults = 0
        var answersLost = 0
    }

    private let heading: String
    private let kills: Int
    private let acknowledged: Set<String>
    private var accounts: [(name: String, account: Account)] = []
    /// Every broken promise, as a sentence.
    private(set) var complaints: [String] = []

    init(
        heading: String, kills: Int, apps: [String], acknowledged: Set<String>, services: [ChatService],
        history: [JSONTree]
    ) {
        self.heading = heading
        self.kills = kills
        self.acknowledged = acknowledged
        for service in services {
            enter(service, apps, history.filter { $0["channel"].string == service.kind.rawValue })
        }
    }

    private typealias Word = KillLedger.Word

    /// The order in which things may be said of one app.
    private static let order = ["opened", "escalated", "acknowledged", "resolved"]

    private mutating func enter(_ service: ChatService, _ apps: [String], _ ended: [JSONTree]) {
        let name = service.kind.rawValue
        var account = Account()
        account.faults = service.receiver.faults.values.reduce(0, +)
        account.answersLost = service.receiver.faults.filter(\.key.losesAnswer).values.reduce(0, +)
        account.edits = service.edits.count
        complaints += service.complaints
        let outcomes = Dictionary(grouping: ended) { $0["outcome"].string ?? "?" }.mapValues { entries in
            Set(entries.flatMap(KillLedger.word(inEntry:)))
        }
        let (dead, delivered) = (outcomes["dead"] ?? [], outcomes["delivered"] ?? [])
        let replaced = outcomes["replaced"] ?? []
        // An alert that hears of its end alone hears no name; the history knows which incident it is of.
        let names = ended.reduce(into: [String: String]()) { names, entry in
            if let id = entry["incident"].string { names[id] = KillLedger.app(in: entry["text"].string ?? "") }
        }
        let taken = service.taken.map { $0.about(names[$0.word.app] ?? $0.word.app) }
        for app in apps {
            let heard = taken.filter { $0.word.app == app }
            let kinds = Set(heard.map(\.word.kind))
            func has(_ kind: String) -> Bool { kinds.contains(kind) }
            func isDead(_ kind: String) -> Bool { dead.contains(Word(app: app, kind: kind)) }
            let isOneStory = has("digest") || isDead("digest")
            var owed = isOneStory ? ["digest"] : ["opened", "resolved"]
            // Nobody is called for what is over: an alert that never was is resolved at most.
            if service.kind == .pagerduty, !has("opened"), !has("escalated") {
                owed = delivered.contains { $0.app == app } ? ["resolved"] : []
            }
            if acknowledged.contains(app), delivered.contains(Word(app: app, kind: "acknowledged")) {
                owed.append("acknowledged")
            }
            for kind in owed {
                account.due += 1
                if has(kind) {
                    account.received += 1
                } else if isDead(kind) {
                    account.dead += 1
                } else {
                    account.lost += 1
                    complaints.append("\(name) never heard that \(app) was \(kind)")
                }
            }
            // That it got worse may be said by the opening, and need not be said once it is over.
            account.due += 1
            if heard.contains(where: \.isCritical) {
                account.received += 1
            } else if replaced.contains(Word(app: app, kind: "escalated")) || isOneStory || !has("opened") {
                account.replaced += 1
            } else if isDead("escalated") || isDead("opened") {
                account.dead += 1
            } else {
                account.lost += 1
                complaints.append("\(name) never heard that \(app) was worse")
            }
            checkRepetitions(of: heard, service, &account)
            checkOrder(of: heard, service)
        }
        checkThreads(service, delivered)
        if account.repeated > kills + account.answersLost {
            complaints.append("\(name): \(account.repeated) repetitions are more than kills and lost answers")
        }
        if service.kind.recognises, account.dead > 0 {
            complaints.append("\(name) can be asked again, and has failed deliveries")
        }
        complaints += KillLedger.unexcused(ended, name)
        let words = Set(taken.map(\.word))
        for word in delivered.subtracting(words) where service.kind != .pagerduty || word.kind != "digest" {
            complaints.append("\(name) never took \(word), as was claimed")
        }
        accounts.append((name, account))
    }

    /// Nothing comes twice where it is recognised; elsewhere once more, and says so.
    private mutating func checkRepetitions(
        of heard: [ChatService.Taken], _ service: ChatService, _ account: inout Account
    ) {
        for (word, all) in Dictionary(grouping: heard, by: \.word) {
            guard let first = all.first else { continue }
            account.repeated += all.count - 1
            for again in all.dropFirst() {
                let isKnown =
                    switch service.kind {
                    // Asked again, it joins the alert: the event is the same to the byte.
                    case .pagerduty: again.request.text == first.request.text
                    case .matrix: false
                    case .slack: again.request.text.contains("possibly repeated")
                    }
                if !isKnown { complaints.append("\(service.kind) heard \(word) twice and could not tell") }
            }
            if service.kind == .slack, all.count > 2 {
                complaints.append("slack heard \(word) \(all.count) times")
            }
        }
    }

    private mutating func checkOrder(of heard: [ChatService.Taken], _ service: ChatService) {
        let kinds = heard.map(\.word.kind)
        let steps = kinds.compactMap(ChatKillLedger.order.firstIndex(of:))
        // Who is on it is said at any time before the end.
        let course = steps.filter { $0 != 2 }
        if course != course.sorted() { complaints.append("\(service.kind) heard out of order: \(kinds)") }
        if let end = kinds.firstIndex(of: "resolved"), kinds[end...].contains(where: { $0 != "resolved" }) {
            complaints.append("\(service.kind) heard more after the end: \(kinds)")
        }
        if service.kind == .pagerduty, let first = heard.first {
            let keys = Set(heard.map(\.name))
            if keys.count > 1 { complaints.append("pagerduty has \(keys.count) alerts for \(first.word.app)") }
            if first.word.kind == "acknowledged" { complaints.append("pagerduty: an alert begins with \(kinds)") }
        }
    }

    /// What follows belongs to the opening of the same app, and so does every edit.
    private mutating func checkThreads(_ service: ChatService, _ delivered: Set<KillLedger.Word>) {
        guard service.kind.hasThreads else { return }
        let roots = Dictionary(grouping: service.taken.filter { $0.root == nil }, by: \.name)
        for message in service.taken {
            if let root = message.root {
                if roots[root]?.first?.word.app != message.word.app {
                    complaints.append("\(service.kind): \(message.word) is in the thread of another message")
                }
            } else if message.word.kind != "opened", message.word.kind != "digest",
                delivered.contains(Word(app: message.word.app, kind: "opened"))
            {
                complaints.append("\(service.kind): \(message.word) is in no thread, and the opening has one")
            }
        }
        for edit in service.edits where roots[edit.of]?.first?.word.app != edit.app {
            complaints.append("\(service.kind): the opening of another app was edited to tell of \(edit.app)")
        }
    }

    // MARK: telling

    /// A row a channel.
    var table: String {
        let columns = [
            "channel", "due", "received", "replaced", "given up", "lost", "repeated", "edits", "answers lost", "faults",
        ]
        let rows = accounts.map { name, account in
            [name]
                + [
                    account.due, account.received, account.replaced, account.dead, account.lost, account.repeated,
                    account.edits, account.answersLost, account.faults,
                ].map(String.init)
        }
        return KillLedger.table(heading, columns, rows)
    }
}

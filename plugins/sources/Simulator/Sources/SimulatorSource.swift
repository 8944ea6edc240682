// SimulatorSource is a seeded world with a few apps in it, so that a newcomer sees the bot work without an account
// anywhere: days and nights, weekends, noise, and every now and then a release that crashes until its fix lands. It is
// a function of the seed, the app and the time; it calls nothing and remembers nothing but when it was first asked.

public import PluginKit

/// Invented apps with invented trouble, for trying the bot out.
public struct SimulatorSource: Source {
    public static let manifest = PluginManifest(
        name: "simulator",
        summary: "Invents a few apps and their trouble, to try the bot without an account.",
        example: """
            speed: 120
            """,
        options: [seed, apps, users, speed], isConnected: false)

    static let seed = Setting(
        "seed", .integer(0...Int(Int32.max)), default: 1, "A different seed invents a different world.")
    static let apps = Setting("apps", .list(.plain), default: ["shop-ios", "shop-android"], "The apps of the world.")
    static let users = Setting(
        "users", .integer(1...10_000_000), default: 20_000, "About how many users each app has a day.")
    static let speed = Setting(
        "speed", .integer(1...3600), default: 1, "Simulated seconds in each real second; 120 shows a day in 12m.")

    public var host: String? { nil }
    public var metrics: Set<Metric>? {
        [
            .users, .crashedUsers, .sessions, .crashedSessions,
            .crashEvents,
        ]
    }

    public var givesLabels: Bool { false }
    public func configured(_ property: String) -> Set<String>? {
        switch property {
        case "app": Set(apps)
        case "environment": [""]
        default: nil
        }
    }

    private let seed: Int
    private let apps: [String]
    private let users: Int
    private let speed: Int

    public init(options: Options, context: SourceContext) throws(ProblemList) {
        seed = options[Self.seed]
        users = options[Self.users]
        speed = options[Self.speed]
        apps = options[Self.apps]
        let position = options.position(of: Self.apps)
        guard !apps.isEmpty, !apps.contains("") else { throw ProblemList(position, "'apps' needs names") }
        guard apps.count <= SimulatorSource.appsMax else {
            throw ProblemList(position, "'apps' names \(apps.count) apps, more than \(SimulatorSource.appsMax)")
        }
        guard Set(apps).count == apps.count else { throw ProblemList(position, "'apps' names an app twice") }
    }

    /// A world for looking at, not for load tests.
    static let appsMax = 50

    public func poll(_ poll: Poll) -> PollStep {
        let start = poll.cursor?["start"]?.string.flatMap { Moment(rfc3339: $0) } ?? poll.now
        let world = World(seed: seed, apps: apps, usersPerDay: Double(users), speed: Double(speed), start: start)
        let observations = world.observations(over: poll.spans, until: poll.now, as: poll.source)
        return .finish(
            PollReport(observations.isEmpty ? .noData : .values(observations), cursor: ["start": JSON(start)]))
    }
}

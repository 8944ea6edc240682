// swift-tools-version: 6.2
import PackageDescription

/// Every target of ours is held to the same rules; warnings are errors, so none can pile up.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

/// PluginKit hands on what it imports, so whoever sees it sees all five: named here, a change in any rebuilds them.
let kit: [Target.Dependency] = ["PluginKit", "AlertModel", "Calendars", "Text", "TimeZones"]

/// Where tests spend their time. Without optimization generic code there is some ten times slower, so CI, where nobody
/// debugs, has these optimized in debug builds too; the others would take longer to build than they take to run.
let busy: Set = [
    "AlertCore", "AlertModel", "AlertTesting", "Calendars", "Chance", "DropDetector", "Mustache", "PluginKit",
    "Records", "SimulatedWorld", "Text", "TimeZones",
]
let optimized: [SwiftSetting] =
    Context.environment["ALERTBOT_LESS_TO_DEBUG"] == "1" ? [.unsafeFlags(["-O"], .when(configuration: .debug))] : []

/// A module of ours, `Sources/ROOM/NAME`.
func module(_ name: String, in room: String, _ dependencies: [Target.Dependency] = []) -> Target {
    module(name, dependencies, path: "Sources/\(room)/\(name)")
}

func module(_ name: String, _ dependencies: [Target.Dependency] = [], path: String) -> Target {
    .target(
        name: name, dependencies: dependencies, path: path,
        swiftSettings: busy.contains(name) ? strict + optimized : strict)
}

/// A library of the system, behind one door.
func door(_ name: String, pkgConfig: String? = nil, debian: String? = nil) -> Target {
    .systemLibrary(
        name: name, path: "Sources/Doors/\(name)", pkgConfig: pkgConfig, providers: debian.map { [.apt([$0])] })
}

/// The tests of a module of ours.
func tests(_ name: String, _ dependencies: [Target.Dependency], path: String? = nil, exclude: [String] = []) -> Target {
    .testTarget(name: name, dependencies: dependencies, path: path, exclude: exclude, swiftSettings: strict)
}

// A plugin is a folder and its name here, and one line in Sources/Program/BuiltinPlugins. What its tests read lies in
// TestData beside Tests, where no target sees it.
let pluginKinds: [(folder: String, suffix: String, names: [String])] = [
    (
        folder: "sources", suffix: "Source",
        names: [
            "Bugsink",
            "Bugsnag",
            "Crashlytics",
            "Datadog",
            "File",
            "GlitchTip",
            "GooglePlay",
            "HTTPJSON",
            "Prometheus",
            "Push",
            "Rollbar",
            "Sentry",
            "Simulator",
        ]
    ),
    (
        folder: "detectors", suffix: "Detector",
        names: [
            "Drop",
            "NewIssue",
            "Regression",
            "Release",
            "Stale",
            "Threshold",
            "Velocity",
        ]
    ),
    (
        folder: "gates", suffix: "Gate",
        names: [
            "Budget",
            "DependsOn",
            "Escalate",
            "Flapping",
            "Group",
            "Mute",
            "QuietHours",
            "Repeat",
        ]
    ),
    (
        folder: "channels", suffix: "Channel",
        names: [
            "Console",
            "Discord",
            "Email",
            "GoogleChat",
            "Inbox",
            "Matrix",
            "Mattermost",
            "Ntfy",
            "PagerDuty",
            "RocketChat",
            "Slack",
            "Teams",
            "Telegram",
            "Webhook",
        ]
    ),
]

let plugins = pluginKinds.flatMap { kind in
    kind.names.map { (module: $0 + kind.suffix, folder: "plugins/\(kind.folder)/\($0)", kind: kind.folder) }
}

let pluginTargets = plugins.flatMap { plugin -> [Target] in
    // Sources may share accounts, paging, codes and paths through JSON, detectors what is remembered of issues, and
    // channels what chats with incoming webhooks have in common.
    let shared: [String: [Target.Dependency]] = [
        "sources": ["SourceKit", "SentryKit", "JSONPath", "MessageCodes"], "detectors": ["IssueKit"],
        "channels": ["ChatKit"],
    ]
    let kit = kit + (shared[plugin.kind] ?? [])
    return [
        module(plugin.module, kit, path: "\(plugin.folder)/Sources"),
        tests(
            plugin.module + "Tests",
            [.target(name: plugin.module), "Chance", "PluginTesting"] + kit
                // Rules are tried in whole bots, and with chance from a seed.
                + (["detectors", "gates"].contains(plugin.kind) ? ["AlertTesting", "AlertCore"] : []),
            path: "\(plugin.folder)/Tests"),
    ]
}

/// What the commands put together, apart from their options.
let commanded: [Target.Dependency] =
    [
        "AlertCore", "Archive", "BotConfig", "Journal", "Pictures", "Preview", "RuleTests", "Runtime", "StatusPage",
        "SystemPorts",
    ] + kit

/// What a simulation puts together.
let simulated: [Target.Dependency] =
    [
        "AlertCore", "AlertTesting", "BudgetGate", "Chance", "DropDetector", "IssueKit", "Journal", "JournalTesting",
        "MatrixChannel", "MuteGate", "QuietHoursGate", "ReleaseDetector", "Runtime", "SlackChannel", "WebhookChannel",
    ] + kit

let package = Package(
    name: "alertbot",
    products: [
        .executable(name: "alertbot", targets: ["alertbot"]),
        // For plugins in packages of their own: what they import, and what their tests do.
        .library(name: "PluginKit", targets: ["PluginKit"]),
        .library(name: "PluginTesting", targets: ["PluginTesting"]),
        // For Benchmarks, a package of its own so that nobody needs its peers to build the bot; not meant for others.
        .library(
            name: "AlertbotKit",
            targets: [
                "AlertCore", "AlertModel", "AlertTesting", "BotConfig", "BuiltinPlugins", "Chance", "DropDetector",
                "Journal", "JournalTesting", "PluginKit", "Preview", "Runtime", "ThresholdDetector", "TimeZones",
            ]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
    ],
    targets: [
        .executableTarget(
            name: "alertbot",
            dependencies: [
                "AlertCore", "Archive", "BotConfig", "BuiltinPlugins", "Commands", "DropDetector", "Journal",
                "Pictures", "Preview", "Runtime", "StatusPage", "SystemPorts", "ThresholdDetector",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ] + kit, path: "Sources/Program/alertbot", swiftSettings: strict),
        module("Commands", in: "Program", commanded),
        module("BuiltinPlugins", in: "Program", ["BotConfig"] + kit + plugins.map { .target(name: $0.module) }),
        module("BotConfig", in: "Shell", ["AlertCore", "YAMLKit"] + kit),
        module("Preview", in: "Preview", ["AlertCore", "Runtime"] + kit),
        module("RuleTests", in: "Preview", ["AlertCore", "BotConfig", "Preview", "YAMLKit"] + kit),
        module("Runtime", in: "Shell", ["AlertCore", "Journal"] + kit),
        module("Pictures", in: "Preview", ["AlertCore", "Charts", "Markup", "Preview"] + kit),
        module(
            "Archive", in: "Preview", ["AlertCore", "BotConfig", "Journal", "Preview", "Runtime", "SystemPorts"] + kit),
        module(
            "SystemPorts", in: "Shell",
            ["AlertCore", "CMalloc", "Charts", "Journal", "Raster", "Runtime", "Transport"] + kit),
        module("Raster", in: "Shell", ["CCairo", "Charts"]),
        module(
            "StatusPage", in: "Shell", ["AlertModel", "CMicroHTTP", "Charts", "Markup", "MessageCodes", "TimeZones"]),
        module("Markup", in: "Foundations", ["AlertModel"]),
        module("Charts", in: "Foundations", ["AlertModel", "Markup", "Text", "TimeZones"]),
        module("JSONPath", in: "Foundations", ["AlertModel"]),
        module(
            "AlertCore", in: "Core",
            kit + [
                "Mustache", "Records", .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "HeapModule", package: "swift-collections"),
            ]),
        module("PluginKit", in: "Kit", ["AlertModel", "Calendars", "Mustache", "Text", "TimeZones"]),
        module("ChatKit", in: "Kit", kit),
        module("IssueKit", in: "Kit", kit),
        module("SourceKit", in: "Kit", ["CCrypto"] + kit),
        module("SentryKit", in: "Kit", ["SourceKit"] + kit),
        module("Text", in: "Foundations"),
        module("MessageCodes", in: "Foundations", ["CCrypto"]),
        module("Mustache", in: "Foundations"),
        module("Records", in: "Foundations"),
        module("TimeZones", in: "Foundations", ["AlertModel"]),
        module("Calendars", in: "Foundations", ["AlertModel", "TimeZones"]),
        module("AlertModel", in: "Model", ["Text"]),
        module("Journal", in: "Shell", ["CCRC32C", "Records", "Text"]),
        module("Transport", in: "Shell", ["AlertModel", "CCurl", "CCrypto", "MessageCodes", "Text"]),
        module("YAMLKit", in: "Shell", ["CYaml"]),
        door("CCRC32C"),
        // Nothing of it is linked: it is loaded with the first picture, and named here for whoever wants pictures.
        door("CCairo"),
        door("CCurl", pkgConfig: "libcurl", debian: "libcurl4-openssl-dev"),
        door("CCrypto", pkgConfig: "libcrypto", debian: "libssl-dev"),
        door("CMalloc"),
        door("CMicroHTTP", pkgConfig: "libmicrohttpd", debian: "libmicrohttpd-dev"),
        door("CYaml", pkgConfig: "yaml-0.1", debian: "libyaml-dev"),

        module("PluginTesting", in: "Kit", ["Chance"] + kit),
        module("Chance", in: "Testing"),
        module("AlertTesting", in: "Testing", ["AlertCore", "Chance", "Records"] + kit),
        module("JournalTesting", in: "Testing", ["Journal"]),
        module("MachineTesting", in: "Testing", ["Runtime", "SystemPorts"] + kit),
        // The whole bot in a world of its own; `scripts/simulate` runs it, and the product does not have it.
        module("SimulatedWorld", in: "Testing", simulated),
        .executableTarget(
            name: "simulate", dependencies: ["SimulatedWorld", "AlertModel"], path: "Sources/Testing/simulate",
            swiftSettings: strict),
        // Where bytes from outside are read; `scripts/fuzz` builds and runs it, and the product does not have it.
        module(
            "FuzzTargets", in: "Testing",
            [
                "BotConfig", "HTTPJSONSource", "JSONPath", "Journal", "JournalTesting", "QuietHoursGate", "StatusPage",
                "ThresholdDetector", "WebhookChannel",
            ] + kit),
        door("CFuzzer"),
        .executableTarget(
            name: "fuzz", dependencies: ["CFuzzer", "FuzzTargets"], path: "Sources/Testing/fuzz", swiftSettings: strict),
        tests("FuzzTargetsTests", ["AlertTesting", "Chance", "FuzzTargets"] + kit),
        tests(
            "SimulatedWorldTests",
            ["SimulatedWorld", "BotConfig", "BuiltinPlugins", "PluginTesting", "SourceFakes"] + simulated),
        tests("AlertModelTests", ["AlertModel", "Chance"]),
        tests(
            "TimeZonesTests", ["TimeZones", "AlertModel", "Chance"],
            exclude: ["make_zone_table.py", "zone_table.txt", "make_quiet_table.py", "quiet_table.txt"]),
        tests(
            "CalendarsTests", ["Calendars", "AlertModel", "TimeZones"],
            exclude: ["make_calendar_table.py", "calendar_table.txt"]),
        tests("PluginTestingTests", ["PluginTesting"] + kit),
        tests("ChatKitTests", ["ChatKit", "PluginTesting"] + kit),
        tests("SourceKitTests", ["SourceKit", "PluginTesting"] + kit),
        tests("IssueKitTests", ["IssueKit", "PluginTesting"] + kit),
        tests("RecordsTests", ["Records"]),
        tests("JournalTests", ["Chance", "Journal", "JournalTesting", "Records"]),
        tests("YAMLKitTests", ["Chance", "YAMLKit"]),
        tests("TransportTests", ["Transport", "AlertModel", "CCurl", "Chance"]),
        tests("StatusPageTests", ["StatusPage", "AlertModel", "Charts", "Markup", "Pictures", "TimeZones"]),
        tests("MarkupTests", ["Markup"]),
        tests("ChartsTests", ["Charts", "AlertModel", "Markup", "TimeZones"]),
        tests("RasterTests", ["Raster", "Charts", "AlertModel", "TimeZones"]),
        tests("MustacheTests", ["Mustache"]),
        tests(
            "JSONPathTests", ["JSONPath", "AlertModel", "Chance"], exclude: ["make_path_table.py", "path_table.txt"]),
        tests("TextTests", ["Chance", "Text"], exclude: ["make_width_table.py", "width_table.txt"]),
        tests(
            "BotConfigTests",
            [
                "BotConfig", "AlertCore", "AlertTesting", "Chance", "NewIssueDetector", "ThresholdDetector",
                "VelocityDetector",
            ] + kit),
        tests(
            "AlertCoreTests",
            [
                "AlertCore", "AlertTesting", "Chance", "PluginTesting", "QuietHoursGate", "BudgetGate", "GroupGate",
                "FlappingGate", "DependsOnGate", "EscalateGate", "RepeatGate", "DropDetector", "IssueKit",
                "NewIssueDetector", "ReleaseDetector",
            ] + kit),
        // Every vendor in good health, for tests of all sources at once.
        module("SourceFakes", ["BotConfig", "BuiltinPlugins", "PluginTesting"] + kit, path: "Tests/SourceFakes"),
        tests(
            "BuiltinPluginsTests",
            [
                "AlertCore", "BuiltinPlugins", "BotConfig", "ChatKit", "DropDetector", "IssueKit", "PluginTesting",
                "SourceFakes", "SourceKit", "YAMLKit",
            ] + kit,
            exclude: ["Fixtures"]),
        tests(
            "PreviewTests",
            [
                "Preview", "AlertCore", "AlertTesting", "BotConfig", "BudgetGate", "BuiltinPlugins", "Chance",
                "DependsOnGate",
                "DropDetector", "Journal", "JournalTesting", "PluginTesting", "Runtime", "SimulatedWorld",
                "ThresholdDetector",
            ]
                + kit),
        tests(
            "PicturesTests",
            ["Pictures", "AlertCore", "BotConfig", "BuiltinPlugins", "Charts", "Markup", "PluginTesting", "Preview"]
                + kit,
            exclude: ["Snapshots"]),
        tests(
            "SystemPortsTests",
            ["SystemPorts", "AlertCore", "BotHarness", "Journal", "MachineTesting", "Runtime"] + kit),
        tests(
            "ArchiveTests",
            ["Archive", "AlertCore", "BotConfig", "BotHarness", "MachineTesting", "Preview", "Runtime", "SystemPorts"]
                + kit),
        tests(
            "CommandsTests",
            ["Commands", "BotHarness", "BuiltinPlugins", "MachineTesting", "PluginTesting", "SourceFakes"]
                + commanded, exclude: ["Snapshots"]),
        tests("RuleTestsTests", ["RuleTests", "BotConfig", "BuiltinPlugins"] + kit),
        tests(
            "RuntimeTests",
            [
                "Runtime", "AlertCore", "AlertTesting", "Journal", "JournalTesting", "BudgetGate", "EscalateGate",
                "MuteGate",
                "PluginTesting", "RepeatGate", "StaleDetector",
            ] + kit,
            exclude: ["Fixtures"]),

        // The built program itself: its commands, and with ALERTBOT_INTEGRATION=1 its dealings with real servers.
        module("BotHarness", path: "Tests/IntegrationTests/Harness"),
        tests("ProgramTests", ["BotHarness", "alertbot"]),
        // What the pages show: their configs are read, their commands parsed and run, their links followed.
        tests(
            "DocumentationTests",
            ["AlertCore", "BotConfig", "BotHarness", "BuiltinPlugins", "RuleTests", "alertbot"] + kit),
        tests(
            "IntegrationTests",
            [
                "AlertTesting", "BotHarness", "BuiltinPlugins", "Chance", "MachineTesting", "Mustache", "PluginTesting",
                "SourceFakes",
                "alertbot", "Commands",
            ] + commanded,
            exclude: ["Harness", "Servers", "Fixtures"]),
    ] + pluginTargets)

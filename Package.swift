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

/// PluginKit hands on what it imports, so whoever sees it sees all three: named here, a change in any rebuilds them.
let kit: [Target.Dependency] = ["PluginKit", "AlertModel", "TimeZones"]

/// A module of ours.
func module(_ name: String, _ dependencies: [Target.Dependency] = [], path: String? = nil) -> Target {
    .target(name: name, dependencies: dependencies, path: path, swiftSettings: strict)
}

/// The tests of a module of ours.
func tests(_ name: String, _ dependencies: [Target.Dependency], path: String? = nil, exclude: [String] = []) -> Target {
    .testTarget(name: name, dependencies: dependencies, path: path, exclude: exclude, swiftSettings: strict)
}

// A plugin is a folder and its name here, and one line in Sources/BuiltinPlugins.
let rulePlugins = [
    "Threshold", "Drop", "Velocity", "NewIssue", "Regression", "Release", "Stale", "Mute", "QuietHours", "Budget",
    "Group",
    "Flapping", "DependsOn", "Escalate", "Repeat",
]
let sourcePlugins = ["Sentry", "Prometheus", "HTTPJSON", "File", "Simulator"]
let channelPlugins = ["Slack", "Matrix", "Webhook", "Inbox", "Console"]

let plugins =
    [("rules", "Rule", rulePlugins), ("sources", "Source", sourcePlugins), ("channels", "Channel", channelPlugins)]
    .flatMap { kind, suffix, names in names.map { (module: $0 + suffix, folder: "plugins/\(kind)/\($0)") } }

/// Data beside a plugin's tests, read by its path and compiled by nobody.
let pluginTestData = [
    "HTTPJSONSource": ["Fixtures"], "SentrySource": ["Fixtures"], "PrometheusSource": ["Fixtures"],
    "SlackChannel": ["Fixtures", "Snapshots", "slack_blocks_check.py"], "MatrixChannel": ["Fixtures", "Snapshots"],
    "WebhookChannel": ["Fixtures", "Snapshots"], "ThresholdRule": ["make_binomial_table.py", "binomial_table.txt"],
]

let pluginTargets = plugins.flatMap { plugin -> [Target] in
    [
        module(plugin.module, kit, path: "\(plugin.folder)/Sources"),
        tests(
            plugin.module + "Tests",
            [.target(name: plugin.module), "PluginTesting"] + kit
                // Rules are tried in whole bots, and with chance from a seed.
                + (rulePlugins.map { $0 + "Rule" }.contains(plugin.module) ? ["AlertTesting", "AlertCore"] : []),
            path: "\(plugin.folder)/Tests", exclude: pluginTestData[plugin.module] ?? []),
    ]
}

/// What a simulation puts together.
let simulated: [Target.Dependency] =
    [
        "AlertCore", "AlertTesting", "BudgetRule", "Journal", "JournalTesting", "MatrixChannel", "MuteRule",
        "QuietHoursRule",
        "Runtime",
        "SlackChannel", "WebhookChannel",
    ] + kit

let package = Package(
    name: "alertbot",
    products: [
        .executable(name: "alertbot", targets: ["alertbot"]),
        // For Benchmarks, a package of its own so that nobody needs its peers to build the bot; not meant for others.
        .library(
            name: "AlertbotKit",
            targets: [
                "AlertCore", "AlertModel", "AlertTesting", "BotConfig", "BuiltinPlugins", "DropRule", "Journal",
                "PluginKit", "Preview", "Runtime", "ThresholdRule", "TimeZones",
            ]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2")
    ],
    targets: [
        .executableTarget(
            name: "alertbot",
            dependencies: [
                "AlertCore", "BotConfig", "BuiltinPlugins", "CMalloc", "DropRule", "Journal", "Pictures", "Preview",
                "RuleTests", "Runtime", "StatusPage", "ThresholdRule", "Transport",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ] + kit, swiftSettings: strict),
        module("BuiltinPlugins", ["BotConfig"] + kit + plugins.map { .target(name: $0.module) }),
        module("BotConfig", ["AlertCore", "YAMLKit"] + kit),
        module("Preview", ["AlertCore", "Runtime"] + kit),
        module("RuleTests", ["AlertCore", "BotConfig", "Preview", "YAMLKit"] + kit),
        module("Runtime", ["AlertCore", "Journal"] + kit),
        module("Pictures", ["AlertCore", "Markup", "Preview"] + kit),
        module("StatusPage", ["AlertModel", "Markup"]),
        module("Markup", ["AlertModel"]),
        module("AlertCore", kit),
        module("PluginKit", ["AlertModel", "TimeZones"]),
        module("TimeZones", ["AlertModel"]),
        module("AlertModel"),
        module("Journal", ["CCRC32C"]),
        module("Transport", ["AlertModel", "CCurl", "CCrypto"]),
        module("YAMLKit", ["CYaml"]),
        .systemLibrary(name: "CCRC32C"),
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CMalloc"),
        .systemLibrary(name: "CYaml", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"])]),

        module("PluginTesting", kit),
        module("AlertTesting", ["AlertCore"] + kit),
        module("JournalTesting", ["Journal"]),
        // The whole bot in a world of its own; `scripts/simulate` runs it, and the product does not have it.
        module("Simulator", simulated),
        .executableTarget(name: "simulate", dependencies: ["Simulator", "AlertModel"], swiftSettings: strict),
        tests("SimulatorTests", ["Simulator"] + simulated),
        tests("AlertModelTests", ["AlertModel"]),
        tests(
            "TimeZonesTests", ["TimeZones", "AlertModel"],
            exclude: ["make_zone_table.py", "zone_table.txt", "make_quiet_table.py", "quiet_table.txt"]),
        tests("PluginTestingTests", ["PluginTesting"] + kit),
        tests("JournalTests", ["Journal", "JournalTesting"]),
        tests("YAMLKitTests", ["YAMLKit"]),
        tests("TransportTests", ["Transport", "AlertModel"]),
        tests("StatusPageTests", ["StatusPage", "AlertModel", "Markup"]),
        tests("MarkupTests", ["Markup"]),
        tests("BotConfigTests", ["BotConfig", "AlertCore", "NewIssueRule", "ThresholdRule", "VelocityRule"] + kit),
        tests(
            "AlertCoreTests",
            [
                "AlertCore", "AlertTesting", "PluginTesting", "QuietHoursRule", "BudgetRule", "GroupRule",
                "FlappingRule", "DependsOnRule", "EscalateRule", "RepeatRule",
            ] + kit),
        tests("BuiltinPluginsTests", ["BuiltinPlugins", "BotConfig", "YAMLKit"] + kit),
        tests(
            "PreviewTests",
            [
                "Preview", "AlertCore", "AlertTesting", "BotConfig", "BudgetRule", "BuiltinPlugins", "DependsOnRule",
                "DropRule", "Journal", "JournalTesting", "PluginTesting", "Runtime", "Simulator", "ThresholdRule",
            ]
                + kit),
        tests(
            "PicturesTests",
            ["Pictures", "AlertCore", "BotConfig", "BuiltinPlugins", "Markup", "PluginTesting", "Preview"] + kit,
            exclude: ["Snapshots", "make_width_table.py", "width_table.txt"]),
        tests("RuleTestsTests", ["RuleTests", "BotConfig", "BuiltinPlugins"] + kit),
        tests(
            "RuntimeTests", ["Runtime", "AlertCore", "AlertTesting", "Journal", "JournalTesting"] + kit,
            exclude: ["Fixtures"]),

        // The built program itself: its commands, and with ALERTBOT_INTEGRATION=1 its dealings with real servers.
        module("BotHarness", path: "Tests/IntegrationTests/Harness"),
        tests("CommandTests", ["BotHarness", "alertbot"]),
        tests("IntegrationTests", ["BotHarness", "alertbot"], exclude: ["Harness", "Servers", "Fixtures"]),
    ] + pluginTargets
)

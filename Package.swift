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

/// A module of ours.
func module(_ name: String, _ dependencies: [Target.Dependency] = [], path: String? = nil) -> Target {
    .target(name: name, dependencies: dependencies, path: path, swiftSettings: strict)
}

/// The tests of a module of ours.
func tests(_ name: String, _ dependencies: [Target.Dependency], path: String? = nil, exclude: [String] = []) -> Target {
    .testTarget(name: name, dependencies: dependencies, path: path, exclude: exclude, swiftSettings: strict)
}

// A plugin is a folder and its name here, and one line in Sources/BuiltinPlugins.
let rulePlugins = ["Threshold", "Mute", "QuietHours"]
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
        module(plugin.module, ["PluginKit"], path: "\(plugin.folder)/Sources"),
        tests(
            plugin.module + "Tests", [.target(name: plugin.module), "PluginKit", "PluginTesting"],
            path: "\(plugin.folder)/Tests", exclude: pluginTestData[plugin.module] ?? []),
    ]
}

let package = Package(
    name: "alertbot",
    products: [.executable(name: "alertbot", targets: ["alertbot"])],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2")
    ],
    targets: [
        .executableTarget(
            name: "alertbot",
            dependencies: [
                "AlertCore", "BotConfig", "BuiltinPlugins", "Journal", "PluginKit", "Preview", "Runtime", "StatusPage",
                "TimeZones", "Transport", .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ], swiftSettings: strict),
        module("BuiltinPlugins", ["BotConfig"] + plugins.map { .target(name: $0.module) }),
        module("BotConfig", ["AlertCore", "PluginKit", "YAMLKit"]),
        module("Preview", ["AlertCore", "PluginKit", "Runtime"]),
        module("Runtime", ["AlertCore", "Journal", "PluginKit"]),
        module("StatusPage", ["AlertModel"]),
        module("AlertCore", ["PluginKit"]),
        module("PluginKit", ["AlertModel", "TimeZones"]),
        module("TimeZones", ["AlertModel"]),
        module("AlertModel"),
        module("Journal"),
        module("Transport", ["AlertModel", "CCurl", "CCrypto"]),
        module("YAMLKit", ["CYaml"]),
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CYaml", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"])]),

        module("PluginTesting", ["PluginKit"]),
        module("AlertTesting", ["AlertCore", "PluginKit"]),
        tests("AlertModelTests", ["AlertModel"]),
        tests(
            "TimeZonesTests", ["TimeZones", "AlertModel"], exclude: ["make_zone_table.py", "zone_table.txt"]),
        tests("PluginTestingTests", ["PluginTesting", "PluginKit"]),
        tests("JournalTests", ["Journal"]),
        tests("YAMLKitTests", ["YAMLKit"]),
        tests("TransportTests", ["Transport", "AlertModel"]),
        tests("StatusPageTests", ["StatusPage", "AlertModel"]),
        tests("BotConfigTests", ["BotConfig", "AlertCore", "PluginKit"]),
        tests("AlertCoreTests", ["AlertCore", "AlertTesting", "PluginKit", "QuietHoursRule", "ThresholdRule"]),
        tests("PreviewTests", ["Preview", "AlertCore", "AlertTesting", "PluginKit"]),
        tests("RuntimeTests", ["Runtime", "AlertCore", "AlertTesting", "Journal", "PluginKit"]),

        // The built program itself: its commands, and with ALERTBOT_INTEGRATION=1 its dealings with real servers.
        module("BotHarness", path: "Tests/IntegrationTests/Harness"),
        tests("CommandTests", ["BotHarness", "alertbot"]),
        tests("IntegrationTests", ["BotHarness", "alertbot"], exclude: ["Harness", "Servers", "Fixtures"]),
    ] + pluginTargets
)

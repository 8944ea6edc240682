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

let package = Package(
    name: "alertbot",
    products: [.executable(name: "alertbot", targets: ["alertbot"])],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/swhitty/FlyingFox", from: "0.27.1"),
    ],
    targets: [
        .executableTarget(
            name: "alertbot",
            dependencies: [
                "AlertCore", "BotConfig", "BuiltinPlugins", "Journal", "PluginKit", "Preview", "Runtime", "StatusPage",
                "TimeZones", "Transport", .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ], swiftSettings: strict),
        module("BuiltinPlugins", ["BotConfig"] + plugins.map { .init(stringLiteral: $0.module) }),
        module("BotConfig", ["AlertCore", "PluginKit", "YAMLKit"]),
        module("Preview", ["AlertCore", "PluginKit", "Runtime"]),
        module("Runtime", ["AlertCore", "Journal", "PluginKit"]),
        module("StatusPage", ["AlertModel", .product(name: "FlyingFox", package: "FlyingFox")]),
        module("AlertCore", ["PluginKit"]),
        module("PluginKit", ["AlertModel", "TimeZones"]),
        module("PluginTesting", ["PluginKit"]),
        module("TimeZones", ["AlertModel"]),
        module("AlertModel"),
        module("Journal"),
        module("Transport", ["AlertModel", "CCurl", "CCrypto"]),
        module("YAMLKit", ["CYaml"]),
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CYaml", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"])]),

        tests("JournalTests", ["Journal"]),
        tests("YAMLKitTests", ["YAMLKit"]),
    ]
        + plugins.map { module($0.module, ["PluginKit"], path: "\($0.folder)/Sources") }
)

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
let sourcePlugins: [String] = []
let channelPlugins: [String] = []

let pluginTargets: [Target] =
    [("rules", "Rule", rulePlugins), ("sources", "Source", sourcePlugins), ("channels", "Channel", channelPlugins)]
    .flatMap { kind, suffix, names in
        names.flatMap { name -> [Target] in
            let folder = "plugins/\(kind)/\(name)"
            return [module(name + suffix, ["PluginKit"], path: "\(folder)/Sources")]
        }
    }

let package = Package(
    name: "alertbot",
    targets: [
        module("AlertModel"),
        module("TimeZones", ["AlertModel"]),
        module("PluginKit", ["AlertModel", "TimeZones"]),
        module("AlertCore", ["PluginKit"]),
        module("BotConfig", ["AlertCore", "PluginKit", "YAMLKit"]),
        module("Journal"),
        module("Transport", ["AlertModel", "CCurl", "CCrypto"]),
        module("Runtime", ["AlertCore", "Journal", "PluginKit"]),
        module("YAMLKit", ["CYaml"]),
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CYaml", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"])]),
    ] + pluginTargets
)

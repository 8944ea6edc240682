// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

// Each benchmark is a program of its own and a name for scripts/bench.
let package = Package(
    name: "Benchmarks",
    products: [
        "journal", "storm", "start", "signal", "judge", "backtest", "replay", "steady", "fleet", "memory", "latency",
        "soak", "instructions", "all",
    ].map {
        .executable(name: $0, targets: [$0])
    },
    dependencies: [.package(name: "alertbot", path: "..")],
    targets: [
        .executableTarget(
            name: "journal",
            dependencies: ["Measuring", "CSQLite", .product(name: "AlertbotKit", package: "alertbot")],
            swiftSettings: strict),
        // Measures the built program from outside, so it links nothing of it.
        .executableTarget(
            name: "storm", dependencies: ["Measuring", "Programs", "BareLoop"], path: "Sources/Storm",
            swiftSettings: strict),
        .executableTarget(
            name: "latency", dependencies: ["Measuring", "Programs"], path: "Sources/Latency", swiftSettings: strict),
        .executableTarget(
            name: "fleet", dependencies: ["Measuring", "Programs"], path: "Sources/Fleet", swiftSettings: strict),
        // Likewise, but for the journal to start from, which the core itself writes.
        .executableTarget(
            name: "start", dependencies: ["Measuring", "Programs", .product(name: "AlertbotKit", package: "alertbot")],
            path: "Sources/Start", swiftSettings: strict),
        .executableTarget(
            name: "signal", dependencies: ["Measuring", .product(name: "AlertbotKit", package: "alertbot")],
            path: "Sources/Signal",
            swiftSettings: strict),
        .executableTarget(
            name: "judge", dependencies: ["Measuring", .product(name: "AlertbotKit", package: "alertbot")],
            path: "Sources/Judge",
            swiftSettings: strict),
        .executableTarget(
            name: "backtest", dependencies: ["Measuring", .product(name: "AlertbotKit", package: "alertbot")],
            path: "Sources/Backtest", swiftSettings: strict),
        .executableTarget(
            name: "steady", dependencies: ["Measuring", .product(name: "AlertbotKit", package: "alertbot")],
            path: "Sources/Steady",
            swiftSettings: strict),
        .executableTarget(
            name: "memory", dependencies: ["CHeap", "Measuring", .product(name: "AlertbotKit", package: "alertbot")],
            path: "Sources/Memory",
            swiftSettings: strict),
        .executableTarget(
            name: "soak",
            dependencies: ["CHeap", "Measuring", "Programs", .product(name: "AlertbotKit", package: "alertbot")],
            path: "Sources/Soak", swiftSettings: strict),
        .executableTarget(
            name: "instructions",
            dependencies: ["Measuring", "Programs", .product(name: "AlertbotKit", package: "alertbot")],
            path: "Sources/Instructions", swiftSettings: strict),
        // Likewise, with what it reads written by the recording itself.
        .executableTarget(
            name: "replay",
            dependencies: ["Measuring", "Programs", .product(name: "AlertbotKit", package: "alertbot")],
            path: "Sources/Replay", swiftSettings: strict),
        .executableTarget(
            name: "all", dependencies: ["Measuring", "Programs"], path: "Sources/All", swiftSettings: strict),
        .target(name: "Measuring", swiftSettings: strict),
        .target(name: "Programs", path: "Sources/Programs", swiftSettings: strict),
        .target(name: "BareLoop", linkerSettings: [.linkedLibrary("curl")]),
        .systemLibrary(name: "CHeap"),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    ])

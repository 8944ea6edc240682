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
    products: [.executable(name: "journal", targets: ["journal"])],
    dependencies: [.package(name: "alertbot", path: "..")],
    targets: [
        .executableTarget(
            name: "journal",
            dependencies: ["Measuring", "CSQLite", .product(name: "AlertbotKit", package: "alertbot")],
            swiftSettings: strict),
        .target(name: "Measuring", swiftSettings: strict),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    ]
)

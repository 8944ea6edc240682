// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

let package = Package(
    name: "Benchmarks",
    products: [
        .executable(name: "storm", targets: ["storm"]), .executable(name: "start", targets: ["start"]),
    ],
    dependencies: [.package(name: "alertbot", path: "..")],
    targets: [
        // Measures the built program from outside, so it links nothing of it.
        .executableTarget(name: "storm", dependencies: ["Programs"], path: "Sources/Storm", swiftSettings: strict),
        // Likewise, but for the journal to start from, which the core itself writes.
        .executableTarget(
            name: "start", dependencies: ["Programs", .product(name: "AlertbotKit", package: "alertbot")],
            path: "Sources/Start", swiftSettings: strict),
        .target(name: "Programs", path: "Sources/Programs", swiftSettings: strict),
    ]
)

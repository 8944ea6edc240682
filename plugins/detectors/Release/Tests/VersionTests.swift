import PluginKit
import Testing

@testable import ReleaseDetector

@Suite struct `Versions in names of releases` {
    /// Names that one source gives, the oldest first.
    struct Case: Sendable, CustomTestStringConvertible {
        let why: String
        let names: [String]

        var testDescription: String { why }
    }

    static let cases = [
        Case(
            why: "Crashlytics, Bugsnag and Play put the build in brackets",
            names: ["5.4.0-rc.1 (5390)", "5.4.0 (5401)", "5.9.0 (590)", "5.10.0 (600)", "5.10.0 (1000)"]),
        Case(
            why: "builds are the last to count",
            names: ["5.4.0", "5.4.0 (9)", "5.4.0 (build 10)", "v5.4.0(11)", "5.4.0 (12.1)", "5.4.1 (1)"]),
        Case(
            why: "Sentry puts the app before it",
            names: [
                "com.example.app@5.4.0-rc.1", "com.example.app@5.4.0+5401", "com.example.app@5.4.0+5402", "shop@5.4.1",
                "shop@5.10.0 (7)",
            ]),
        Case(why: "numbers alone are versions where nobody names builds", names: ["5", "5.4.0", "6", "5203"]),
        Case(
            why: "they are codes of Play where others name theirs",
            names: ["5203", "5.4.0 (5401)", "5402", "5.5.0 (5500)", "5501"]),
        Case(
            why: "a name without a version stands where its build belongs",
            names: ["Winter (5203)", "5.4.0 (5401)", "unknown (5450)", "Spring (5500)", "5.6.0 (5600)"]),
        Case(why: "so do names that are all without", names: ["99", "Winter (520)", "Spring (1500)"]),
        Case(
            why: "the build says nothing against the version, as where each processor has codes of its own",
            names: ["15203", "5.4.0 (25401)", "5.5.0 (15500)"]),
    ]

    @Test(arguments: cases)
    func `releases of one source are put in order`(names: Case) {
        let releases = names.names.compactMap { name in Version(name).map { (release: name, version: $0) } }
        #expect(releases.count == names.names.count)
        for _ in 0..<10 { #expect(Version.inOrder(releases.shuffled()) == names.names) }
    }

    @Test(arguments: [
        "f00dcafe", "5.4.0 (beta)", "abba (f00d)", "abba (5.4)", "5.4.0 ()", "(", ")", "()", "5.4.0 (5401",
        "Winter (１)",
        "Winter (99999999999999999999)",
    ])
    func `what holds neither a version nor a build has none`(name: String) { #expect(Version(name) == nil) }
}

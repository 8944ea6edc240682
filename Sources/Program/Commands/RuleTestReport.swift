internal import AlertCore
internal import BotConfig
public import Pictures
public import PluginKit
public import RuleTests
public import SystemPorts

/// Files of rule tests, read and run, and what came of them.
public struct RuleTestReport {
    private let files: [File]
    private let coverages: [(config: String, coverage: Coverage)]

    /// Tests that are longer than configs may be would not be read by anybody.
    private static let testBytesMax = 1 << 20
    /// Recorded observations of a test: a hundred thousand lines.
    private static let observationBytesMax = 32 << 20

    /// A file of tests that was read and run.
    private struct File {
        let path: String
        /// Nil where the file names one that is not there, or cannot be read so far.
        let config: ConfigFile?
        let problems: [Problem]
        let problemTexts: [String]
        let results: [RuleTestResult]
    }

    /// - Parameters:
    ///   - usualConfig: the config of files that name none.
    ///   - config: how a config is read.
    public init(
        _ paths: [String], usualConfig: String, config: (String) throws(Failure) -> ConfigFile
    ) throws(Failure) {
        var files: [File] = []
        for path in paths { files.append(try RuleTestReport.run(path, usualConfig, config)) }
        self.files = files
        coverages = RuleTestReport.coverages(files)
    }

    private static func run(
        _ path: String, _ usualConfig: String, _ read: (String) throws(Failure) -> ConfigFile
    ) throws(Failure) -> File {
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try WholeFile.read(path, bytesMax: testBytesMax)
        } catch {
            throw Failure(.impossible, "the test file \(path) cannot be read: \(error.reason)")
        }
        let document = RuleTestDocument(bytes)
        let lines = String(decoding: bytes, as: UTF8.self)
            .split(omittingEmptySubsequences: false) { $0.isNewline }.map(String.init)
        func unread(_ problems: [Problem]) -> File {
            File(
                path: path, config: nil, problems: problems,
                problemTexts: problems.map { $0.text(file: path, lines: lines) }, results: [])
        }
        if let name = document.configPath, let place = document.configPosition, !WholeFile.isThere(beside(path, name)) {
            let missing = Problem(
                place, "there is no config '\(name.tamed.clipped(to: 120))'",
                advice: "its path begins in the folder of this file")
            return unread((document.brokenness + [missing]).sorted { $0.position < $1.position })
        }
        let file: ConfigFile
        do throws(Failure) {
            file = try read(document.configPath.map { beside(path, $0) } ?? usualConfig)
        } catch {
            // Which config it is of may stand in what cannot be read.
            guard document.configPath == nil, !document.brokenness.isEmpty else { throw error }
            return unread(document.brokenness)
        }
        let config = try file.config()
        let reading = document.tests(for: config) { name in
            do throws(FileError) {
                return .success(try WholeFile.read(beside(path, name), bytesMax: observationBytesMax))
            } catch {
                return .failure(UnreadableFile(error.reason))
            }
        }
        return File(
            path: path, config: file, problems: reading.problems,
            problemTexts: reading.problems.map { $0.text(file: path, lines: lines) },
            results: reading.tests.map { $0.run(with: config) })
    }

    /// The path as the shell must open it: names in a file are relative to the file's folder.
    private static func beside(_ file: String, _ name: String) -> String {
        guard !name.hasPrefix("/"), let slash = file.lastIndex(of: "/") else { return name }
        return file[...slash] + name
    }

    /// The coverage of each config, in the order of the files.
    private static func coverages(_ files: [File]) -> [(config: String, coverage: Coverage)] {
        var paths: [String] = []
        for path in files.compactMap(\.config?.path) where !paths.contains(path) { paths.append(path) }
        return paths.compactMap { path in
            let files = files.filter { $0.config?.path == path }
            return files.first?.config?.result.config.map { (path, Coverage(files.flatMap(\.results), of: $0)) }
        }
    }

    // MARK: what came of them

    private var results: [RuleTestResult] { files.flatMap(\.results) }
    private var failedCount: Int { results.count { !$0.passed } }
    private var problemCount: Int { files.reduce(0) { $0 + $1.problems.count } }

    /// Whether every test could be read and none failed.
    public var isFine: Bool { failedCount == 0 && problemCount == 0 }

    public var problemTexts: [String] { files.flatMap(\.problemTexts) }

    public var json: JSON {
        [
            "tests": .array(files.flatMap { file in file.results.map { $0.json(file: file.path) } }),
            "coverage": .array(coverages.map { .object(JSONObject([("config", .string($0)), ("of", $1.json)])) }),
            "summary": ["tests": JSON(results.count), "failed": JSON(failedCount)],
            "problems": .array(files.flatMap { file in file.problems.map { $0.json(file: file.path) } }),
        ]
    }

    /// For people: what is wrong with a file before what came of its tests.
    public func print(_ paint: Paint, on terminal: Terminal) throws(Failure) {
        for file in files {
            for problem in file.problemTexts { terminal.error(problem) }
            for result in file.results { try terminal.line(text(result, file, paint)) }
        }
        for (config, coverage) in coverages { try terminal.line(text(coverage, of: config, paint)) }
        try terminal.line(summary)
    }

    private var summary: String {
        let count = results.count
        let outcome =
            count == 0
            ? "no test was run"
            : "\(count.counted("test")), \(failedCount == 0 ? "all as expected" : "\(failedCount) failed")"
        guard problemCount > 0 else { return outcome }
        return "\(outcome); there \(problemCount == 1 ? "is" : "are") \(problemCount.counted("mistake")) in the tests"
    }

    private func text(_ result: RuleTestResult, _ file: File, _ paint: Paint) -> String {
        if result.passed { return "\(paint.green("✓")) \(result.name)" }
        return "\(paint.red("✗")) \(result.name)  \(place(result.position, file))\n" + difference(result, file, paint)
    }

    /// What was expected and what was said, side by side in time.
    private func difference(_ result: RuleTestResult, _ file: File, _ paint: Paint) -> String {
        let clock = WallClock(file.config?.result.config?.plan.zone ?? .utc, showing: result.comparison.map(\.at))
        return result.comparison.map { line in
            let time = clock.text(line.at)
            switch line.kind {
            case .asExpected: return "      \(time) \(line.text)"
            case .missing(let position):
                return paint.red("    - \(time) \(line.text)")
                    + "  (expected at \(place(position, file)), but not there)"
                    + line.verdicts.map { "\n        \($0)" }.joined()
            case .unexpected: return paint.green("    + \(time) \(line.text)") + "  (not expected)"
            }
        }.joined(separator: "\n")
    }

    private func place(_ position: Position, _ file: File) -> String {
        "\(file.path):\(position.line):\(position.column)"
    }

    private func text(_ coverage: Coverage, of config: String, _ paint: Paint) -> String {
        let items = (coverage.rules + coverage.gates).map { item in
            let mark = item.unseen.isEmpty ? paint.green("✓") : paint.yellow("·")
            let unseen = item.unseen.isEmpty ? "" : "  never \(item.unseen.joined(separator: ", "))"
            return "  \(mark) \(item.name)" + (item.seen.isEmpty ? "" : "  \(item.seen.joined(separator: ", "))")
                + unseen
        }
        let title = "\nCoverage of \(config): \(Int((coverage.share * 100).rounded(.down)))%"
        return ([title] + items).joined(separator: "\n")
    }

    /// The results as build servers read them.
    public var junit: JUnit {
        JUnit(
            files.map { file in
                var cases = file.results.map { result in
                    (name: result.name, failure: result.passed ? nil : difference(result, file, .none))
                }
                if !file.problems.isEmpty {
                    cases.append(("the file can be read", file.problemTexts.joined(separator: "\n")))
                }
                return JUnit.Suite(name: file.path, cases: cases)
            })
    }

    /// Writes the results where a build server looks for them.
    public func writeJUnit(to path: String) throws(Failure) {
        do throws(FileError) {
            try WholeFile.write(Array(junit.xml.utf8), to: path)
        } catch {
            throw Failure(.impossible, "the results file \(path) cannot be written: \(error.reason)")
        }
    }
}

/// Moments as a wall clock shows them, in as many words as it takes to tell them apart: with the date where they are of
/// several days, and with the name of the zone's time where the clock was changed between them.
private struct WallClock {
    private let zone: Zone
    private let hasDates: Bool
    private let hasNames: Bool

    init(_ zone: Zone, showing moments: [Moment]) {
        self.zone = zone
        hasDates = Set(moments.map { zone.civil($0).dateText }).count > 1
        hasNames = Set(moments.map { zone.offset(at: $0) }).count > 1
    }

    func text(_ moment: Moment) -> String {
        let civil = zone.civil(moment)
        return (hasDates ? "\(civil.dateText) " : "") + "\(civil.clockText):\(civil.second.padded(2))"
            + (hasNames ? " \(zone.abbreviation(at: moment))" : "")
    }
}

extension RuleTestResult {
    fileprivate func json(file: String) -> JSON {
        [
            "file": .string(file), "line": JSON(position.line), "name": .string(name), "passed": JSON(passed),
            "decisions": .array(
                comparison.map { line in
                    let status =
                        switch line.kind {
                        case .asExpected: "as_expected"
                        case .missing: "missing"
                        case .unexpected: "unexpected"
                        }
                    return ["at": JSON(line.at), "status": .string(status), "text": .string(line.text)]
                }),
        ]
    }
}

internal import AlertCore
internal import ArgumentParser
internal import BotConfig
internal import Glibc
internal import PluginKit
internal import RuleTests

struct TestCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test",
        abstract: "Runs rule tests: observations in, messages expected. Sends nothing, writes nothing.")

    @OptionGroup var common: CommonOptions
    @Argument(help: ArgumentHelp("Files of rule tests.", valueName: "file")) var files: [String]
    @Option(name: .long, help: "text or json.") var format = TextOrJSON.text
    @Option(name: .long, help: ArgumentHelp("Write the results here for a build server, too.", valueName: "file"))
    var junit: String?

    /// Tests that are longer than configs may be would not be read by anybody.
    private static let testBytesMax = 1 << 20
    /// Recorded observations of a test: a hundred thousand lines.
    private static let observationBytesMax = 32 << 20

    /// A file of tests that was read and run.
    private struct Ran {
        let path: String
        let config: ConfigFile
        let problems: [Problem]
        let problemTexts: [String]
        let results: [RuleTestResult]
    }

    func run() throws {
        let ran = try files.map { path throws(Failure) in try run(path) }
        let coverages = try coverages(ran)
        if let junit { try write(JUnit(ran.map(suite)), to: junit) }
        let results = ran.flatMap(\.results)
        let failed = results.count { !$0.passed }
        let problemCount = ran.reduce(0) { $0 + $1.problems.count }
        switch format {
        case .text:
            for file in ran { tell(file) }
            for (config, coverage) in coverages { tell(coverage, of: config) }
            let outcome =
                results.isEmpty
                ? "no test was run"
                : "\(count(results.count, "test")), \(failed == 0 ? "all as expected" : "\(failed) failed")"
            let mistakes =
                problemCount == 0
                ? ""
                : "; there \(problemCount == 1 ? "is" : "are") "
                    + "\(count(problemCount, "mistake")) in the tests"
            Output.line(outcome + mistakes)
        case .json:
            for problem in ran.flatMap(\.problemTexts) { Output.error(problem) }
            let summary: JSON = ["tests": JSON(results.count), "failed": JSON(failed)]
            let json: JSON = [
                "tests": .array(ran.flatMap { file in file.results.map { $0.json(file: file.path) } }),
                "coverage": .array(coverages.map { .object(JSONObject([("config", .string($0)), ("of", $1.json)])) }),
                "summary": summary,
                "problems": .array(ran.flatMap { file in file.problems.map { $0.json(file: file.path) } }),
            ]
            Output.line(json.prettyText)
        }
        if failed > 0 || problemCount > 0 { throw Failure(.no) }
    }

    private func run(_ path: String) throws(Failure) -> Ran {
        let bytes: [UInt8]
        switch wholeFile(path, bytesMax: TestCommand.testBytesMax) {
        case .success(let contents): bytes = contents
        case .failure(let error): throw Failure(.impossible, "the tests \(path) can not be read: \(error.sentence)")
        }
        let document = RuleTestDocument(bytes)
        let file = try ConfigFile(document.configPath.map { beside(path, $0) } ?? common.config)
        let config = try file.config()
        let reading = document.tests(for: config) { name in
            wholeFile(beside(path, name), bytesMax: TestCommand.observationBytesMax)
                .mapError { UnreadableFile($0.sentence) }
        }
        let lines = String(decoding: bytes, as: UTF8.self)
            .split(omittingEmptySubsequences: false) { $0.isNewline }.map(String.init)
        return Ran(
            path: path, config: file, problems: reading.problems,
            problemTexts: reading.problems.map { $0.text(file: path, lines: lines) },
            results: reading.tests.map { $0.run(with: config) })
    }

    /// The path as the shell must open it: names in a file are relative to the file's folder.
    private func beside(_ file: String, _ name: String) -> String {
        guard !name.hasPrefix("/"), let slash = file.lastIndex(of: "/") else { return name }
        return file[...slash] + name
    }

    /// The coverage of each config, in the order of the files.
    private func coverages(_ ran: [Ran]) throws(Failure) -> [(config: String, coverage: Coverage)] {
        var paths: [String] = []
        for file in ran where !paths.contains(file.config.path) { paths.append(file.config.path) }
        return paths.compactMap { path in
            let files = ran.filter { $0.config.path == path }
            return files.first?.config.result.config.map { (path, Coverage(files.flatMap(\.results), of: $0)) }
        }
    }

    // MARK: telling

    private func tell(_ file: Ran) {
        for problem in file.problemTexts { Output.error(problem) }
        for result in file.results {
            let mark = result.passed ? common.paint.green("✓") : common.paint.red("✗")
            Output.line("\(mark) \(result.name)" + (result.passed ? "" : "  \(place(result.position, file))"))
            if !result.passed { Output.line(difference(result, file, common.paint)) }
        }
    }

    /// What was expected and what was said, side by side in time.
    private func difference(_ result: RuleTestResult, _ file: Ran, _ paint: Paint?) -> String {
        let zone = file.config.result.config?.plan.zone ?? .utc
        return result.comparison.map { line in
            let civil = zone.civil(line.at)
            let time = "\(civil.hour.padded(2)):\(civil.minute.padded(2)):\(civil.second.padded(2))"
            switch line.kind {
            case .asExpected: return "      \(time) \(line.text)"
            case .missing(let position):
                let text = "    - \(time) \(line.text)"
                return (paint?.red(text) ?? text) + "  (expected at \(place(position, file)), not said)"
            case .unexpected:
                let text = "    + \(time) \(line.text)"
                return (paint?.green(text) ?? text) + "  (said, not expected)"
            }
        }.joined(separator: "\n")
    }

    private func place(_ position: Position, _ file: Ran) -> String {
        "\(file.path):\(position.line):\(position.column)"
    }

    private func tell(_ coverage: Coverage, of config: String) {
        Output.line("\nSeen of \(config): \(Int((coverage.share * 100).rounded(.down)))%")
        for item in coverage.rules + coverage.gates {
            let mark = item.unseen.isEmpty ? common.paint.green("✓") : common.paint.yellow("·")
            let unseen = item.unseen.isEmpty ? "" : "  never \(item.unseen.joined(separator: ", "))"
            Output.line(
                "  \(mark) \(item.name)" + (item.seen.isEmpty ? "" : "  \(item.seen.joined(separator: ", "))") + unseen)
        }
    }

    private func suite(_ file: Ran) -> JUnit.Suite {
        var cases = file.results.map { result in
            (name: result.name, failure: result.passed ? nil : difference(result, file, nil))
        }
        if !file.problems.isEmpty { cases.append(("the file can be read", file.problemTexts.joined(separator: "\n"))) }
        return JUnit.Suite(name: file.path, cases: cases)
    }

    private func write(_ junit: JUnit, to path: String) throws(Failure) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else {
            throw Failure(.impossible, "the results \(path) can not be written: \(String(cString: strerror(errno)))")
        }
        defer { close(descriptor) }
        guard Output.write(junit.xml, to: descriptor) else {
            throw Failure(.impossible, "the results \(path) can not be written: \(String(cString: strerror(errno)))")
        }
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

internal import Foundation
internal import Measuring
internal import Programs

/// What the paths took when somebody last recorded it, for each kind of machine: a file of the repository.
struct Bounds {
    let file: String

    /// More than this beyond what is recorded is refused, in percent.
    private static let slack = 5.0
    private static let recording = "scripts/bench instructions --record"

    #if arch(x86_64)
        private static let machine = "x86_64"
    #elseif arch(arm64)
        private static let machine = "arm64"
    #else
        private static let machine = "other"
    #endif

    /// Nil where nothing is recorded for machines of this kind.
    func read() throws -> [String: Int]? { try all()[Bounds.machine] }

    func write(_ found: [String: Int]) throws {
        var bounds = try all()
        bounds[Bounds.machine] = found
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try (encoder.encode(bounds) + Data("\n".utf8)).write(to: URL(fileURLWithPath: file))
        print("\nrecorded in \(file)")
    }

    private func all() throws -> [String: [String: Int]] {
        guard FileManager.default.fileExists(atPath: file) else { return [:] }
        do {
            return try JSONDecoder().decode(
                [String: [String: Int]].self, from: Data(contentsOf: URL(fileURLWithPath: file)))
        } catch {
            throw Trouble("\(file) does not say how many instructions each path takes: \(error)")
        }
    }

    /// Says what is beyond its bound, and what could be held to a lower one.
    func check(_ found: [String: Int], against recorded: [String: Int]?, profiles: String) throws {
        print("")
        guard let recorded else {
            print("nothing is recorded for \(Bounds.machine), so nothing is checked; `\(Bounds.recording)` does that")
            return
        }
        var complaints: [String] = []
        for path in Path.allCases {
            let name = path.rawValue
            guard let count = found[name], let bound = recorded[name] else {
                complaints.append("\(name): nothing is recorded for it in \(file); `\(Bounds.recording)` does that")
                continue
            }
            let share = Double(count - bound) / Double(bound) * 100
            let difference = String(format: "%.1f %%", abs(share))
            if share > Bounds.slack {
                complaints.append(
                    "\(name): it takes \(grouped(Double(count))) instructions, \(difference) more than the "
                        + "\(grouped(Double(bound))) recorded; \(Int(Bounds.slack)) % are allowed. See what takes them with "
                        + "`callgrind_annotate \(profiles)/\(name).out`, and mend it; or, if it is worth that, record it "
                        + "with `\(Bounds.recording)`, and say in the commit why.")
            } else if share < -Bounds.slack {
                print(
                    "\(name): it takes \(difference) less than recorded; `\(Bounds.recording)` lowers its bound.")
            }
        }
        for name in recorded.keys.sorted() where Path(rawValue: name) == nil {
            complaints.append(
                "\(name): it is recorded in \(file), and there is no such path; `\(Bounds.recording)` mends that")
        }
        guard complaints.isEmpty else { throw Trouble(complaints.joined(separator: "\nerror: ")) }
        print("no path is longer than recorded")
    }
}

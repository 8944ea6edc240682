// The command line of the fuzzer: `scripts/fuzz` builds it with libFuzzer and runs it.

internal import CFuzzer
internal import FuzzTargets
internal import Glibc
internal import Synchronization

@main
struct Main {
    private static let usage = """
        usage: fuzz --list
               fuzz --seeds TARGET FOLDER    puts the target's seeds, and its words as FOLDER.dict, there
               fuzz TARGET ARGUMENT...       runs libFuzzer, whose arguments these are
        """

    /// What libFuzzer calls has no place of its own for it.
    private static let target = Mutex<FuzzTarget?>(nil)

    static func main() {
        let arguments = CommandLine.arguments.dropFirst()
        switch arguments.first {
        case "--list" where arguments.count == 1:
            for target in FuzzTarget.all { print(target.name) }
        case "--seeds" where arguments.count == 3:
            write(named(arguments[2]), to: arguments[3])
        case let name? where !name.hasPrefix("-"):
            run(named(name))
        default:
            print(usage)
            exit(2)
        }
    }

    private static func named(_ name: String) -> FuzzTarget {
        if let target = FuzzTarget.all.first(where: { $0.name == name }) { return target }
        fail("there is no target '\(name)'; there are \(FuzzTarget.all.map(\.name).joined(separator: ", "))")
    }

    private static func fail(_ sentence: String) -> Never {
        print("error: \(sentence)")
        exit(2)
    }

    private static func write(_ target: FuzzTarget, to folder: String) {
        for (number, seed) in target.seeds.enumerated() { write(seed, to: "\(folder)/seed-\(number + 1)") }
        write(target.dictionary, to: "\(folder).dict")
    }

    private static func write(_ text: String, to path: String) {
        guard let file = fopen(path, "w") else {
            fail("\(path) cannot be written: \(String(cString: strerror(errno)))")
        }
        defer { fclose(file) }
        let bytes = Array(text.utf8)
        guard fwrite(bytes, 1, bytes.count, file) == bytes.count else { fail("\(path) cannot be written") }
    }

    private static func run(_ target: FuzzTarget) -> Never {
        guard cfuzzer_is_there() else { fail("this program was built without libFuzzer; run scripts/fuzz") }
        Main.target.withLock { $0 = target }
        // Its name stands where libFuzzer looks for that of the program.
        let code = cfuzzer_run(CommandLine.argc - 1, CommandLine.unsafeArgv + 1) { bytes, count in
            let bytes = Array(UnsafeBufferPointer(start: bytes, count: count))
            if let flaw = Main.target.withLock({ $0 })?.flaw(bytes) {
                print("flaw: \(flaw)")
                fflush(nil)
                abort()
            }
            return 0
        }
        exit(code)
    }
}

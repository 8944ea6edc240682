/// A release's place among others, read from names such as `5.2.0`, `v5.2.0-beta.1`, `com.shop.ios@5.2.0+520` or
/// `5.2.0 (520)`.
///
/// Names that hold neither a version nor a build (commit hashes) have none.
struct Version: Comparable {
    /// Empty where the name says nothing but its build.
    private let numbers: [Int]
    /// What follows a hyphen; a version with such a part comes before the one without.
    private let preview: [String]?
    private let build: [String]

    init?(_ release: String) {
        // Nobody writes longer versions, and what comes from outside may be kilobytes long.
        guard release.utf8.count <= 200 else { return nil }
        let name = release.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        let bracketed = Version.withoutBracket(name)
        let parts = (bracketed?.name ?? name).split(separator: "+", maxSplits: 1, omittingEmptySubsequences: false)
        let halves = (parts.first ?? "").split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        var main = halves.first ?? ""
        if main.first == "v" || main.first == "V" { main = main.dropFirst() }
        let words = main.split(separator: ".", omittingEmptySubsequences: false)
        let numbers = words.compactMap { word in
            word.allSatisfy { $0.isASCII && $0.isNumber } && word.count <= 12 ? Int(word) : nil
        }
        let written = parts.count > 1 ? parts[1].split(separator: ".").map(String.init) : []
        if !numbers.isEmpty, numbers.count == words.count {
            self.numbers = numbers
            preview = halves.count > 1 ? halves[1].split(separator: ".").map(String.init) : nil
            build = written + (bracketed?.build ?? [])
        } else {
            guard let bracketed, bracketed.build.count == 1, Int(bracketed.build[0]) != nil else { return nil }
            (self.numbers, preview, build) = ([], nil, bracketed.build)
        }
    }

    /// The name before a build in brackets, as stores and crash services write it: `5.2.0 (520)`, `5.2.0 (build 520)`.
    private static func withoutBracket(_ name: Substring) -> (name: Substring, build: [String])? {
        guard name.last == ")", let open = name.lastIndex(of: "("),
            let word = name[name.index(after: open)...].dropLast().split(separator: " ").last,
            let first = word.first, first.isASCII, first.isNumber
        else { return nil }
        var front = name[..<open]
        while front.last == " " { front.removeLast() }
        return (front, word.split(separator: ".").map(String.init))
    }

    // MARK: - In order

    /// Releases from the oldest to the newest.
    ///
    /// Play knows old versions by their codes alone, `5203` beside `5.4.0 (5401)`: where others name their builds, what
    /// has nothing else stands where its build belongs, and is no version 5203.
    static func inOrder<Release>(_ releases: [(release: Release, version: Version)]) -> [Release] {
        let sorted = releases.sorted { $0.version < $1.version }
        guard sorted.contains(where: { $0.version.code != nil }) else { return sorted.map(\.release) }
        func code(_ version: Version) -> Int { version.code ?? version.numbers.first ?? 0 }
        var order = sorted.filter { !$0.version.isBuildAlone }
        for alone in sorted.filter(\.version.isBuildAlone).sorted(by: { code($0.version) < code($1.version) }) {
            let place = order.firstIndex { ($0.version.code ?? 0) > code(alone.version) }
            order.insert(alone, at: place ?? order.endIndex)
        }
        return order.map(\.release)
    }

    /// The build, where that is a whole number.
    private var code: Int? { build.count == 1 ? Int(build[0]) : nil }

    /// Whether it may say which build it is and nothing else.
    private var isBuildAlone: Bool {
        numbers.isEmpty || numbers.count == 1 && preview == nil && build.isEmpty
    }

    static func < (left: Version, right: Version) -> Bool {
        for index in 0..<max(left.numbers.count, right.numbers.count) {
            let a = index < left.numbers.count ? left.numbers[index] : 0
            let b = index < right.numbers.count ? right.numbers[index] : 0
            if a != b { return a < b }
        }
        switch (left.preview, right.preview) {
        case (_?, nil): return true
        case (nil, _?): return false
        case (let a?, let b?) where a != b: return precedes(a, b)
        default: return precedes(left.build, right.build)
        }
    }

    static func == (left: Version, right: Version) -> Bool { !(left < right) && !(right < left) }

    /// Word by word: numbers by their size and before letters, as Semantic Versioning has it.
    private static func precedes(_ left: [String], _ right: [String]) -> Bool {
        for (a, b) in zip(left, right) where a != b {
            switch (Int(a), Int(b)) {
            case (let m?, let n?) where m != n: return m < n
            case (_?, nil): return true
            case (nil, _?): return false
            case (nil, nil): return a < b
            default: continue
            }
        }
        return left.count < right.count
    }
}

/// A release's place among others, read from names such as `5.2.0`, `v5.2.0-beta.1` or `com.shop.ios@5.2.0+520`.
///
/// Names that hold no version (commit hashes) have none.
struct Version: Comparable {
    private let numbers: [Int]
    /// What follows a hyphen; a version with such a part comes before the one without.
    private let preview: [String]?
    private let build: [String]

    init?(_ release: String) {
        // Nobody writes longer versions, and what comes from outside may be kilobytes long.
        guard release.utf8.count <= 200 else { return nil }
        let name = release.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        let parts = name.split(separator: "+", maxSplits: 1, omittingEmptySubsequences: false)
        let halves = (parts.first ?? "").split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        var main = halves.first ?? ""
        if main.first == "v" || main.first == "V" { main = main.dropFirst() }
        let words = main.split(separator: ".", omittingEmptySubsequences: false)
        let numbers = words.compactMap { word in
            word.allSatisfy { $0.isASCII && $0.isNumber } && word.count <= 12 ? Int(word) : nil
        }
        guard !numbers.isEmpty, numbers.count == words.count else { return nil }
        self.numbers = numbers
        preview = halves.count > 1 ? halves[1].split(separator: ".").map(String.init) : nil
        build = parts.count > 1 ? parts[1].split(separator: ".").map(String.init) : []
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

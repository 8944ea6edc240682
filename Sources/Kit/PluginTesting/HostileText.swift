/// What programs that crash, and people who know that somebody reads of it, write into names.
enum HostileText {
    static let all: [String] = [long, steering, stacked, markup]

    /// Longer than any line.
    static let long = String(repeating: "W", count: 4096)
    /// Steers a terminal, turns the direction of what follows, breaks the line.
    static let steering = "\u{202E}live\u{1B}[2J\u{7}\u{9B}\r\nsecond line\u{2028}third\u{0}\t\u{2066}"
    /// One character of some thousand bytes, and some that are wide.
    static let stacked = "e" + String(repeating: "\u{301}", count: 2000) + String(repeating: "👩‍👩‍👧‍👦", count: 40)
    /// What means something to those who show it.
    static let markup = "<img src=x onerror=alert(1)> *b* `c` [d](javascript:e) @channel &amp; %n ${env:HOME} '\"\\"
}

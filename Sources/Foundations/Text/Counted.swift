// Text is what is done to text and knows nothing of what it says.

extension Int {
    /// `1 source`, `2 sources`.
    public func counted(_ noun: String) -> String { "\(self) \(noun)\(self == 1 ? "" : "s")" }
}

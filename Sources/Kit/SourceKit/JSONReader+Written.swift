public import PluginKit

// Figures as vendors write them, each with what was expected and what was found.

extension JSONReader {
    /// A count that is written as a string of digits, or as a number.
    public func writtenCount() throws(JSONMismatch) -> Double {
        guard case .string(let text) = value else { return try count() }
        // Fifteen digits are as many as a double holds exactly.
        guard text.utf8.count <= 15, text.isDigits, let count = Double(text) else {
            throw mismatch(expected: "a count in digits")
        }
        return count
    }

    /// A share of something.
    public func fraction() throws(JSONMismatch) -> Double {
        let rate = try number()
        guard (0...1).contains(rate) else { throw mismatch(expected: "a fraction from 0 to 1") }
        return rate
    }

    /// A share in percent, as a fraction.
    public func percentage() throws(JSONMismatch) -> Double {
        let percent = try number()
        guard (0...100).contains(percent) else { throw mismatch(expected: "a percentage from 0 to 100") }
        return percent / 100
    }

    /// A decimal number as Google writes it, `{"value": "0.0109"}`: an empty or missing text is 0, and there may be an
    /// exponent.
    public func decimal() throws(JSONMismatch) -> Double {
        guard let text = try optional("value") else { return 0 }
        let written = try text.string()
        if written.isEmpty { return 0 }
        guard written.utf8.count <= 40, written.utf8.allSatisfy({ "0123456789+-.eE".utf8.contains($0) }),
            let number = Double(written), number.isFinite
        else { throw text.mismatch(expected: "a decimal number") }
        return number
    }

    /// An address that people may be sent to; nil for one of another scheme, which could do anything.
    public func webLink() throws(JSONMismatch) -> String? {
        let link = try string()
        return link.hasPrefix("https://") || link.hasPrefix("http://") ? link : nil
    }
}

extension Double {
    /// Of so many, how many are not part of a share, a fraction from 0 to 1: how many crashed, where the service tells what
    /// share did not. It has divided whole numbers, so rounding gives back the one that it divided.
    public func without(share: Double) -> Double { min(self, (self * (1 - share)).rounded()) }
}

extension PollFailure {
    /// The body of an answer read by `read`; what is not as it was expected is a failure with its place.
    public static func reading<Value>(
        _ subject: String, _ read: () throws(JSONMismatch) -> Value
    ) throws(PollFailure) -> Value {
        do throws(JSONMismatch) {
            return try read()
        } catch {
            throw PollFailure(error).about(subject)
        }
    }
}

extension JSONReader {
    /// What crashed of a whole, that this member counts.
    ///
    /// - Parameters:
    ///   - part: the count that was read here.
    ///   - name: where the whole stands.
    public func crashed(_ part: Double, of whole: Double, _ name: String) throws(JSONMismatch) -> Double {
        guard let crashed = part.crashed(of: whole) else {
            throw mismatch(expected: "at most the \(whole.plain) of '\(name)'")
        }
        return crashed
    }
}

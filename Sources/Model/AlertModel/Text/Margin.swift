/// How far a figure is to be on the good side of a limit: `0.5pp` of a share, or a plain number of anything else.
public struct Margin: Hashable, Sendable, CustomStringConvertible {
    /// A fraction where it was written in percentage points.
    public let amount: Double
    public let isPoints: Bool

    public init(_ amount: Double, isPoints: Bool) {
        self.amount = amount
        self.isPoints = isPoints
    }

    public init(grammar text: String) throws(GrammarError) {
        if text != "0", !text.isEmpty, text.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }),
            let number = Double(text), number.isFinite
        {
            self.init(number, isPoints: false)
            return
        }
        do throws(GrammarError) {
            self.init(try PercentagePoints(grammar: text).fraction, isPoints: true)
        } catch {
            throw GrammarError(
                expected: "percentage points such as 0.5pp, or a plain number", suggestion: error.suggestion)
        }
    }

    public var description: String { isPoints ? amount.pointsTrimmed : JSON(amount).text }
}

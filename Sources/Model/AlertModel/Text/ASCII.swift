// What names and numbers of other services are made of, whatever else Unicode calls a letter or a digit.

extension UInt8 {
    public var isASCIIDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
    public var isASCIILetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) }
    public var isASCIILetterOrDigit: Bool { isASCIILetter || isASCIIDigit }
}

extension StringProtocol {
    /// Whether it is one digit of ASCII or more, and nothing else.
    public var isDigits: Bool { !isEmpty && utf8.allSatisfy(\.isASCIIDigit) }
}

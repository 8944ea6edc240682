internal import Glibc

/// The number with that many places behind the point.
func fixed(_ value: Double, _ places: Int) -> String {
    let scale = pow(10, Double(places))
    let scaled = Int((abs(value) * scale).rounded())
    let whole = "\(scaled / Int(scale))"
    guard places > 0 else { return whole }
    let rest = "\(scaled % Int(scale))"
    return whole + "." + String(repeating: "0", count: places - rest.count) + rest
}

/// A whole number with commas between its thousands.
func number(_ value: Double) -> String {
    var digits = "\(Int(value))"
    var result = ""
    while digits.count > 3 {
        result = "," + digits.suffix(3) + result
        digits.removeLast(3)
    }
    return digits + result
}

/// The value below which that share of the values lies; nil of none.
func quantile(_ values: [Double], _ share: Double) -> Double? {
    guard !values.isEmpty else { return nil }
    return values.sorted()[min(values.count - 1, Int(share * Double(values.count)))]
}

/// The median and the 90th percentile, in whole numbers.
func spread(_ values: [Double]) -> String {
    [0.5, 0.9].map { quantile(values, $0).map { fixed($0, 0) } ?? "–" }.joined(separator: " ")
}

/// A share in percent.
func percent(_ part: Int, of whole: Int) -> String {
    whole == 0 ? "–" : fixed(100 * Double(part) / Double(whole), part == 0 || part == whole ? 0 : 1)
}

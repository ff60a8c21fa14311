extension [UInt8] {
    /// Appends a number in decimal, with zeros before it where it has fewer digits than that.
    public mutating func append(decimal number: UInt64, digits: Int = 1) {
        var (divisor, count) = (UInt64(1), 1)
        while number / divisor >= 10 || count < digits {
            divisor *= 10
            count += 1
        }
        while divisor > 0 {
            append(UInt8(ascii: "0") + UInt8(number / divisor % 10))
            divisor /= 10
        }
    }
}

/// The correlation of a message: its request, and whether it is the request itself or its cancel.
struct Correlation: Hashable, Sendable {
    /// The number of the request, from 1.
    let number: UInt64
    let isCancel: Bool

    init(_ number: UInt64, isCancel: Bool = false) { (self.number, self.isCancel) = (number, isCancel) }

    /// Decodes the correlation of a reply.
    init(wireValue: UInt64) {
        number = wireValue >> 1
        isCancel = wireValue & 1 == 1
    }

    /// The number on the wire; never 0, which stands for an unreadable request.
    var wireValue: UInt64 { number << 1 | (isCancel ? 1 : 0) }
}

/// What a reply names: which request it answers, and whether the request itself or its cancel.
struct Correlation: Hashable, Sendable {
    /// The request, numbered from 1.
    let number: UInt64
    let isCancel: Bool

    init(_ number: UInt64, isCancel: Bool = false) {
        self.number = number
        self.isCancel = isCancel
    }

    /// The correlation of a reply.
    init(wireValue: UInt64) {
        number = wireValue >> 1
        isCancel = wireValue & 1 == 1
    }

    /// The number on the wire: never 0, which stands for a request that could not be read.
    var wireValue: UInt64 { number << 1 | (isCancel ? 1 : 0) }
}

/// The name a ROUTER has for one of its peers: 1 to 15 bytes, held in place.
///
/// libzmq assigns 5 bytes, the first of them 0. A peer may choose a longer name, up to 255 bytes; this
/// type refuses those above ``limit``, so that a table of peers costs no allocation and hashes two words.
/// A name means nothing beyond the connection: a peer that reconnects gets another.
public struct RoutingID: Hashable, Sendable, CustomStringConvertible {
    /// The most bytes of a routing id.
    public static let limit = 15

    /// Bytes 0 to 7, the first in the lowest bits.
    private var head: UInt64 = 0

    /// Bytes 8 to 14 in the same order, and the number of bytes in the highest eight bits.
    private var tail: UInt64 = 0

    /// Takes the bytes of a ROUTER's first frame; nil when there are none or more than ``limit``.
    public init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count <= Self.limit, let id = Array(bytes).withUnsafeBytes(Self.init(frame:)) else {
            return nil
        }
        self = id
    }

    /// Takes the bytes from where they are.
    init?(frame bytes: UnsafeRawBufferPointer) {
        guard 1...Self.limit ~= bytes.count else { return nil }
        var words: (UInt64, UInt64) = (0, 0)
        // At most 15 of the 16 bytes of the two words, both of which end with this function.
        withUnsafeMutableBytes(of: &words) { $0.copyMemory(from: bytes) }
        (head, tail) = (UInt64(littleEndian: words.0), UInt64(littleEndian: words.1))
        tail |= UInt64(bytes.count) << 56
    }

    /// Takes the two words of an id, as ``words`` gave them.
    ///
    /// - Precondition: They came from ``words``.
    public init(words: (UInt64, UInt64)) {
        (head, tail) = words
        precondition((1...Self.limit).contains(count), "these words are no routing id")
    }

    /// The id as two words, for who keeps it in a value of their own.
    public var words: (UInt64, UInt64) { (head, tail) }

    /// The number of bytes, from 1 to ``limit``.
    public var count: Int { Int(tail >> 56) }

    /// The bytes, in the order of the frame.
    public var bytes: [UInt8] { withBytes { Array($0) } }

    /// Two lowercase hexadecimal digits a byte.
    public var description: String {
        let digits = Array("0123456789abcdef")
        return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }

    /// Lends the bytes for the length of a call, without an allocation.
    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        // The words are copied to the stack in little-endian order, so their memory is the frame's bytes.
        // The pointer reaches `count` of those 16 bytes and does not outlive the closure.
        withUnsafeBytes(of: (head.littleEndian, tail.littleEndian)) { words in
            body(UnsafeRawBufferPointer(rebasing: words[..<count]))
        }
    }
}

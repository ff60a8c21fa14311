internal import CZMQ

/// One owned frame, whose bytes libzmq allocates; receiving and forwarding do not copy them.
///
/// The value stores up to 33 bytes inline; larger messages use one block that copies share. Use ``Frames``
/// for messages of several frames, and arrays for bytes that are sent once.
///
/// `@unchecked Sendable`: a message has one owner at a time, and libzmq counts the owners of a shared
/// block atomically, so a message may go to another thread.
public struct Message: ~Copyable, @unchecked Sendable {
    /// libzmq's message, which Swift moves as bytes, as libzmq itself does (`msg_t::move`).
    var storage = zmq_msg_t()

    /// A message without bytes.
    public init() { zmq_msg_init(&storage) }

    /// A message with a copy of the bytes.
    public init(_ bytes: some Collection<UInt8>) {
        precondition(zmq_msg_init_size(&storage, bytes.count) == 0, "no memory for \(bytes.count) bytes")
        // libzmq has just allocated this block of `count` bytes, so this is its only reference.
        let block = UnsafeMutableRawBufferPointer(start: zmq_msg_data(&storage), count: bytes.count)
        block.copyBytes(from: bytes)
    }

    /// A message with the same bytes, shared when they are more than 33.
    ///
    /// The original is `inout` because libzmq marks in it that its block is shared.
    public init(copying original: inout Message) {
        zmq_msg_init(&storage)
        precondition(zmq_msg_copy(&storage, &original.storage) == 0, "a message of ours is always valid")
    }

    deinit {
        // The copy is the same message to libzmq, and `self` is not used again.
        var last = storage
        zmq_msg_close(&last)
    }

    /// The number of bytes.
    public var count: Int {
        var view = storage
        return zmq_msg_size(&view)
    }

    /// Whether another frame of the same message follows.
    public var hasMore: Bool {
        var view = storage
        return zmq_msg_more(&view) != 0
    }

    /// Whether it is the last frame of its message.
    public var isLast: Bool { !hasMore }

    /// A copy of the bytes.
    public var array: [UInt8] {
        withBytes { bytes in bytes.withUnsafeBytes { Array($0) } }
    }

    /// Lends the bytes for the length of a call, without a copy of a large message.
    public func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // A small message's bytes are inside `view`, a large one's in the block that `self` keeps alive.
        // Both outlive the closure, and the span cannot leave it.
        var view = storage
        return try withUnsafeMutablePointer(to: &view) { pointer throws(Failure) in
            let bytes = UnsafeRawBufferPointer(start: zmq_msg_data(pointer), count: zmq_msg_size(pointer))
            return try body(bytes.bytes)
        }
    }
}

/// A ROUTER's identifier of one of its peers: 1 to 15 bytes, stored inline.
///
/// libzmq assigns 5 bytes, the first of them 0. A peer may choose a longer name, up to 255 bytes; this
/// type refuses those above ``limit``, so that a table of peers costs no allocation and hashes two words.
/// An identifier is valid only for its connection: a peer that reconnects gets another.
public struct RoutingID: Hashable, Sendable, CustomStringConvertible {
    /// The maximum number of bytes of a routing id.
    public static let limit = 15

    /// Bytes 0 to 7, the first in the lowest bits.
    private var head: UInt64 = 0

    /// Bytes 8 to 14 in the same order, and the number of bytes in the highest eight bits.
    private var tail: UInt64 = 0

    /// Copies the bytes of a ROUTER's first frame; nil for an empty frame or more than ``limit`` bytes.
    public init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count <= Self.limit, let id = Array(bytes).withUnsafeBytes(Self.init(frame:)) else {
            return nil
        }
        self = id
    }

    init?(frame bytes: UnsafeRawBufferPointer) {
        guard 1...Self.limit ~= bytes.count else { return nil }
        var words: (UInt64, UInt64) = (0, 0)
        // At most 15 of the 16 bytes of the two words, which live until this function returns.
        withUnsafeMutableBytes(of: &words) { $0.copyMemory(from: bytes) }
        (head, tail) = (UInt64(littleEndian: words.0), UInt64(littleEndian: words.1))
        tail |= UInt64(bytes.count) << 56
    }

    /// Creates an ID from the two words of ``words``.
    ///
    /// - Precondition: They came from ``words``.
    public init(words: (UInt64, UInt64)) {
        (head, tail) = words
        precondition((1...Self.limit).contains(count), "invalid words of a routing id")
    }

    /// The id as two words, for storage inside another value.
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

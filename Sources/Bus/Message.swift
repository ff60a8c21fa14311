internal import CZMQ

/// One frame, owned: its bytes are libzmq's and are neither copied on receipt nor when sent on.
///
/// Up to 33 bytes lie within the value; more lie in one block that copies share. Use ``Frames`` where a
/// message has several frames, and arrays where the bytes are made to be sent once.
///
/// `@unchecked Sendable`: a message has one owner at a time, and libzmq counts the owners of a shared
/// block atomically, so a message may go to another thread.
public struct Message: ~Copyable, @unchecked Sendable {
    /// libzmq's message, which Swift moves as bytes, as libzmq itself does (`msg_t::move`).
    var storage = zmq_msg_t()

    /// A message without bytes.
    public init() {
        zmq_msg_init(&storage)
    }

    /// A message with a copy of the bytes.
    public init(_ bytes: some Collection<UInt8>) {
        precondition(zmq_msg_init_size(&storage, bytes.count) == 0, "no memory for \(bytes.count) bytes")
        // libzmq just made this block of `count` bytes, and nobody else knows of it.
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
        // A small message's bytes lie within `view`, a large one's in the block that `self` keeps alive.
        // Both outlive the closure, and the span cannot leave it.
        var view = storage
        return try withUnsafeMutablePointer(to: &view) { pointer throws(Failure) in
            let bytes = UnsafeRawBufferPointer(start: zmq_msg_data(pointer), count: zmq_msg_size(pointer))
            return try body(bytes.bytes)
        }
    }
}

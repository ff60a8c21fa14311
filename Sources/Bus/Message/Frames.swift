internal import CZMQ

/// One message of up to ``limit`` frames, reused for each receive.
///
/// It cannot be copied, because libzmq's messages have one owner: a copy would have to duplicate them.
/// Frames up to 33 bytes need no memory of their own; larger ones keep libzmq's block until the next
/// message is received or ``removeAll()``.
///
/// `@unchecked Sendable`: the slots have one owner, this value, and libzmq's messages may go from thread to
/// thread.
public struct Frames: ~Copyable, @unchecked Sendable {
    /// The maximum number of frames of a message; a longer one is dropped.
    ///
    /// A high-water mark counts messages, and so does not bound the memory that endless frames take.
    public static let limit = 8

    /// `limit` messages of libzmq, and one to read what is dropped into; all are valid from `init` to
    /// `deinit`, and only methods of this type and of ``Socket`` reach them.
    private let slots: UnsafeMutablePointer<zmq_msg_t>

    /// The number of frames of the message, from 0 to ``limit``.
    public private(set) var count = 0

    /// An empty message.
    public init() {
        slots = .allocate(capacity: Self.limit + 1)
        slots.initialize(repeating: zmq_msg_t(), count: Self.limit + 1)
        for index in 0...Self.limit { zmq_msg_init(slots + index) }
    }

    deinit {
        for index in 0...Self.limit { zmq_msg_close(slots + index) }
        slots.deallocate()
    }

    /// The number of bytes of a frame.
    ///
    /// - Precondition: `index` is from 0 to less than ``count``.
    public func byteCount(at index: Int) -> Int { zmq_msg_size(slot(index)) }

    /// A copy of a frame's bytes.
    ///
    /// - Precondition: `index` is from 0 to less than ``count``.
    public func array(at index: Int) -> [UInt8] { Array(buffer(at: index)) }

    /// A copy of every frame's bytes, in order.
    public var arrays: [[UInt8]] { (0..<count).map { array(at: $0) } }

    /// A copy of a frame's bytes, as ``array(at:)``.
    public subscript(index: Int) -> [UInt8] { array(at: index) }

    /// Lends a frame's bytes for the length of a call, without copying them.
    ///
    /// - Precondition: `index` is from 0 to less than ``count``.
    public func withBytes<Result: ~Copyable, Failure: Error>(
        at index: Int, _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(buffer(at: index).bytes)
    }

    /// The frame as the routing id of a ROUTER's peer; nil when it has no bytes or above 15.
    ///
    /// - Precondition: `index` is from 0 to less than ``count``.
    public func routingID(at index: Int) -> RoutingID? { RoutingID(frame: buffer(at: index)) }

    /// The routing id that a ROUTER put first, before the frames are counted; nil when it is too long.
    var sender: RoutingID? {
        RoutingID(frame: UnsafeRawBufferPointer(start: zmq_msg_data(slots), count: zmq_msg_size(slots)))
    }

    /// Lends a frame as libzmq's message, so that it can be sent on; it is empty once sent.
    mutating func withFrame(at index: Int, _ body: (UnsafeMutablePointer<zmq_msg_t>) -> Int32) -> Int32 {
        body(slot(index))
    }

    /// A frame as libzmq's message, which must be neither kept nor changed.
    func message(at index: Int) -> UnsafeMutablePointer<zmq_msg_t> { slot(index) }

    /// Removes the message and frees its memory, but keeps the slots.
    public mutating func removeAll() { setCount(0) }

    /// Returns the slot for a frame of the next message; index ``limit`` is the slot for dropped frames.
    mutating func slotForReceiving(_ index: Int) -> UnsafeMutablePointer<zmq_msg_t> {
        precondition(0...Self.limit ~= index, "no slot for frame \(index)")
        return slots + index
    }

    /// Sets the number of slots with the new message, and empties those with more frames of the old one.
    mutating func setCount(_ newCount: Int) {
        for index in newCount..<max(newCount, count) {
            zmq_msg_close(slots + index)
            zmq_msg_init(slots + index)
        }
        count = newCount
    }

    /// Empties every slot, including the one for dropped frames.
    mutating func discard() {
        count = Self.limit + 1
        setCount(0)
    }

    private func slot(_ index: Int) -> UnsafeMutablePointer<zmq_msg_t> {
        precondition(0..<count ~= index, "frame \(index) of a message of \(count)")
        return slots + index
    }

    /// The bytes are in the slot or in its block; both stay unchanged while `self` is borrowed.
    private func buffer(at index: Int) -> UnsafeRawBufferPointer {
        let message = slot(index)
        return UnsafeRawBufferPointer(start: zmq_msg_data(message), count: zmq_msg_size(message))
    }
}

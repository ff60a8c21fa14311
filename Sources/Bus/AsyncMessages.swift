/// The messages of an ``AsyncSocket``, each as its frames.
///
/// Nothing is read ahead: what a reader has not asked for is the next one's. The sequence ends when the
/// socket is closed or its loop ends.
public struct AsyncMessages: AsyncSequence, Sendable {
    /// The frames of one message.
    public typealias Element = [[UInt8]]

    private let socket: AsyncSocket

    init(_ socket: AsyncSocket) {
        self.socket = socket
    }

    /// A reader's place, which is nothing but the socket.
    public func makeAsyncIterator() -> Iterator {
        Iterator(socket: socket)
    }

    /// Asks for one message after another.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let socket: AsyncSocket

        /// The next message; nil when the socket is closed.
        ///
        /// - Throws: `CancellationError`, `notSupported` for a kind that never receives, and `wrongState`
        ///   for a REQ without a request.
        public func next() async throws -> [[UInt8]]? {
            do {
                return try await socket.receive()
            } catch let error as BusError where error.code == .socketClosed {
                return nil
            }
        }
    }
}

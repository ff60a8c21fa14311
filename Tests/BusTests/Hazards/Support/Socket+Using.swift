import CZMQ

@testable import Bus

extension Socket {
    /// The next message that arrives while another socket is being used; nil if none arrives in time.
    ///
    /// libzmq completes what a connection needs of its socket, such as its subscriptions, only when that
    /// socket is used. Messages to the other one are dropped.
    func next(using other: Socket, within limit: Duration = .seconds(10)) throws -> [[UInt8]]? {
        let deadline = ContinuousClock.now + limit
        var frames = Frames()
        repeat {
            _ = try other.receive(into: &frames)
            if try receive(into: &frames) { return frames.arrays }
            var items = [self, other].map {
                zmq_pollitem_t(socket: $0.handle, fd: 0, events: Int16(ZMQ_POLLIN), revents: 0)
            }
            zmq_poll(&items, 2, Int((deadline - .now).wholeMilliseconds))
        } while ContinuousClock.now < deadline
        return nil
    }
}

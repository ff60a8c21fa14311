import Bus
import CBench
import CoreParts

/// Keeps a number of messages in flight until enough have returned.
final class LoadClient {
    private static let messagesPerTurn = 1_024

    private let loop: Loop
    private let socket: Socket
    private let payload = [UInt8](repeating: 1, count: Int(BENCH_BODY_BYTES))
    private let inFlight: Int
    private let messages: Int
    // Unchecked: one thread and one drain at a time use it, and the baseline has no checks either.
    @exclusivity(unchecked) private var frames = Frames()
    @exclusivity(unchecked) private var sent = 0
    /// The send time of each message in flight; they return in the order of sending.
    @exclusivity(unchecked) private var sentAt: [UInt64]
    @exclusivity(unchecked) private var began: UInt64 = 0
    /// The round-trip times, nanoseconds.
    @exclusivity(unchecked) private(set) var roundTrips: [UInt64] = []
    /// The time from the first sent message to the last returned one.
    private(set) var nanoseconds: UInt64 = 0

    /// Sends one message in advance, so that the connection exists before the measurement begins.
    init(loop: Loop, clients: Endpoint, inFlight: Int, messages: Int) throws {
        self.loop = loop
        self.inFlight = inFlight
        self.messages = messages
        sentAt = [UInt64](repeating: 0, count: inFlight)
        roundTrips.reserveCapacity(messages)
        socket = try Socket(.dealer, context: loop.context, options: .bench)
        try socket.connect(clients)
        guard try socket.send(payload) == .sent else { throw BenchFailure.noReply }
        loop.register(socket) { [self] in attempt(on: loop) { try drain() } }
    }

    private func drain() throws {
        for _ in 0..<Self.messagesPerTurn {
            guard try socket.receive(into: &frames) else { break }
            let now = bench_now()
            if began == 0 {
                began = now
            } else {
                roundTrips.append(now - sentAt[roundTrips.count % inFlight])
            }
        }
        guard roundTrips.count < messages else {
            nanoseconds = bench_now() - began
            return loop.stop()
        }
        while sent < messages, sent - roundTrips.count < inFlight {
            sentAt[sent % inFlight] = bench_now()
            guard try socket.send(payload) == .sent else { throw BenchFailure.noReply }
            sent += 1
        }
    }
}

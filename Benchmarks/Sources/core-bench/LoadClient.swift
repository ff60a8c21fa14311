import Bus
import CBench

/// Keeps a number of messages in flight until as many as wanted have come back.
final class LoadClient {
    private static let messagesPerTurn = 1_024

    private let loop: Loop
    private let socket: Socket
    private let payload = [UInt8](repeating: 1, count: Int(BENCH_BODY_BYTES))
    private let inFlight: Int
    private let messages: Int
    // Unchecked: one thread, one drain at a time, and the baseline checks nothing either.
    @exclusivity(unchecked) private var frames = Frames()
    @exclusivity(unchecked) private var sent = 0
    /// When each of those in flight left; they come back in the order in which they left.
    @exclusivity(unchecked) private var leftAt: [UInt64]
    @exclusivity(unchecked) private var began: UInt64 = 0
    /// The nanoseconds of each round trip.
    @exclusivity(unchecked) private(set) var roundTrips: [UInt64] = []
    /// From the first message sent to the last one back.
    private(set) var nanoseconds: UInt64 = 0

    /// Sends one message on its own, so that the connection stands before the clock runs.
    init(loop: Loop, clients: Endpoint, inFlight: Int, messages: Int) throws {
        self.loop = loop
        self.inFlight = inFlight
        self.messages = messages
        leftAt = [UInt64](repeating: 0, count: inFlight)
        roundTrips.reserveCapacity(messages)
        socket = try Socket(.dealer, context: loop.context, options: .bench)
        try socket.connect(clients)
        guard try socket.send(payload) == .sent else { throw BenchFailure.noAnswer }
        loop.register(socket) { [self] in attempt(on: loop) { try drain() } }
    }

    private func drain() throws {
        for _ in 0..<Self.messagesPerTurn {
            guard try socket.receive(into: &frames) else { break }
            let now = bench_now()
            if began == 0 {
                began = now
            } else {
                roundTrips.append(now - leftAt[roundTrips.count % inFlight])
            }
        }
        guard roundTrips.count < messages else {
            nanoseconds = bench_now() - began
            return loop.stop()
        }
        while sent < messages, sent - roundTrips.count < inFlight {
            leftAt[sent % inFlight] = bench_now()
            guard try socket.send(payload) == .sent else { throw BenchFailure.noAnswer }
            sent += 1
        }
    }
}

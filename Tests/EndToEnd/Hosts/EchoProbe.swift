import Bus
import TestSupport
import Testing

/// A client of `Support/echo.py`, which shows what the network does to a ZeroMQ connection.
final class EchoProbe {
    private static let clock = ContinuousClock()

    private let context: Context
    private let socket: Socket
    private var frames = Frames()
    private var number: UInt32 = 0

    init(to endpoint: Endpoint) throws {
        context = try Context()
        var options = SocketOptions.defaults(for: .dealer)
        options.receiveTimeout = .milliseconds(20)
        socket = try Socket(.dealer, context: context, options: options)
        try socket.connect(endpoint)
    }

    /// Closes it.
    func end() {
        socket.close()
        context.terminate()
    }

    /// Sends requests until one has a reply.
    ///
    /// A request that was sent while the connection was lost may never arrive, so there is one every 200 ms.
    ///
    /// - Returns: The time from the request to its reply, and from the call; nil after the time limit.
    func reply(within limit: Duration) throws -> (roundTrip: Duration, recovery: Duration)? {
        let start = Self.clock.now
        var sentAt: [UInt32: ContinuousClock.Instant] = [:]
        var nextAt = start
        while Self.clock.now - start < limit {
            if Self.clock.now >= nextAt {
                number += 1
                sentAt[number] = .now
                nextAt = .now + .milliseconds(200)
                _ = try socket.send([Self.bytes(of: number)])
            }
            guard let replied = try receive(), let sent = sentAt[replied] else { continue }
            return (.now - sent, .now - start)
        }
        return nil
    }

    /// The bits per second that arrive back, in millions, with up to 64 messages of 16 KiB under way.
    func megabitsPerSecond(messages: Int) throws -> Double {
        let payload = [UInt8](repeating: 7, count: 16_384)
        let start = Self.clock.now
        var (sent, received) = (0, 0)
        while received < messages {
            while sent < messages, sent - received < 64 {
                guard try socket.send([Self.bytes(of: UInt32.max), payload]) == .sent else { break }
                sent += 1
            }
            if try receive() == UInt32.max { received += 1 }
            try #require(Self.clock.now - start < .seconds(60), "\(received) of \(messages) are back")
        }
        return Double(messages * payload.count * 8) / ((Self.clock.now - start) / .microseconds(1))
    }

    /// The number of the next reply; nil if none comes soon.
    private func receive() throws -> UInt32? {
        guard try socket.receiveWaiting(into: &frames) else { return nil }
        return frames.array(at: 0).reduce(0) { $0 << 8 | UInt32($1) }
    }

    private static func bytes(of number: UInt32) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }
}

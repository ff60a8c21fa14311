import Bus
import CoreParts

/// Sends a hello to a broker, and echoes every message.
final class EchoDevice {
    private static let messagesPerTurn = 1_024

    private let socket: Socket

    /// Connects to the broker.
    init(loop: Loop, devices: Endpoint) throws {
        socket = try Socket(.dealer, context: loop.context, options: .bench)
        try socket.connect(devices)
        guard try socket.send([UInt8]()) == .sent else { throw BenchFailure.noReply }
        loop.register(socket) { [self] in attempt(on: loop) { try drain() } }
    }

    private func drain() throws {
        for _ in 0..<Self.messagesPerTurn {
            guard var message = try socket.receive() else { return }
            guard try socket.send(&message) == .sent else { throw BenchFailure.noReply }
        }
    }
}

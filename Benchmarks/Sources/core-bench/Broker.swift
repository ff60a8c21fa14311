import Bus
import CoreParts

/// Forwards messages between a client and a device, without decoding them.
final class Broker {
    private static let messagesPerTurn = 1_024

    private let loop: Loop
    private let clients: Socket
    private let devices: Socket
    private let whenGreeted: () -> Void
    private var client: RoutingID?
    private var device: RoutingID?
    /// Used by one drain at a time.
    @exclusivity(unchecked) private var frames = Frames()

    /// Binds both sockets; the device's first message is its hello.
    init(loop: Loop, clients: Endpoint, devices: Endpoint, whenGreeted: @escaping () -> Void) throws {
        self.loop = loop
        self.whenGreeted = whenGreeted
        self.clients = try Socket(.router, context: loop.context, options: .bench)
        self.devices = try Socket(.router, context: loop.context, options: .bench)
        try self.clients.bind(clients)
        try self.devices.bind(devices)
        loop.register(self.clients) { [self] in attempt(on: loop) { try passToDevice() } }
        loop.register(self.devices) { [self] in attempt(on: loop) { try passToClient() } }
    }

    private func passToDevice() throws {
        let device = device
        for _ in 0..<Self.messagesPerTurn {
            guard try clients.receive(into: &frames) else { return }
            client = frames.routingID(at: 0)
            guard let device, try devices.send(to: device, frame: 1, of: &frames) == .sent else {
                throw BenchFailure.noReply
            }
        }
    }

    private func passToClient() throws {
        for _ in 0..<Self.messagesPerTurn {
            guard try devices.receive(into: &frames) else { return }
            guard device != nil else {
                device = frames.routingID(at: 0)
                whenGreeted()
                continue
            }
            guard let client, try clients.send(to: client, frame: 1, of: &frames) == .sent else {
                throw BenchFailure.noReply
            }
        }
    }
}

/// Runs a closure on a loop, and stops the loop after an error.
func attempt(on loop: Loop, _ work: () throws -> Void) {
    do {
        try work()
    } catch {
        print("\(loop.name): \(error)")
        loop.stop()
    }
}

import FleetProtocol
import Glibc

/// A client's connection and the one to the server that was made for it.
final class RelayedConnection {
    /// One of the two sockets.
    private struct Side {
        /// Negative once it is closed.
        var descriptor: Int32
        /// Whether its peer has ended it.
        var hasEnded = false

        mutating func end(_ close: (Int32) -> Void) {
            if descriptor >= 0 { close(descriptor) }
            descriptor = -1
        }
    }

    /// The number of the port, from 0 on.
    let port: Int
    private var client: Side
    private var server: Side
    private var isConnecting = true
    /// Whether one side was closed without the other's knowledge, whose bytes are dropped.
    private var isHalfOpen = false
    private(set) var isOver = false
    private(set) var up: Flow
    private(set) var down: Flow

    init(client: Int32, server: Int32, port: Int, seed: UInt64) {
        self.client = Side(descriptor: client)
        self.server = Side(descriptor: server)
        self.port = port
        up = Flow(seed: SeededGenerator.mixed(seed))
        down = Flow(seed: SeededGenerator.mixed(seed &+ 1))
    }

    /// The time at which it acts without an event.
    var nextUs: Int64? {
        isConnecting || isHalfOpen ? nil : [up.nextUs, down.nextUs].compactMap(\.self).min()
    }

    /// Adds both sockets.
    func add(to descriptors: inout Descriptors, atUs now: Int64) {
        let ofClient = events(of: client, reading: up, writing: down, now)
        let ofServer = isConnecting ? POLLOUT : events(of: server, reading: down, writing: up, now)
        // The end of a connection is an event that poll always reports.
        descriptors.add(ofClient == 0 ? -1 : client.descriptor, ofClient)
        descriptors.add(ofServer == 0 ? -1 : server.descriptor, ofServer)
    }

    private func events(of side: Side, reading: Flow, writing: Flow, _ now: Int64) -> Int32 {
        guard !isHalfOpen else { return POLLIN }
        guard !isConnecting else { return 0 }
        return (reading.hasRoom && !side.hasEnded ? POLLIN : 0) | (writing.isReady(atUs: now) ? POLLOUT : 0)
    }

    /// Acts on the events of both sides.
    func handle(client clientEvents: Int32, server serverEvents: Int32, atUs now: Int64) {
        if isConnecting {
            guard serverEvents != 0 else { return }
            isConnecting = false
            if TCP.hasFailed(server.descriptor) { return end(TCP.reset) }
        }
        up.advance(toUs: now)
        down.advance(toUs: now)
        let isReadable = POLLIN | POLLHUP | POLLERR
        if clientEvents & isReadable != 0 { read(.up, now) }
        if serverEvents & isReadable != 0 { read(.down, now) }
        guard !isOver, !isHalfOpen else { return }
        write(.up, now)
        write(.down, now)
        endIfDrained()
    }

    private func read(_ direction: Direction, _ now: Int64) {
        let (side, flow) = direction == .up ? (client, up) : (server, down)
        guard side.descriptor >= 0, isHalfOpen || (flow.hasRoom && !side.hasEnded) else { return }
        var block = [UInt8](repeating: 0, count: 16_384)
        let count = recv(side.descriptor, &block, block.count, 0)
        switch (count, direction) {
        case (1..., _) where isHalfOpen: break
        case (1..., .up): up.take(block[..<count], atUs: now)
        case (1..., .down): down.take(block[..<count], atUs: now)
        case (0, _) where isHalfOpen: finish()
        case (0, .up): client.hasEnded = true
        case (0, .down): server.hasEnded = true
        default: if errno != EAGAIN { end(TCP.reset) }
        }
    }

    private func write(_ direction: Direction, _ now: Int64) {
        let (side, flow) = direction == .up ? (server, up) : (client, down)
        guard side.descriptor >= 0, flow.isReady(atUs: now) else { return }
        let chunk = flow.chunk()
        let count = chunk.withUnsafeBytes {
            send(side.descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        switch (count, direction) {
        case (1..., .up): up.wrote(count, atUs: now)
        case (1..., .down): down.wrote(count, atUs: now)
        default: if errno != EAGAIN { end(TCP.reset) }
        }
    }

    /// Closes both sides once the bytes before the end of one of them were written.
    private func endIfDrained() {
        if (up.isCut || client.hasEnded) && up.isEmpty || (down.isCut || server.hasEnded) && down.isEmpty {
            finish()
        }
    }

    /// Does what a command of that time demands.
    func apply(_ command: RelayCommand, atUs time: Int64) {
        switch command.action {
        case .reset: end(TCP.reset)
        case .halfOpen: halfOpen(closing: command.directions == [.down] ? .down : .up)
        case .pass, .stall, .truncate, .split, .duplicate, .reorder, .slow:
            if command.directions.contains(.up) { up.apply(command.action, atUs: time) }
            if command.directions.contains(.down) { down.apply(command.action, atUs: time) }
        }
    }

    private func halfOpen(closing direction: Direction) {
        guard !isConnecting, !isHalfOpen, !isOver else { return }
        isHalfOpen = true
        switch direction {
        case .up: server.end { close($0) }
        case .down: client.end { close($0) }
        }
    }

    /// Closes both sides.
    func finish() {
        end { close($0) }
    }

    private func end(_ close: (Int32) -> Void) {
        isOver = true
        client.end(close)
        server.end(close)
    }
}

import FleetProtocol
import Glibc

/// The listeners and connections of a relay.
struct RelayEngine {
    private let listeners: [Int32]
    private let servers: [TCP.Place]
    private let seed: UInt64
    private var connections: [RelayedConnection] = []
    /// The commands that apply to later connections too, with their times.
    private var lasting: [(command: RelayCommand, atUs: Int64)] = []
    private var input = CommandInput()
    private var connected = 0
    /// Connections that could not be made, and those that a command has reset.
    private var failed = 0
    private var reset = 0
    private var halfOpened = 0
    /// Of the connections that are over.
    private var counts = Flow.Counts()

    init(_ listeners: [Int32], servers: [TCP.Place], seed: UInt64) {
        (self.listeners, self.servers, self.seed) = (listeners, servers, seed)
    }

    /// Relays until the input ends.
    mutating func run() {
        var descriptors = Descriptors()
        while !input.isOver {
            let now = Descriptors.nowUs()
            descriptors.removeAll()
            descriptors.add(CommandInput.descriptor, POLLIN)
            for listener in listeners { descriptors.add(listener, POLLIN) }
            for connection in connections { connection.add(to: &descriptors, atUs: now) }
            descriptors.wait(untilUs: connections.lazy.compactMap(\.nextUs).min())
            handle(descriptors, atUs: Descriptors.nowUs())
        }
    }

    private mutating func handle(_ descriptors: Descriptors, atUs now: Int64) {
        let first = 1 + listeners.count
        for (index, connection) in connections.enumerated() {
            connection.handle(
                client: descriptors.events(at: first + 2 * index),
                server: descriptors.events(at: first + 2 * index + 1), atUs: now)
        }
        if descriptors.events(at: 0) != 0 { answer() }
        for connection in connections where connection.isOver {
            counts += connection.up.counts
            counts += connection.down.counts
        }
        connections.removeAll(where: \.isOver)
        for port in listeners.indices where descriptors.events(at: 1 + port) != 0 { accept(port, atUs: now) }
    }

    private mutating func accept(_ port: Int, atUs now: Int64) {
        while let client = TCP.accept(listeners[port]) {
            connected += 1
            guard let server = try? TCP.connecting(to: servers[port]) else {
                failed += 1
                TCP.reset(client)
                continue
            }
            let connection = RelayedConnection(
                client: client, server: server, port: port,
                seed: SeededGenerator.mixed(seed &+ UInt64(connected)))
            for one in lasting where one.command.port ?? port == port {
                connection.apply(one.command, atUs: one.atUs)
            }
            connections.append(connection)
        }
    }

    private mutating func answer() {
        var input = input
        input.answer { try perform($0) }
        self.input = input
    }

    /// The answer to `counts`, or to a command of ``RelayCommand``.
    private mutating func perform(_ words: [Substring]) throws -> String {
        if words == ["counts"] { return countsText }
        let command = try RelayCommand(words)
        let now = Descriptors.nowUs()
        if command == (try RelayCommand(["pass"])) { lasting = [] }
        if !command.action.isSingle { lasting.append((command, now)) }
        for connection in connections where command.port ?? connection.port == connection.port {
            if command.action == .reset { reset += 1 }
            if command.action == .halfOpen { halfOpened += 1 }
            connection.apply(command, atUs: now)
        }
        return "ok"
    }

    private var countsText: String {
        var sum = counts
        for connection in connections {
            sum += connection.up.counts
            sum += connection.down.counts
        }
        return "connected \(connected) open \(connections.count) failed \(failed) reset \(reset) "
            + "halfOpened \(halfOpened) frames \(sum.frames) truncated \(sum.truncated) "
            + "duplicated \(sum.duplicated) reordered \(sum.reordered)"
    }
}

import ArgumentParser

/// Relays TCP connections of a range of ports, and disturbs them.
struct Relay: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Relay TCP connections that carry ZMTP, and disturb them.")

    @Option(help: "The seed of all random choices.")
    var seed: UInt64 = 1

    @Option(help: "The first address to listen at, as HOST:PORT; port 0 is chosen by the system.")
    var listen: String

    @Option(help: "The server's first address, as HOST:PORT; the name is resolved for each connection.")
    var to: String

    @Option(help: "The number of ports.")
    var ports = 1

    func run() throws {
        let (first, server) = (try TCP.Place(listen), try TCP.Place(to))
        let listeners = try (0..<ports).map { try TCP.listener(at: first.later(by: $0)) }
        CommandInput.write("ready " + listeners.map { "\(TCP.port(of: $0))" }.joined(separator: " "))
        var engine = RelayEngine(listeners, servers: (0..<ports).map { server.later(by: $0) }, seed: seed)
        engine.run()
    }
}

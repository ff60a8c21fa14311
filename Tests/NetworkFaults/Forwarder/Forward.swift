import ArgumentParser

/// Forwards packets between interfaces.
struct Forward: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Create interfaces, one for each port, and forward packets between them.")

    @Option(help: "The seed of all random choices.")
    var seed: UInt64 = 1

    @Argument(help: "The names of the interfaces, from port 1 on.")
    var interfaces: [String]

    func run() throws {
        let devices = try interfaces.map { try TunDevice(named: $0) }
        var forwarder = Forwarder(devices, seed: seed)
        CommandInput.write("ready")
        forwarder.run()
    }
}

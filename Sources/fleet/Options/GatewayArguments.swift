import ArgumentParser
import ProcessSupport

/// The options for the gateway of a fleet.
struct GatewayArguments: ParsableArguments {
    @Option(
        name: .customLong("gateway-port"),
        help: ArgumentHelp(
            """
            The port of the page and Sensibo's API; an error if it is taken; 0 for any free port (default: \
            \(FleetGateway.port), or the next free one).
            """, valueName: "port"))
    var port: UInt16?

    @OptionGroup var reach: GatewayOptions

    @Flag(name: .customLong("no-gateway"), help: "Do not serve the page and Sensibo's API.")
    var isOmitted = false

    @Option(
        name: .customLong("build-gateway"),
        help: ArgumentHelp(
            "Run this shell command, and start the gateway after it; the rest of the fleet does not wait.",
            valueName: "command"))
    var build: String?

    func validate() throws {
        try require(build == nil || !isOmitted, "--build-gateway: leave --no-gateway out")
        try require(
            reach.arguments.isEmpty || !isOmitted, "\(reach.arguments[0]): leave --no-gateway out")
        try reach.check(port: port ?? FleetGateway.port, of: "--gateway-port")
    }

    /// The port of the gateway; nil without a gateway.
    var chosenPort: GatewayPort? { isOmitted ? nil : port.map(GatewayPort.fixed) ?? .standard }

    /// The options as arguments for `fleet supervise` in the same working directory.
    var arguments: [String] {
        let options = [("--build-gateway", build), ("--gateway-port", port.map { String($0) })]
        return options.flatMap { name, value in value.map { [name, $0] } ?? [] } + reach.arguments
            + (isOmitted ? ["--no-gateway"] : [])
    }
}

import FoundationEssentials
import ProcessSupport

/// Where the gateway of a fleet listens.
enum GatewayPort: Equatable, Sendable {
    /// At ``FleetGateway/port``, or at the next free port, which the run directory remembers.
    case standard
    /// At that port only; 0 stands for any free one, kept until the fleet ends.
    case fixed(UInt16)

    /// The options of `gateway serve` for it.
    var arguments: [String] {
        switch self {
        case .standard: ["--port", String(FleetGateway.port), "--or-free-port"]
        case .fixed(let port): ["--port", String(port)]
        }
    }
}

/// The gateway of a local fleet.
enum FleetGateway {
    /// The default port, unless another program listens there.
    static let port: UInt16 = 8_701

    /// Where it listens; nil where there is none, or its word cannot be read.
    static func url(in directory: RunDirectory) -> String? {
        do {
            return try directory.gatewayURL()
        } catch {
            return nil
        }
    }

    /// The port of a gateway's URL.
    static func port(of url: String) -> UInt16? {
        URLComponents(string: url)?.port.flatMap { UInt16(exactly: $0) }
    }

    /// Tells people where it listens.
    static func say(_ choice: GatewayPort?, from directory: RunDirectory, in surroundings: Surroundings) {
        guard let url = url(in: directory) else { return }
        surroundings.say("fleet: the page is at \(url), and Sensibo's API at \(url)api/v2")
        sayMove(choice, from: directory, in: surroundings)
    }

    /// Tells people why it does not listen at ``port``, where it had to move.
    static func sayMove(_ choice: GatewayPort?, from directory: RunDirectory, in surroundings: Surroundings) {
        guard choice == .standard, let url = url(in: directory),
            let actual = self.port(of: url), actual != port
        else { return }
        surroundings.say(
            "fleet: port \(port) was taken, so the gateway listens at port \(actual), here and at later starts"
        )
    }
}

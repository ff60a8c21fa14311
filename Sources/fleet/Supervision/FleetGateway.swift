import ProcessSupport
import UserText

/// The port on which the gateway of a fleet listens.
enum GatewayPort: Equatable, Sendable {
    /// ``FleetGateway/port``, or the next free port, which the run directory stores.
    case standard
    /// That port only; 0 stands for any free port, used until the fleet ends.
    case fixed(UInt16)

    /// The options of `gateway serve` for the port.
    var arguments: [String] {
        switch self {
        case .standard: ["--port", String(FleetGateway.port), "--or-free-port"]
        case .fixed(let port): ["--port", String(port)]
        }
    }
}

enum FleetGateway {
    /// The default port, unless another program listens there.
    static let port: UInt16 = 8_701

    /// Returns the gateway's URL; nil without a gateway, or if its URL file cannot be read.
    static func url(in directory: RunDirectory) -> String? {
        do {
            return try directory.gatewayURL()
        } catch {
            return nil
        }
    }

    /// Returns the port of a gateway's URL.
    static func port(of url: String) -> UInt16? {
        GatewayURL(url)?.port
    }

    /// Prints the URLs of the page and of the API.
    static func notify(_ choice: GatewayPort?, from directory: RunDirectory, in surroundings: Surroundings) {
        guard let url = url(in: directory) else { return }
        surroundings.notify("fleet: page at \(url), Sensibo's API at \(url)api/v2")
        notifyMove(choice, from: directory, in: surroundings)
    }

    /// Prints why the gateway listens on another port than ``port``.
    static func notifyMove(
        _ choice: GatewayPort?, from directory: RunDirectory, in surroundings: Surroundings
    ) {
        guard choice == .standard, let url = url(in: directory),
            let actual = self.port(of: url), actual != port
        else { return }
        surroundings.notify(
            "fleet: port \(port) was taken, so the gateway uses port \(actual), now and at later starts"
        )
    }
}

import CoreParts
import ProcessSupport

/// A messaging system with four hops, to be compared with others.
struct Peer: Sendable {
    /// Runs a number of messages, with a number in flight.
    typealias Run = @Sendable (_ inFlight: Int, _ messages: Int) async throws -> FourHops.Figures

    /// Its name in the table.
    let title: String
    /// The number of messages of a run with one in flight, and with more: about a second of each.
    var messages: (single: Int, many: Int) = (4_000, 40_000)
    /// Runs the system; nil if it is not installed.
    let run: Run?
}

extension Peer {
    static let bareIPC = "libzmq in C, ipc"
    static let bareTCP = "libzmq in C, tcp"
    static let mosquittoQoS0 = "mosquitto, QoS 0"

    /// Returns the name of a fleet in the table.
    static func title(of durability: Durability) -> String { "fleet, durability \(durability.rawValue)" }

    /// libzmq in C.
    static func bare(in directory: BenchDirectory) -> [Peer] {
        [(bareIPC, FourHops.Transport.ipc), (bareTCP, .tcp)].map { title, transport in
            Peer(title: title, messages: (4_000, 200_000)) { inFlight, messages in
                try FourHops(inFlight: inFlight, messages: messages).bare(over: transport, in: directory)
            }
        }
    }

    /// An MQTT broker without persistence.
    ///
    /// - Parameter port: The port of the server; nil if it is not installed.
    static func mosquitto(_ driver: PeerDriver, port: Int?) -> [Peer] {
        [
            Peer(title: mosquittoQoS0, run: driver.run("qos0", port)),
            Peer(title: "mosquitto, QoS 1", run: driver.run("qos1", port)),
        ]
    }

    /// A NATS server, with and without a stream in files.
    ///
    /// - Parameter port: The port of the server; nil if it is not installed.
    static func nats(_ driver: PeerDriver, port: Int?) -> [Peer] {
        [
            Peer(title: "nats-server, core", messages: (4_000, 200_000), run: driver.run("core", port)),
            Peer(title: "nats-server, JetStream in files", run: driver.run("stream", port)),
        ]
    }

    /// A fleet of real processes under `fleet load`; its messages are toggles.
    static func fleet(_ fleet: BenchFleet) -> Peer {
        Peer(title: title(of: fleet.durability)) { inFlight, _ in try await fleet.load(inFlight: inFlight) }
    }
}

import FleetClient
import FleetProtocol
import GatewayCore
import Glibc
import Runtime

/// The gateway's one connection to the supervisor, on the thread of the controller's client.
struct SupervisorLink: Sendable {
    private let directory: RunDirectory
    private let client: SupervisorClient

    /// The way to the supervisor of a run directory, where there may be none.
    ///
    /// - Throws: `RuntimeError` where its socket can have no place.
    init(in directory: RunDirectory, beside controller: FleetClient) throws(RuntimeError) {
        self.directory = directory
        client = SupervisorClient(at: try directory.endpoint(.supervisor), on: controller.loop)
    }

    /// Asks.
    ///
    /// - Parameter patience: The longest wait for the answer.
    /// - Returns: The answer; nil without a supervisor, or when no answer came in time.
    func ask(_ request: SupervisorRequest, patience: Duration) async -> SupervisorReply? {
        guard (try? directory.hasFile(of: .supervisor)) ?? false else { return nil }
        return try? await client.ask(request, patience: patience)
    }
}

/// The processes of the fleet, as its supervisor names them and the system measures them.
struct FleetProcesses: Sendable {
    /// How long the supervisor may take to answer.
    private static let patience: Duration = .milliseconds(500)

    let supervisor: SupervisorLink

    /// Each process, and what it takes; empty where nobody supervises the fleet.
    func measured() async -> [(process: FleetProcess, use: ProcessUse?)] {
        let reply = await supervisor.ask(.processes, patience: Self.patience)
        return (reply?.processes ?? []).map { ($0, $0.processID.flatMap(Self.use)) }
    }

    private static func use(of processID: Int32) -> ProcessUse? {
        guard let file = fopen("/proc/\(processID)/stat", "r") else { return nil }
        defer { fclose(file) }
        var bytes = [CChar](repeating: 0, count: 4_096)
        guard fgets(&bytes, Int32(bytes.count), file) != nil else { return nil }
        let line = String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return ProcessUse(
            stat: line, ticks: sysconf(Int32(_SC_CLK_TCK)), pageBytes: sysconf(Int32(_SC_PAGESIZE)))
    }
}

import FleetProtocol
import Glibc
import ProcessSupport

/// Reads the processor time of a fleet's controller and nodes.
struct FleetMeter: Sendable {
    private let processIDs: [Int32]

    /// A meter of the running processes of a fleet on this machine.
    ///
    /// - Throws: Errors of the request to its supervisor.
    init(of directory: RunDirectory) async throws {
        let reply = try await SupervisorAccess(directory: directory).ask(.processes)
        processIDs = (reply?.processes ?? [])
            .filter { $0.name == "controller" || $0.name.hasPrefix("node-") }.compactMap(\.processID)
    }

    /// The processor time of all threads of the processes; nil if the system does not report it.
    var used: Duration? {
        var sum: Duration = .zero
        for processID in processIDs {
            guard let used = Self.used(by: processID) else { return nil }
            sum += used
        }
        return processIDs.isEmpty ? nil : sum
    }

    private static func used(by processID: Int32) -> Duration? {
        var clock: clockid_t = 0
        var time = timespec()
        guard clock_getcpuclockid(processID, &clock) == 0, clock_gettime(clock, &time) == 0 else {
            return nil
        }
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}

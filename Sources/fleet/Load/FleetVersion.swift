import FleetProtocol
import ProcessSupport
import UserText

/// The version of the fleet under load: that of its controller's executable.
struct FleetVersion: Sendable {
    let surroundings: Surroundings

    /// The version of a fleet whose executables are beside `fleet`; nil if its controller prints none.
    func ofOwnFleet() async -> String? { await version(of: "\(surroundings.executableDirectory)/controller") }

    /// The version of a running fleet of this machine; nil for one on another machine.
    ///
    /// The executable is that of the process, which may be older than the file beside `fleet`.
    func ofFleet(in directory: RunDirectory) async -> String? {
        guard let reply = try? await SupervisorAccess(directory: directory).ask(.processes),
            let controller = reply.processes.first(where: { $0.name == "controller" })?.processID
        else { return nil }
        return await version(of: "/proc/\(controller)/exe")
    }

    private func version(of program: String) async -> String? {
        guard let versions = await Examination(surroundings: surroundings).versions(of: program),
            let release = versions["controller"], let wire = versions["protocol"]
        else { return nil }
        return ProgramVersion.summary(
            release: release, wire: wire, isDebugBuild: versions["build"] == "debug")
    }
}

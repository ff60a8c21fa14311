import Bus
import FleetProtocol
import Glibc
import LoadCore
import ProcessSupport
import UserText

extension LoadEnvironment {
    static func current(in surroundings: Surroundings) -> LoadEnvironment {
        var environment = LoadEnvironment(
            processor: processor, cores: Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))), kernel: kernel,
            libzmq: LibZMQ.version, loadAverage: loadAverage,
            startedAt: TimeText.iso8601(surroundings.now().wall))
        environment.command = (["fleet"] + surroundings.arguments).map(word).joined(separator: " ")
        environment.testerVersion = ProgramVersion.summary
        return environment
    }

    /// Returns a word of a command line as a shell reads it.
    private static func word(_ text: String) -> String {
        let isPlain =
            !text.isEmpty && text.allSatisfy { $0.isLetter || $0.isNumber || "-_./:,=%+@".contains($0) }
        return isPlain ? text : "'\(text.replacing("'", with: "'\\''"))'"
    }

    private static var processor: String {
        let lines = SystemFile.text(of: "/proc/cpuinfo").split(separator: "\n")
        let line = lines.first { $0.hasPrefix("model name") }
        return line?.split(separator: ":", maxSplits: 1).last.map { SafeText.of(String($0)) } ?? "unknown"
    }

    private static var kernel: String {
        let parts = SystemFile.text(of: "/proc/version").split(separator: " ")
        return parts.count > 2 ? "\(parts[0]) \(parts[2])" : "unknown"
    }

    private static var loadAverage: Double {
        let first = SystemFile.text(of: "/proc/loadavg").split(separator: " ").first
        return first.flatMap { Double($0) } ?? 0
    }
}

/// The version of the fleet under load: that of its controller's executable.
struct FleetVersion: Sendable {
    let surroundings: Surroundings

    /// The version of a fleet whose executables are beside `fleet`; nil if its controller prints none.
    func ofOwnFleet() async -> String? { await version(of: "\(surroundings.executableDirectory)/controller") }

    /// The version of a running fleet of this machine; nil for one on another machine. The executable is that
    /// of the process, which may be older than the file beside `fleet`.
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

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
        environment.command = ([Program.fleet.command] + surroundings.arguments).map(word)
            .joined(separator: " ")
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

extension Examination {
    /// The version of a fleet whose controller is a program; nil if that prints none.
    func fleetVersion(printedBy controller: String) async -> String? {
        guard let versions = await versions(of: controller),
            let release = versions["controller"], let wire = versions["protocol"]
        else { return nil }
        return ProgramVersion.summary(
            release: release, wire: wire, isDebugBuild: versions["build"] == "debug")
    }
}

/// Reads the resource use of one thread from files of `/proc` that stay open.
final class ThreadMeter {
    /// The maximum of bytes read of a file; each file has one line.
    private static let lineBytes = 1_024

    private let schedule: Int32
    private let state: Int32

    init() {
        schedule = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC)
        state = open("/proc/thread-self/stat", O_RDONLY | O_CLOEXEC)
    }

    deinit {
        for descriptor in [schedule, state] where descriptor >= 0 { close(descriptor) }
    }

    /// The use since the thread's start; nil if the system does not report it.
    var use: ThreadUse? { Self.use(schedule: Self.line(of: schedule), state: Self.line(of: state)) }

    /// Parses two lines; nil if they have another form.
    ///
    /// - Parameters:
    ///   - schedule: `schedstat`: nanoseconds on a processor, nanoseconds waiting for one, and turns.
    ///   - state: `stat` (proc_pid_stat(5)): after the name in parentheses, minor faults are the eighth field
    ///     and major ones the tenth.
    static func use(schedule: String, state: String) -> ThreadUse? {
        let times = schedule.split(separator: " ").compactMap { Double($0) }
        guard times.count >= 2, let nameEnd = state.lastIndex(of: ")") else { return nil }
        let fields = state[state.index(after: nameEnd)...].split(separator: " ")
        guard fields.count >= 10, let minor = Int(fields[7]), let major = Int(fields[9]) else { return nil }
        return ThreadUse(
            processorSeconds: times[0] / 1e9, waitedSeconds: times[1] / 1e9, pageFaults: minor + major)
    }

    private static func line(of descriptor: Int32) -> String {
        var bytes = [UInt8](repeating: 0, count: lineBytes)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
}

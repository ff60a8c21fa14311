import ArgumentParser
import FleetProtocol
import Glibc
import ProcessSupport
import UserText

struct UpCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "up", abstract: "Start a fleet and show it.",
        discussion: """
            In a terminal it shows the observer; press q or Ctrl-C twice to stop the fleet. \
            Otherwise it prints the observer's plain lines. With --detach it returns when every \
            device has come up, and the fleet runs until `fleet down`. A gateway serves a web \
            page and Sensibo's API, on this machine only; with --host and a certificate, on a network.

            EXAMPLES
              fleet up
              fleet up --devices 10000 --nodes 4 --scenario lively
              fleet up --detach --json
              fleet up --detach --exit-with 1234
              fleet up --host 0.0.0.0 --public-name fleet --tls-certificate chain.pem --tls-key key.pem
              fleet up --tls-name home.sensibo.com --gateway-port 443
            """)

    @OptionGroup var fleet: FleetOptions

    @Flag(name: .customLong("detach"), help: "Return when the fleet is ready; stop it with `fleet down`.")
    var detaches = false

    @OptionGroup var json: JSONOption

    var needsPrivileges: Bool { fleet.selfService.messages.outboxCommand != nil }

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        if detaches {
            return try await DetachedStart(
                arguments: try ["supervise"] + fleet.arguments + (json.isWanted ? ["--json"] : []),
                surroundings: surroundings
            ).run()
        }
        let directory = fleet.directory(in: surroundings)
        let plan = try fleet.plan.grown(by: directory.deviceRegister())
        let display: FleetPlan.Display =
            json.isWanted ? .json : surroundings.terminal.canDraw ? .screen : .plain
        let supervisor = Supervisor(
            plan: plan, directory: directory, display: display, surroundings: surroundings,
            companion: fleet.lifetime.processID,
            announce: { _ throws(CommandFailure) in
                surroundings.register(directory)
                DemoAccount.notify(from: directory, in: surroundings)
                FleetGateway.notify(plan.gateway?.port, from: directory, in: surroundings)
                plan.certificate(in: directory)?.notify(in: surroundings)
                NetworkFacts.notify(from: directory, in: surroundings)
                StorageProbe.notify(plan.durability, of: directory, in: surroundings)
            })
        try await supervisor.run()
        return .done
    }
}

struct DownCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "down", abstract: "Stop the fleet, and return when every process has ended.",
        discussion: """
            If no fleet is running, it reports that, and exits with 0. On a machine that has joined a fleet as \
            a node, it stops the node.

            EXAMPLES
              fleet down
              fleet down --run-dir /srv/demo/.sensibus
            """)

    private static let timeout: Duration = .seconds(5)
    private static let supervisor = "supervisor"
    /// The interval at which the lock is checked.
    private static let interval: Duration = .milliseconds(20)

    @OptionGroup var runDirectory: RunDirectoryOption

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let directory: RunDirectory
        do throws(CommandFailure) {
            directory = try surroundings.runDirectory(runDirectory)
        } catch {
            guard error.status == .absent else { throw error }
            surroundings.notify("fleet: nothing is running: \(error.problem)")
            return .done
        }
        let process = try self.process(of: directory)
        if try isFree(process, directory) {
            surroundings.notify("fleet: nothing is running in \(directory)")
            return .done
        }
        if process == Self.supervisor {
            _ = try await SupervisorAccess(directory: directory).ask(.endFleet)
        } else if let processID = LockTable.holder(of: directory.lockFile(for: process)) {
            kill(processID, SIGTERM)
        }
        let deadline = surroundings.now().monotonic.advanced(by: Self.timeout)
        while try !hasEnded(process, directory) {
            guard surroundings.now().monotonic < deadline else {
                throw try stillRunning(process, directory)
            }
            try await surroundings.pause(Self.interval)
        }
        surroundings.notify("fleet: stopped\(process == Self.supervisor ? "" : " \(process)")")
        return .done
    }

    /// The name of the process to stop: the supervisor, or a node that has joined a fleet elsewhere.
    private func process(of directory: RunDirectory) throws(RuntimeError) -> String {
        let membership = try NetworkMembership.read(from: NetworkMembership.file(in: directory))
        guard let rights = membership?.rights, rights.role == .node else { return Self.supervisor }
        return rights.name.text
    }

    /// Whether a process that had its lock has ended. A fleet in a temporary directory removes that with its
    /// files.
    private func hasEnded(_ process: String, _ directory: RunDirectory) throws -> Bool {
        guard access(directory.lockFile(for: process), F_OK) == 0 else {
            return access(directory.path, F_OK) != 0
        }
        return try isFree(process, directory)
    }

    private func isFree(_ process: String, _ directory: RunDirectory) throws -> Bool {
        do {
            try FileLock(path: directory.lockFile(for: process)).close()
            return true
        } catch RuntimeError.locked {
            return false
        } catch RuntimeError.system(_, _, ENOENT) {
            return true
        }
    }

    private func stillRunning(_ process: String, _ directory: RunDirectory) throws -> CommandFailure {
        CommandFailure(
            .undecided,
            "the \(process) of \(directory) did not stop within \(DurationText.text(Self.timeout))",
            advice: "`fleet status` shows what is left; its log is \(directory.logFile(of: process))")
    }
}

struct RestartCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "restart", abstract: "Restart one process of the fleet, or start one that died.",
        discussion: """
            Returns when the process is running. `fleet status` lists the names.

            EXAMPLES
              fleet restart node-1
              fleet restart controller
            """)

    /// The supervisor's timeout: 2 s until SIGKILL, and the rest for the start.
    private static let timeout: Duration = .seconds(5)

    @Argument(help: "controller, node-1, node-2, …", completion: .processes) var name: String
    @OptionGroup var runDirectory: RunDirectoryOption

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let directory = try surroundings.runDirectory(runDirectory)
        let supervisor = SupervisorAccess(directory: directory)
        guard let reply = try await supervisor.ask(.restart(name), timeout: Self.timeout) else {
            throw supervisor.silence
        }
        if let failure = reply.failure {
            let isKnown = reply.processes.contains { $0.name == name }
            throw CommandFailure(
                isKnown ? .refused : .usage,
                "\(SafeText.of(name)) was not restarted: \(SafeText.of(failure))",
                advice: "check `fleet status`")
        }
        let pid = reply.processes.first { $0.name == name }?.processID
        try surroundings.print("\(name) is running" + (pid.map { ", pid \($0)" } ?? ""))
        return .done
    }
}

/// `fleet supervise`, hidden: the background supervisor that `fleet up --detach` starts. Its output goes to
/// the parent process until the fleet is ready, and then to the supervisor's log.
struct SuperviseCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "supervise",
        abstract: "Run a fleet in the background; started by `fleet up --detach`.",
        discussion: """
            EXAMPLES
              fleet up --detach
            """,
        shouldDisplay: false)

    @OptionGroup var fleet: FleetOptions
    @OptionGroup var json: JSONOption

    var needsPrivileges: Bool { fleet.selfService.messages.outboxCommand != nil }

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let directory = fleet.directory(in: surroundings)
        let plan = try fleet.plan.grown(by: directory.deviceRegister())
        let supervisor = Supervisor(
            plan: plan, directory: directory, display: .none, surroundings: surroundings,
            companion: fleet.lifetime.processID,
            announce: { processes throws(CommandFailure) in
                surroundings.register(directory)
                DemoAccount.notify(from: directory, in: surroundings)
                FleetGateway.notifyMove(plan.gateway?.port, from: directory, in: surroundings)
                plan.certificate(in: directory)?.notify(in: surroundings)
                NetworkFacts.notify(from: directory, in: surroundings)
                StorageProbe.notify(plan.durability, of: directory, in: surroundings)
                let summary = ReadySummary(
                    plan: plan, directory: directory, processes: processes,
                    gatewayURL: FleetGateway.url(in: directory),
                    register: (try? directory.deviceRegister()) ?? DeviceRegister())
                try surroundings.print(json.isWanted ? summary.json.line : summary.text)
                try surroundings.terminal.redirectOutput(directory.logFile(of: "supervisor"))
                surroundings.notify("fleet: ready, supervisor pid \(surroundings.processID)")
            })
        try await supervisor.run()
        surroundings.notify("fleet: stopped")
        return .done
    }
}

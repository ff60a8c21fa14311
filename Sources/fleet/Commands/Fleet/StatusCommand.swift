import ArgumentParser
import FleetClient
import FleetProtocol
import ProcessSupport
import UserText

struct StatusCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show the state of the fleet: devices, load, page, accounts, storage and processes.",
        discussion: """
            Exits with 69 if no controller is running; the processes are shown in any case. With --watch it \
            repeats every 2 seconds until Ctrl-C, also while no controller is running.

            EXAMPLES
              fleet status
              fleet status --watch
              fleet status --json | jq .online
              fleet status --pid controller
            """)

    @Option(
        name: .customLong("pid"),
        help: .value("process", "Print only the process ID of this process, such as node-1."),
        completion: .processes)
    var process: String?

    @Flag(name: [.customShort("w"), .long], help: "Repeat every 2 seconds, until Ctrl-C.") var watch = false
    @OptionGroup var client: ClientOptions

    /// The interval of `--watch`.
    private static let interval: Duration = .seconds(2)
    /// The number of repetitions after which the fleet is examined again.
    private static let examinationInterval = 15

    var startsPrograms: Bool { !watch }

    func validate() throws { try require(!watch || process == nil, "--watch shows no process ID") }

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        if let process {
            try surroundings.print(String(try await processID(of: process, in: surroundings)))
            return .done
        }
        let access = try client.access(in: surroundings)
        if !client.json.isWanted, let membership = access.connection.membership,
            membership.rights.role == .node
        {
            try surroundings.print(Self.text(ofNode: membership, in: access.directory))
            return .done
        }
        guard watch else {
            let findings =
                client.json.isWanted ? nil : await Self.findings(in: access.directory, surroundings)
            let (summary, failure) = try await summary(through: access, findings)
            for line in client.json.isWanted ? [summary.json.line] : summary.lines {
                try surroundings.print(line)
            }
            if let failure { throw failure }
            return .done
        }
        try await surroundings.untilStopped { try await watch(through: access) }
        return .done
    }

    /// Shows the state again and again; in a terminal each one replaces the one before.
    private func watch(through access: ControllerAccess) async throws {
        let surroundings = access.surroundings
        let isDrawn = surroundings.terminal.canDraw && !client.json.isWanted
        var findings: [Finding]?
        for round in 0... {
            if !client.json.isWanted, round.isMultiple(of: Self.examinationInterval) {
                findings = await Self.findings(in: access.directory, surroundings)
            }
            let (summary, failure) = try await summary(through: access, findings)
            let lines = client.json.isWanted ? [summary.json.line] : summary.lines + [failure?.problem ?? ""]
            let text = lines.joined(separator: (isDrawn ? TerminalScreen.lineEnd : "") + "\n")
            try surroundings.print(isDrawn ? TerminalScreen.home + text + TerminalScreen.clearBelow : text)
            try await surroundings.pause(Self.interval)
        }
    }

    private static func findings(
        in directory: RunDirectory, _ surroundings: Surroundings
    ) async -> [Finding] {
        let examination = Examination(surroundings: surroundings)
        let machine = await examination.machine(for: directory)
        let fleet = await examination.fleet(in: directory)
        return Checkup.findings(machine, fleet).filter { $0.level != .ok }
    }

    /// Asks the supervisor and the controller; the failure is that of the controller.
    private func summary(
        through access: ControllerAccess, _ findings: [Finding]?
    ) async throws -> (summary: StatusSummary, failure: CommandFailure?) {
        let reply = try await SupervisorAccess(directory: access.directory).ask(.processes)
        let processes = reply?.processes
        let listening = try access.directory.networkAddress()
        let isOnNetwork = listening != nil || access.connection.membership != nil
        let failure: CommandFailure?
        let report: StatusReport?
        var nodes: [CounterReport.Node] = []
        do {
            // A supervisor restarts a dead controller within 2 s; without one, a longer wait is useless.
            let timeout: Duration = processes == nil ? .milliseconds(500) : .seconds(2)
            (report, nodes) = try await access.withSession { client in
                let report = try await client.status(timeout: timeout)
                guard isOnNetwork else { return (report, []) }
                return (report, try await client.counterReport(timeout: timeout).nodes)
            }
            failure = nil
        } catch let error where error is CommandFailure || error is FleetError || error is RuntimeError {
            (report, failure) = (nil, CommandFailure(of: error))
        }
        let summary = StatusSummary(
            report: report, nodes: nodes, processes: processes, fleet: reply?.fleet,
            place: FleetLocation(of: access.directory, running: processes),
            connection: access.connection, listening: listening,
            silentSupervisor: reply == nil
                ? LockTable.holder(of: access.directory.lockFile(for: "supervisor")) : nil,
            details: StatusDetails(
                of: access.directory, session: try? access.session, findings: findings))
        return (summary, failure)
    }

    /// A node may not ask for the devices of its fleet.
    private static func text(ofNode membership: NetworkMembership, in directory: RunDirectory) -> String {
        let name = membership.rights.name
        let state =
            LockTable.holder(of: directory.lockFile(for: name.text)).map { "runs, pid \($0)" }
            ?? "is not running: start it with `device-sim run`"
        return
            "\(name) \(state)\nnode of the fleet at \(membership.address): see `fleet status` on its machine"
    }

    private func processID(of name: String, in surroundings: Surroundings) async throws -> Int32 {
        let supervisor = SupervisorAccess(directory: try surroundings.runDirectory(client.runDirectory))
        guard let reply = try await supervisor.ask(.processes) else { throw supervisor.silence }
        guard let process = reply.processes.first(where: { $0.name == name }) else {
            let names = reply.processes.map(\.name).joined(separator: ", ")
            throw CommandFailure(.usage, "no process \"\(SafeText.of(name))\"", advice: "processes: \(names)")
        }
        guard let processID = process.processID else {
            throw CommandFailure(
                .absent, "\(name) is not running: it is \(process.state.name)",
                advice: "start it with `fleet restart \(name)`")
        }
        return processID
    }
}

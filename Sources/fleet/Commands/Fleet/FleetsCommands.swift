import ArgumentParser
import FleetProtocol
import Glibc
import ProcessSupport
import Subprocess
import SystemPackage
import UserText

struct FleetsCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "ls", abstract: "List the fleets that you have started on this machine.",
        discussion: """
            Running and stopped fleets are listed, wherever their run directory is; a fleet whose run directory \
            was removed is not.

            EXAMPLES
              fleet ls
              fleet ls --json | jq -r 'select(.state == "running") | .runDir'
            """)

    @Option(name: [.customShort("o"), .long], help: "The format: table or json.")
    var output: ListFormat = .table

    @OptionGroup var json: JSONOption

    enum ListFormat: String, CaseIterable, ExpressibleByArgument {
        case table, json
    }

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let list = CommandOutput.list(
            await surroundings.fleets?.look() ?? [], StartedFleet.columns, json: \.json,
            absence: "fleet: no fleets; start one with `fleet up`")
        return try await surroundings.show(list, asJSON: json.isWanted || output == .json)
    }
}

struct OpenCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "open", abstract: "Open the fleet's page in a browser.",
        discussion: """
            Without a desktop or a browser it prints the URL. The page asks for the user and the password that \
            `fleet status` shows.

            EXAMPLES
              fleet open --print
              fleet open
            """)

    @Flag(name: .customLong("print"), help: "Only print the URL.") var onlyPrints = false
    @OptionGroup var runDirectory: RunDirectoryOption

    var startsPrograms: Bool { true }

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let directory = try surroundings.runDirectory(runDirectory)
        let supervisor = SupervisorAccess(directory: directory)
        guard let reply = try await supervisor.ask(.processes) else { throw supervisor.silence }
        let hasGateway = reply.processes.contains { $0.name == "gateway" }
        guard let page = FleetLocation(of: directory, running: reply.processes).page else {
            throw CommandFailure(
                .absent, "the fleet in \(directory) has no page",
                advice: hasGateway
                    ? "its gateway is not ready: see `fleet status`" : "start it without --no-gateway")
        }
        guard !onlyPrints, let program = Self.opener(in: surroundings.environment) else {
            try surroundings.print(page)
            return .done
        }
        let result = try await Subprocess.run(
            .path(FilePath(program)), arguments: [page], platformOptions: .stopping(within: .seconds(1)),
            input: .none, output: .discarded, error: .discarded)
        guard result.terminationStatus.isSuccess else {
            try surroundings.print(page)
            return .done
        }
        surroundings.notify("fleet: opened \(page)")
        return .done
    }

    /// Returns the program that opens a URL on the desktop; nil without a desktop or such a program.
    static func opener(in environment: [String: String]) -> String? {
        let hasDesktop = ["DISPLAY", "WAYLAND_DISPLAY"].contains { environment[$0] != nil }
        guard hasDesktop else { return nil }
        let directories = (environment["PATH"] ?? "").split(separator: ":").filter { $0.hasPrefix("/") }
        return directories.map { "\($0)/xdg-open" }.first { access($0, X_OK) == 0 }
    }
}

struct ResetCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset",
        abstract: "Remove the state of a stopped fleet: requests, accounts and devices' memory.",
        discussion: """
            It removes the journal, the store with its accounts, the devices' memory and the sessions. The logs \
            and the keys of other machines stay. It asks first, and refuses while the fleet runs.

            With --running, a running test server begins again within milliseconds, without a question: states, \
            history, faults and clock are as at its start, and its keys stay.

            EXAMPLES
              fleet reset
              fleet reset --yes --run-dir /srv/demo/.sensibus
              fleet reset --running --run-dir /tmp/sensibus-test-1
            """)

    @Flag(name: .customLong("running"), help: "Let a running test server begin again.")
    var isRunning = false

    @OptionGroup var confirmation: ConfirmationOption
    @OptionGroup var runDirectory: RunDirectoryOption

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let directory = try surroundings.ownFleet(runDirectory)
        if isRunning { return try await beginAgain(in: directory, surroundings) }
        try ConfirmationOption.requireStopped(directory)
        guard try FleetRemoval.hasState(in: directory) else {
            surroundings.notify("fleet: \(directory) has no state to remove")
            return .done
        }
        guard
            confirmation.permits(
                "remove all requests, accounts, sessions and the devices' memory in \(directory)?",
                in: surroundings)
        else { return .refused }
        try FleetRemoval.reset(directory)
        surroundings.notify("fleet: reset \(directory); `fleet up` starts a new fleet there")
        return .done
    }

    /// The longest wait, in which a server may let a day of its scenario pass.
    private static let timeout: Duration = .seconds(30)

    private func beginAgain(
        in directory: RunDirectory, _ surroundings: Surroundings
    ) async throws -> ExitStatus {
        let server = SupervisorAccess(directory: directory)
        // A killed server leaves its socket.
        guard LockTable.holder(of: directory.lockFile(for: "supervisor")) != nil,
            let reply = try await server.ask(.reset, timeout: Self.timeout)
        else { throw server.silence }
        if let failure = reply.failure {
            throw CommandFailure(
                .refused, "nothing was reset: \(SafeText.of(failure))",
                advice: "stop a fleet with `fleet down`, and then use `fleet reset`")
        }
        surroundings.notify("fleet: \(directory) is as at its start")
        return .done
    }
}

struct PruneCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "prune", abstract: "Remove the run directories of all your stopped fleets.",
        discussion: """
            It removes the files of the fleets that `fleet ls` shows as stopped, also their logs, and then \
            their run directories. A run directory with other files stays, with these files. It lists the \
            directories, and asks first.

            EXAMPLES
              fleet prune
            """)

    @OptionGroup var confirmation: ConfirmationOption

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let registry = surroundings.fleets
        let stopped = await registry?.look().filter(\.isStoppedFleet).map(\.directory) ?? []
        guard let registry, !stopped.isEmpty else {
            surroundings.notify("fleet: no stopped fleets")
            return .done
        }
        for directory in stopped { try surroundings.print(directory.path) }
        let many = Count.of(stopped.count, "stopped fleet")
        guard
            confirmation.permits("remove the run directories of \(many), listed above?", in: surroundings)
        else { return .refused }
        for directory in stopped {
            let others = try FleetRemoval.remove(directory)
            try registry.remove(directory)
            guard !others.isEmpty else { continue }
            surroundings.notify("fleet: \(directory) stays with other files: \(Self.list(others))")
        }
        surroundings.notify("fleet: removed \(many)")
        return .done
    }
}

extension PruneCommand {
    private static let namesAtMost = 5

    /// Returns the names of files, and the number of those that do not fit.
    static func list(_ names: [String]) -> String {
        let more = names.count - namesAtMost
        let rest = more > 0 ? ["\(more) more"] : []
        return (names.prefix(namesAtMost).map { SafeText.of($0) } + rest).joined(separator: ", ")
    }
}

struct ConfirmationOption: ParsableArguments {
    @Flag(name: .customLong("yes"), help: "Do not ask for confirmation.") var isGiven = false

    /// Returns whether the user confirms, and otherwise reports that nothing was changed.
    func permits(_ question: String, in surroundings: Surroundings) -> Bool {
        guard !isGiven else { return true }
        surroundings.notify("fleet: \(question) y or n")
        let answer = surroundings.terminal.readLine()?.lowercased()
        guard answer == "y" || answer == "yes" else {
            surroundings.notify("fleet: nothing was changed; confirm with y, or with --yes")
            return false
        }
        return true
    }

    static func requireStopped(_ directory: RunDirectory) throws(CommandFailure) {
        for process in ["supervisor", "controller"] {
            guard let holder = LockTable.holder(of: directory.lockFile(for: process)) else { continue }
            throw CommandFailure(
                .refused, "the fleet in \(directory) is running: its \(process) has pid \(holder)",
                advice: "stop it with `fleet down`")
        }
    }
}

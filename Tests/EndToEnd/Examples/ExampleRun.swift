import Foundation
import Testing

/// Runs examples as a user would.
final class ExampleRun {
    private let lab: Lab
    private let shell: ExampleShell
    private let names: Treatment.Names
    /// The shell variables that earlier lines of the group have set, as assignments.
    private var variables = ""
    private var directories = 0

    /// The directory of a fleet with sign-up and the scenario `mixed`.
    private var openFleet: String { "\(lab.directory)/open" }

    init(_ lab: Lab, repository: String) throws {
        self.lab = lab
        shell = ExampleShell(lab: lab)
        let url = try lab.text("gateway-url")
        let gateway = url.filter { !$0.isWhitespace }
        names = Treatment.Names(
            repository: repository, directory: lab.directory,
            gateway: gateway.hasSuffix("/") ? String(gateway.dropLast()) : gateway)
    }

    /// Prepares what examples read: a password, posts of the numbers shown, and a file of commands.
    func prepare(commandQueue: String) async throws {
        try Data(commandQueue.utf8).write(to: URL(filePath: "\(lab.directory)/evening.yaml"))
        try await must("cp .sensibus/demo-password password.txt")
        try await must("for post in $(seq 12); do fleet post write \"Post $post\"; done")
        try await must("mkdir open && cp password.txt open")
        try await must(
            """
            cd open && fleet up --detach --devices 30 --scenario mixed --no-gateway \
              --allow-signup --outbox outbox --listen tcp://127.0.0.1:\(Self.port)
            """)
    }

    /// The first of five ports that are free on a machine without another run of these tests.
    private static let port = 17_600 + 5 * (Int(ProcessInfo.processInfo.processIdentifier) % 1_000)

    /// Stops the fleet that ``prepare(commandQueue:)`` started.
    func finish() async throws { _ = try await shell.run("fleet down", in: openFleet) }

    /// Runs the lines of a group that belong to a phase.
    func type(_ group: ExampleGroup, phase: Treatment.Phase) async throws {
        variables = ""
        var isDisturbed = false
        for line in group.lines {
            let treatment = Treatment(line, names, requestID: Lab.requestID)
            guard treatment.phase == phase else { continue }
            if phase == .running { try await logIn() }
            try await type(treatment, for: "\(group.origin): \(line)")
            isDisturbed = isDisturbed || treatment.disturbs
        }
        if isDisturbed { try await mend(after: group) }
    }

    private func type(_ treatment: Treatment, for example: String) async throws {
        let directory = try directory(of: treatment.place)
        if let id = treatment.commandQueue {
            let start = "fleet queue --demo \"Studio 1\" --id \(id)"
            _ = try await shell.interrupt(start, .holds("fleet queue show \(id)"), in: directory)
        }
        for line in treatment.before { _ = try await shell.run(line, in: directory) }
        let ended = try await run(treatment, in: directory)
        #expect(
            treatment.statuses.contains(ended.status),
            """
            \(example)
            typed as: \(treatment.line)
            status \(ended.status): \(ended.talk) \(ended.output.suffix(500))
            """)
        for line in treatment.after { _ = try await shell.run(line, in: directory) }
    }

    private func run(_ treatment: Treatment, in directory: String) async throws -> Lab.Ended {
        let line = treatment.line
        guard let interruption = treatment.interruption else {
            return try await assigning(line, in: directory)
        }
        guard treatment.place == .controller else {
            return try await shell.interrupt(line, interruption, in: directory)
        }
        let (shell, ended) = (shell, Box<Lab.Ended>())
        _ = try await shell.interrupt("controller serve", .prints("serving"), in: directory) {
            ended.value = try await shell.interrupt(line, interruption, in: directory)
        }
        return try #require(ended.value)
    }

    /// Runs a line; later lines of the group can use a variable that it sets.
    private func assigning(_ line: String, in directory: String) async throws -> Lab.Ended {
        let name = line.prefix { $0.isLetter }
        guard line.dropFirst(name.count).hasPrefix("=$(") else {
            return try await shell.run(variables + line, in: directory)
        }
        let ended = try await shell.run("\(line) && printf %s \"$\(name)\"", in: directory)
        variables += "\(name)='\(ended.output)'\n"
        return ended
    }

    private func directory(of place: Treatment.Place) throws -> String {
        switch place {
        case .fleet: return lab.directory
        case .openFleet: return openFleet
        case .emptyDirectory, .controller:
            directories += 1
            let path = "\(lab.directory)/\(directories)"
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            return path
        }
    }

    private func must(_ line: String) async throws {
        let ended = try await shell.run(line, in: lab.directory)
        try #require(ended.status == 0, "\(line): \(ended.talk)")
    }

    /// Logs in again if an example has ended the session.
    private func logIn() async throws {
        guard !FileManager.default.fileExists(atPath: lab.file("session.json")) else { return }
        try await must("fleet login demo@sensibus.local --password-stdin < .sensibus/demo-password")
    }

    /// Restores the default fleet: 100 devices, online, in the scenario `quiet`.
    private func mend(after group: ExampleGroup) async throws {
        try await logIn()
        let lines = "fleet scenario quiet && fleet scale 100 && fleet heal"
        let ended = try await shell.run(lines, in: lab.directory)
        let origin = "\(group.origin): \(group.lines.last ?? "")"
        #expect(ended.status == 0, "after \(origin): \(ended.talk)")
        try await lab.eventually("all devices are online after \(origin)", within: .seconds(20)) {
            let status = try await lab.status()
            return status.devices == 100 && status.online == 100
        }
    }
}

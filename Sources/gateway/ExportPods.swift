import ArgumentParser
import FleetProtocol
import GatewayCore
import ProcessSupport
import UserText

/// `gateway export-pods`: the pods of a running fleet as a file that `--pods` accepts.
struct ExportPods: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export-pods", abstract: "Write the pods of a running fleet to a file for --pods.",
        discussion: """
            The file is the answer of Sensibo's API to users/me/pods?fields=*, for the account of the last \
            log-in. It has the names, IDs and states of the devices, and no secrets of the fleet.

            EXAMPLES
              fleet pods export
              fleet pods export --output home.json
            """)

    private static let timeout: Duration = .seconds(10)

    @Option(
        help: ArgumentHelp(
            "The file to write, which must not exist (default: standard output).", valueName: "file"))
    var output: String?

    @OptionGroup var runDirectory: RunDirectoryOption

    func run() async throws {
        do {
            let directory = try FleetLink.directory(of: runDirectory)
            let session = try StoredSession.read(from: directory.sessionFile)
            let clock = SystemClock()
            try await FleetLink.withFleet(of: directory, runDirectory, clock: { clock.now() }) { fleet, _ in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { await fleet.replicas.run() }
                    try write(try await pods(of: session, in: fleet, at: clock))
                    group.cancelAll()
                }
            }
        } catch let error as RuntimeError {
            let advice = if case .noFleet = error { ": \(ShellAdvice.noFleet)" } else { "" }
            try Serve.end(printing: "\(error)" + advice, code: 69)
        }
    }

    private func pods(
        of session: StoredSession, in fleet: FleetLink, at clock: SystemClock
    ) async throws -> [UInt8] {
        let cell = await fleet.cells.cell(of: session.cell)
        guard let client = await fleet.cells.client(of: cell),
            let replica = await fleet.replicas.replica(
                of: session.account, in: cell, as: session.credentials, with: client),
            await replica.isWhole(within: Self.timeout)
        else { try Serve.end(printing: "the fleet does not answer: check `fleet status`", code: 69) }
        await replica.waitForPast(within: Self.timeout)
        let contents = await replica.contents
        let answer = APIResponse.pods(
            Pod.all(of: contents.replica, contents.history), of: session.account, at: contents.sites,
            fields: .all, now: PodTime(clock.now().wall))
        await fleet.replicas.end()
        return answer.body
    }

    private func write(_ pods: [UInt8]) throws {
        guard let output else {
            return try TextOutput.standardOutput.writeLine(String(decoding: pods, as: UTF8.self))
        }
        try PrivateFile(path: output).claim()
        try PrivateFile(path: output).replace(with: pods)
    }
}

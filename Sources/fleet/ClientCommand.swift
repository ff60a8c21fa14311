import ArgumentParser
import ProcessSupport
import UserText

/// The options of commands that ask the controller: the user, the run directory and the output format.
struct ClientOptions: ParsableArguments {
    @OptionGroup var user: UserOption
    @OptionGroup var runDirectory: RunDirectoryOption
    @OptionGroup var json: JSONOption
}

/// A command that asks the controller, and prints the answer for people or for scripts.
protocol ClientCommand: FleetCommand {
    /// The run directory and the output format.
    var client: ClientOptions { get }

    /// Checks the arguments, before the command looks for the fleet.
    ///
    /// - Throws: As ``FleetCommand/run(in:)``.
    func checkArguments() throws

    /// Asks the controller, and returns what to print.
    ///
    /// - Throws: As ``FleetCommand/run(in:)``.
    func output(from access: ControllerAccess) async throws -> CommandOutput
}

extension ClientCommand {
    func checkArguments() throws {}

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        try checkArguments()
        let access = try ControllerAccess(client.runDirectory, as: client.user, in: surroundings)
        let output = try await output(from: access)
        let lines = client.json.isWanted ? output.json().map(\.line) : output.lines()
        do {
            for line in lines { try surroundings.print(line) }
        } catch {
            if let revoke = output.revoke { surroundings.notify("fleet: \(try await revoke())") }
            throw error
        }
        if !client.json.isWanted, let remark = output.remark { surroundings.notify(remark) }
        for warning in output.warnings { surroundings.notify("fleet: \(warning)") }
        return output.status
    }
}

/// The output of a command, for people and for scripts; only the requested one of both is computed.
struct CommandOutput {
    /// The JSON values for scripts, one a line.
    let json: () -> [JSONObject]
    let lines: () -> [String]
    /// A remark for people on standard error, after the lines.
    var remark: String?
    /// Messages for everyone on standard error, last.
    var warnings: [String] = []
    var status = ExitStatus.done
    /// Revokes the secret that the output shows once, if it cannot be printed; returns a remark.
    var revoke: (() async throws -> String)?

    /// An output of several values.
    init(
        json: @escaping @autoclosure () -> [JSONObject], lines: @escaping @autoclosure () -> [String],
        remark: String? = nil
    ) {
        (self.json, self.lines, self.remark) = (json, lines, remark)
    }

    /// An output of one value, and the same in words.
    init(
        _ json: @escaping @autoclosure () -> JSONObject, _ text: @escaping @autoclosure () -> String,
        warnings: [String] = [], status: ExitStatus = .done
    ) {
        (self.json, lines) = ({ [json()] }, { [text()] })
        (self.warnings, self.status) = (warnings, status)
    }

    /// An output without any value, and a remark that says why.
    static func nothing(remark: String) -> CommandOutput {
        CommandOutput(json: [], lines: [], remark: remark)
    }
}

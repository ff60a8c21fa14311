import ArgumentParser
import ProcessSupport
import UserText

struct ClientOptions: ParsableArguments {
    @OptionGroup var user: UserOption
    @OptionGroup var runDirectory: RunDirectoryOption
    @OptionGroup var json: JSONOption

    func access(in surroundings: Surroundings) throws(CommandFailure) -> ControllerAccess {
        try ControllerAccess(runDirectory, as: user, in: surroundings)
    }
}

/// A command that asks the controller, and prints the answer for people or for scripts.
protocol ClientCommand: FleetCommand {
    var client: ClientOptions { get }

    /// Checks the arguments, before the command looks for the fleet.
    func checkArguments() throws

    func output(from access: ControllerAccess) async throws -> CommandOutput
}

extension ClientCommand {
    func checkArguments() throws {}

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        try checkArguments()
        let access = try client.access(in: surroundings)
        return try await surroundings.show(output(from: access), asJSON: client.json.isWanted)
    }
}

extension Surroundings {
    func show(_ output: CommandOutput, asJSON isJSON: Bool) async throws -> ExitStatus {
        do {
            for line in isJSON ? output.json().map(\.line) : output.lines() { try terminal.print(line) }
        } catch {
            if let revoke = output.revoke { notify("fleet: \(try await revoke())") }
            throw error
        }
        if !isJSON, let remark = output.remark { notify(remark) }
        for warning in output.warnings { notify("fleet: \(warning)") }
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

    init(
        json: @escaping @autoclosure () -> [JSONObject], lines: @escaping @autoclosure () -> [String],
        remark: String? = nil
    ) {
        (self.json, self.lines, self.remark) = (json, lines, remark)
    }

    init(
        _ json: @escaping @autoclosure () -> JSONObject, _ text: @escaping @autoclosure () -> String,
        warnings: [String] = [], status: ExitStatus = .done
    ) {
        (self.json, lines) = ({ [json()] }, { [text()] })
        (self.warnings, self.status) = (warnings, status)
    }

    /// A table for people, and an object of each value for scripts. An empty list has the remark; without
    /// one, its headings.
    static func list<Value>(
        _ values: [Value], _ columns: [TextTable.Column<Value>], json: @escaping (Value) -> JSONObject,
        absence: String? = nil, remark: String? = nil
    ) -> CommandOutput {
        guard !values.isEmpty || absence == nil else {
            return CommandOutput(json: [], lines: [], remark: absence)
        }
        return CommandOutput(
            json: values.map(json), lines: TextTable(of: values, columns).lines, remark: remark)
    }
}

import ArgumentParser
import ProcessSupport

/// A command that is another program, so that an installation needs one name in the `PATH`.
protocol ProgramCommand: ParsableCommand {
    static var program: Program { get }
    static var example: String { get }
    var arguments: [String] { get }
}

extension ProgramCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: program.rawValue, abstract: program.abstract,
            discussion: """
                Runs the program `\(program.rawValue)` with all further arguments; --help is one of them.

                EXAMPLES
                  fleet \(program.rawValue) \(example)
                """)
    }

    func run() throws { try Self.program.replaceProcess(with: arguments) }
}

struct TestServerProgram: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test-server",
        abstract: "Serve Sensibo's API from a fleet of its own, for a test run.",
        discussion: """
            Runs `gateway test-server` with all arguments; --help is one of them. Prints the address and a key of the \
            API, and ends with the process that started it.

            EXAMPLES
              fleet test-server --json
              fleet test-server --devices 3 --at 2026-03-29T00:30:00Z
            """)

    @Argument(parsing: .captureForPassthrough, help: "The server's arguments.") var arguments: [String] = []

    func run() throws { try Program.gateway.replaceProcess(with: ["test-server"] + arguments) }
}

struct PodsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pods", abstract: "Write the pods of a running fleet as Sensibo's API shows them.",
        discussion: """
            `fleet up --pods` starts a fleet with such a file.

            EXAMPLES
              fleet pods export --output pods.json
            """,
        subcommands: [PodsExportProgram.self])
}

struct PodsExportProgram: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Write the pods of a running fleet to a file for --pods.",
        discussion: """
            Runs `gateway export-pods` with all arguments; --help is one of them. Without --output it prints the \
            pods.

            EXAMPLES
              fleet pods export | jq -r '.result[].room.name'
            """)

    @Argument(parsing: .captureForPassthrough, help: "The program's arguments.") var arguments: [String] = []

    func run() throws { try Program.gateway.replaceProcess(with: ["export-pods"] + arguments) }
}

struct ObserverProgram: ProgramCommand {
    static let program = Program.observer
    static let example = "--json"

    @Argument(parsing: .captureForPassthrough, help: "The program's arguments.") var arguments: [String] = []
}

struct GatewayProgram: ProgramCommand {
    static let program = Program.gateway
    static let example = "serve --port 8080"

    @Argument(parsing: .captureForPassthrough, help: "The program's arguments.") var arguments: [String] = []
}

struct ControllerProgram: ProgramCommand {
    static let program = Program.controller
    static let example = "serve --run-dir /tmp/lab"

    @Argument(parsing: .captureForPassthrough, help: "The program's arguments.") var arguments: [String] = []
}

struct DeviceSimProgram: ProgramCommand {
    static let program = Program.deviceSim
    static let example = "explain --scenario office-day"

    @Argument(parsing: .captureForPassthrough, help: "The program's arguments.") var arguments: [String] = []
}

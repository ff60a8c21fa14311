import ArgumentParser
import Logging
import Runtime

/// `controller back-up`: copies store and journal, also while a controller serves them.
struct BackUp: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "back-up",
        abstract: "Copies store and journal into another directory, also while they are in use.",
        discussion: """
            `fleet backup` runs it, and adds the rest of the run directory: use that.

            EXAMPLES
              controller back-up --run-dir /tmp/lab --to /tmp/copy
            """)

    @Option(help: "The run directory, with the store and the journal.")
    var runDir = RunDirectory.defaultName

    @Option(help: ArgumentHelp("The directory of the copies, which has to exist.", valueName: "directory"))
    var to: String

    func run() throws {
        try Hardening.apply(environment: Environment.current)
        try Hardening.forbidNewPrivileges()
        let directory = RunDirectory(path: runDir)
        let target = RunDirectory(path: to)
        try directory.check()
        try target.check()
        try StorageBackup(of: directory, in: target).make()
    }
}

import ArgumentParser
import Runtime
import Wording

/// `fleet restore`: puts a backup in the place of a run directory.
struct RestoreCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Make a run directory out of a backup; no fleet may run there.",
        discussion: """
            Each file is checked first, and one that is missing or damaged is named. Then \
            `fleet up` starts with the state of the backup. Later changes are undone: users who \
            were removed are back, and so are keys that were revoked. A request that the backup \
            does not know is refused as idTooOld if its ID is older than that start, so no \
            request runs twice.

            EXAMPLES
              fleet restore /srv/backups/monday
              fleet restore monday --run-dir /srv/demo/.sensibus
              fleet restore monday --replace
            """)

    @Argument(help: ArgumentHelp("The directory of the backup.", valueName: "directory"))
    var source: String

    @Flag(help: "Where the run directory has files in it, move it to another name.")
    var replace = false

    @Option(
        name: .customLong("run-dir"),
        help: ArgumentHelp(
            "The run directory to be made (default: SENSIBUS_RUN_DIR, else .sensibus here).",
            valueName: "directory"))
    var runDirectory: String?

    @OptionGroup var json: JSONOption

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let source = RunDirectory(path: source, relativeTo: surroundings.workingDirectory)
        let named = RunDirectory.named(runDirectory, environment: surroundings.environment)
        let target = RunDirectory(
            path: named ?? RunDirectory.defaultName, relativeTo: surroundings.workingDirectory)
        let reader = BackupReader(source: source, target: target, surroundings: surroundings)
        let restored = try reader.restore(replacing: replace)
        if json.isWanted {
            surroundings.print(restored.manifest.line(in: target).line)
        } else {
            surroundings.print(
                "restored \(target) from the backup of \(restored.manifest.madeAt); start it with `fleet up`")
        }
        if let former = restored.former { surroundings.say("fleet: the former run directory is \(former)") }
        return .done
    }
}

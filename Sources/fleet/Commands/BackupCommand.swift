import ArgumentParser
import Runtime
import Wording

/// `fleet backup`: copies the stored state of a fleet, also while it runs.
struct BackupCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copy all stored state of the fleet into a new directory, also while it runs.",
        discussion: """
            The copy has users, sessions and keys, requests and their outcomes, logbooks, \
            sites, rosters and sequences, and the memory of every device, but no logs. It \
            answers every request that had ended before the backup began. It holds secrets, \
            and only you can read it. Do not copy the files of a run directory yourself: such a \
            copy may be refused, or run requests twice.

            EXAMPLES
              fleet backup /srv/backups/monday
              fleet backup monday --json
            """)

    @Argument(help: ArgumentHelp("A directory that does not exist yet, or is empty.", valueName: "directory"))
    var target: String

    @OptionGroup var runDirectory: RunDirectoryOption
    @OptionGroup var json: JSONOption

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let source = try surroundings.runDirectory(runDirectory)
        let target = RunDirectory(path: target, relativeTo: surroundings.workingDirectory)
        let manifest = try await BackupWriter(source: source, target: target, surroundings: surroundings)
            .make()
        surroundings.print(
            json.isWanted
                ? manifest.line(in: target).line
                : "\(target): \(Count.of(manifest.files.count, "file")), \(manifest.bytes) bytes, "
                    + "of \(manifest.madeAt)")
        return .done
    }
}

extension BackupManifest {
    /// A line for scripts.
    func line(in directory: RunDirectory) -> JSONValue {
        [
            "directory": .string(directory.path), "madeAt": .string(madeAt),
            "files": .unsigned(UInt64(files.count)), "bytes": .unsigned(UInt64(bytes)),
        ]
    }
}

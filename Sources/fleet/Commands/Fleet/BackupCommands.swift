import ArgumentParser
import ProcessSupport
import UserText

struct BackupCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copy all stored state of the fleet into a new directory, also while it runs.",
        discussion: """
            The backup has users, sessions and keys, requests and their outcomes, logbooks, \
            sites, rosters and command queues, and the memory of every device, but no logs. It has the \
            outcome of every request that ended before the backup began. It holds secrets, \
            and only you can read it. Do not copy the files of a run directory yourself: such a \
            copy may be refused, or run requests twice.

            EXAMPLES
              fleet backup /srv/backups/monday
              fleet backup monday --json
            """)

    @Argument(help: .value("directory", "A directory that does not exist yet, or is empty."))
    var target: String

    @OptionGroup var runDirectory: RunDirectoryOption
    @OptionGroup var json: JSONOption

    var startsPrograms: Bool { true }

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let source = try surroundings.runDirectory(runDirectory)
        let target = RunDirectory(path: target, relativeTo: surroundings.workingDirectory)
        let manifest = try await BackupWriter(source: source, target: target, surroundings: surroundings)
            .make()
        try surroundings.print(
            json.isWanted
                ? manifest.line(in: target).line
                : "\(target): \(Count.of(manifest.files.count, "file")), \(manifest.bytes) bytes, "
                    + "of \(manifest.madeAt)")
        return .done
    }
}

extension BackupManifest {
    func line(in directory: RunDirectory) -> JSONObject {
        ["directory": directory.path, "madeAt": madeAt, "files": files.count, "bytes": bytes]
    }
}

struct RestoreCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Create a run directory from a backup; no fleet may run there.",
        discussion: """
            The command first checks each file, and names one that is missing or damaged. Then \
            `fleet up` starts with the state of the backup. Later changes are lost: removed users \
            and revoked keys become valid again. A request that the backup does not have is \
            refused as idTooOld if its ID is older than that start, so no request runs twice.

            EXAMPLES
              fleet restore /srv/backups/monday
              fleet restore monday --run-dir /srv/demo/.sensibus
              fleet restore monday --replace
            """)

    @Argument(help: .value("directory", "The directory of the backup.")) var source: String
    @Flag(help: "Rename an existing run directory that has files.") var replace = false

    @Option(
        name: .customLong("run-dir"),
        help: .value(
            "directory", "The run directory to create (default: SENSIBUS_RUN_DIR, else .sensibus here)."))
    var runDirectory: String?

    @OptionGroup var json: JSONOption

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let source = RunDirectory(path: source, relativeTo: surroundings.workingDirectory)
        let target = surroundings.runDirectory(named: runDirectory)
        let reader = BackupReader(source: source, target: target, surroundings: surroundings)
        let restored = try reader.restore(replacing: replace)
        if json.isWanted {
            try surroundings.print(restored.manifest.line(in: target).line)
        } else {
            try surroundings.print(
                "restored \(target) from the backup of \(restored.manifest.madeAt); "
                    + Program.worded("start it with `fleet up`"))
        }
        if let former = restored.former {
            surroundings.notify("fleet: the former run directory is \(former)")
        }
        return .done
    }
}

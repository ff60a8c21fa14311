public import ArgumentParser

/// The options that select a fleet: by its run directory, on another machine, or among cells.
///
/// They are one group, because the argument parser checks groups within groups again and again in a debug
/// build.
public struct RunDirectoryOption: ParsableArguments, Sendable {
    /// The run directory; nil for that of the environment, or the nearest one.
    @Option(
        name: .customLong("run-dir"),
        help: ArgumentHelp(
            "The fleet's run directory (default: SENSIBUS_RUN_DIR, else .sensibus here or above).",
            valueName: "directory"), completion: .directory)
    public var path: String?

    @Option(
        help: ArgumentHelp(
            "The address of a fleet on another machine (default: SENSIBUS_CONNECT, else the key file's).",
            valueName: "tcp://HOST:PORT"),
        transform: { try NetworkAddress($0) })
    var connect: NetworkAddress?

    @Option(
        help: ArgumentHelp(
            """
            The key of this machine, as `fleet join` or `fleet key generate` wrote it (default: \
            SENSIBUS_KEY_FILE, else membership.json in the run directory).
            """, valueName: "file"))
    var keyFile: String?

    @Option(
        name: .customLong("cells"),
        help: ArgumentHelp(
            "The file that lists all cells (default: SENSIBUS_CELLS, else that of the run directory).",
            valueName: "file"))
    var cellList: String?

    /// No options: the environment and the working directory decide.
    public init() {}

    /// The choice of a fleet on another machine.
    public var network: NetworkOptions { NetworkOptions(connect: connect, keyFile: keyFile) }

    /// The choice of cells.
    public var cells: CellOptions { CellOptions(cells: cellList) }
}

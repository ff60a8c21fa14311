import ArgumentParser

/// Which fleet is meant.
struct RunDirectoryOption: ParsableArguments {
    @Option(
        name: .customLong("run-dir"),
        help: ArgumentHelp(
            "The fleet's run directory (default: SENSIBUS_RUN_DIR, else .sensibus here or above).",
            valueName: "directory"))
    var path: String?
}

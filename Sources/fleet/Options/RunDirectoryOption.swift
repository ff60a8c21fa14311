import ArgumentParser

/// Which fleet is meant.
struct RunDirectoryOption: ParsableArguments {
    @Option(
        name: .customLong("run-dir"),
        help: ArgumentHelp(
            "The fleet's run directory.",
            discussion: "Otherwise SENSIBUS_RUN_DIR, or .sensibus here or in the nearest directory above.",
            valueName: "directory"))
    var path: String?
}

import ArgumentParser

/// Where the results of a load go besides the terminal.
struct LoadFiles: ParsableArguments {
    @Option(help: ArgumentHelp("Write the result as JSON; - for standard output.", valueName: "file"))
    var json: String?

    @Option(help: ArgumentHelp("Write the latencies for HdrHistogram's tools.", valueName: "file"))
    var hgrm: String?

    @Option(help: ArgumentHelp("Write a page with plots.", valueName: "file")) var html: String?

    @Option(help: ArgumentHelp("Hold the result against an earlier one's JSON.", valueName: "file"))
    var compare: String?
}

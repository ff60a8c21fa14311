import ArgumentParser

/// Whether results are for scripts.
struct JSONOption: ParsableArguments {
    @Flag(name: .customLong("json"), help: "Print results as JSON, one object a line.")
    var isWanted = false
}

import ArgumentParser

/// The options for the export of the table.
struct ExportOptions: ParsableArguments {
    @Flag(help: "In exported CSV, put ' before texts that spreadsheets take for formulas.")
    var csvSafe = false
}

public import ArgumentParser
public import UserText

/// The flag for CSV that is opened with a spreadsheet.
public struct CSVOptions: ParsableArguments, Sendable {
    @Flag(help: "In CSV, put ' before texts that spreadsheets take for formulas.")
    public var csvSafe = false

    /// Without the flag.
    public init() {}

    /// How records are written.
    public var text: CSVText { CSVText(isSafe: csvSafe) }
}

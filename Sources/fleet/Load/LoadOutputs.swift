import FoundationEssentials
import LoadCore
import ProcessSupport

/// The outputs of a load, and the earlier report that it is compared with.
struct LoadOutputs: Sendable {
    /// Whether the JSON goes to standard output; the text for people then goes to standard error.
    let isJSONPrinted: Bool

    private let json: OutputFile?
    private let hgrm: OutputFile?
    private let html: OutputFile?
    private let csv: OutputFile?
    private let compare: OutputFile?
    /// The directory with the executables of another version to compare with; nil without one.
    let baseline: String?

    /// The outputs that the options name.
    init(_ files: LoadFiles, in surroundings: Surroundings) {
        func file(_ name: String?) -> OutputFile? { name.map { OutputFile($0, in: surroundings) } }
        isJSONPrinted = files.json == "-"
        json = isJSONPrinted ? nil : file(files.json)
        hgrm = file(files.hgrm)
        html = file(files.html)
        csv = file(files.csv)
        let named = file(files.compare)
        let isDirectory = named.flatMap { FileStatus(following: $0.path) }?.isDirectory ?? false
        (compare, baseline) = isDirectory ? (nil, named?.path) : (named, nil)
    }

    /// Checks that each file can be written, before the measurement.
    ///
    /// - Throws: `CommandFailure` for the first file that cannot be written.
    func check() throws(CommandFailure) {
        for file in [json, hgrm, html, csv].compactMap(\.self) { try file.check() }
    }

    /// Reads the earlier report to compare with; nil without `--compare`.
    ///
    /// - Throws: `CommandFailure` if it cannot be read.
    func earlier() throws(CommandFailure) -> LoadReport? {
        guard let compare else { return nil }
        let text: String
        do {
            text = try String(contentsOfFile: compare.path, encoding: .utf8)
        } catch {
            throw CommandFailure(
                .usage, "\(compare.name): no such file, or not readable",
                advice: "an earlier `fleet load --json \(compare.name)` writes it")
        }
        do {
            return try LoadReport(json: text)
        } catch {
            throw CommandFailure(.usage, "\(compare.name): \(error)")
        }
    }

    /// Writes every file that was named.
    ///
    /// - Throws: `CommandFailure` for the first file that cannot be written.
    func write(
        _ report: LoadReport, percentileFile: String, comparison: LoadComparison?
    ) throws(CommandFailure) {
        try json?.replace(with: report.json + "\n")
        try hgrm?.replace(with: percentileFile)
        try html?.replace(with: HTMLReport(report, comparison: comparison).text)
        try csv?.replace(with: SecondsCSV(of: report).text)
    }
}

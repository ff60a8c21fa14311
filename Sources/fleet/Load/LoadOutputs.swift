import FoundationEssentials
import LoadCore

/// What a load is held against, and where what it found goes.
struct LoadOutputs: Sendable {
    /// Whether the JSON goes to standard output; then words for people go to standard error.
    let isJSONPrinted: Bool

    private let json: OutputFile?
    private let hgrm: OutputFile?
    private let html: OutputFile?
    private let compare: OutputFile?

    /// The outputs that the options name.
    init(_ files: LoadFiles, in surroundings: Surroundings) {
        func file(_ name: String?) -> OutputFile? { name.map { OutputFile($0, in: surroundings) } }
        isJSONPrinted = files.json == "-"
        json = isJSONPrinted ? nil : file(files.json)
        hgrm = file(files.hgrm)
        html = file(files.html)
        compare = file(files.compare)
    }

    /// Finds out whether each file could be written, before anything is measured.
    ///
    /// - Throws: `CommandFailure` for the first that could not.
    func check() throws(CommandFailure) {
        for file in [json, hgrm, html].compactMap(\.self) { try file.check() }
    }

    /// The earlier report that this one is to be held against; nil when there is to be none.
    ///
    /// - Throws: `CommandFailure` when it cannot be read.
    func earlier() throws(CommandFailure) -> LoadReport? {
        guard let compare else { return nil }
        let text: String
        do {
            text = try String(contentsOfFile: compare.path, encoding: .utf8)
        } catch {
            throw CommandFailure(.usage, "cannot read \(compare.name)", advice: "look whether it is there")
        }
        do {
            return try LoadReport(json: text)
        } catch {
            throw CommandFailure(.usage, "\(compare.name): \(error)")
        }
    }

    /// Writes every file that was named.
    ///
    /// - Throws: `CommandFailure` for the first that cannot be written.
    func write(
        _ report: LoadReport, percentileFile: String, comparison: LoadComparison?
    ) throws(CommandFailure) {
        try json?.replace(with: report.json + "\n")
        try hgrm?.replace(with: percentileFile)
        try html?.replace(with: HTMLReport(report, comparison: comparison).text)
    }
}

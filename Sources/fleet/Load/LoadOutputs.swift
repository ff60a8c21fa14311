import ArgumentParser
import FoundationEssentials
import Glibc
import LoadCore
import ProcessSupport

struct LoadFiles: ParsableArguments {
    @Option(help: .value("file", "Write the result as JSON; - for standard output.")) var json: String?
    @Option(help: .value("file", "Write the latencies for HdrHistogram's tools.")) var hgrm: String?
    @Option(help: .value("file", "Write an HTML page with plots.")) var html: String?
    @Option(help: .value("file", "Write a CSV row for each second: counts and percentiles.")) var csv: String?

    @Option(
        name: [.customLong("metrics-file"), .customLong("openmetrics")],
        help: .value(
            "file",
            "Write metrics each second, in Prometheus' text format, for node_exporter's textfile collector."))
    var metricsFile: String?

    @Option(
        help: .value("url", "Push metrics every five seconds and at the end, with PUT, to a Pushgateway."),
        transform: { text in try valid { try PushURL(text) } })
    var metricsPush: PushURL?

    @Option(
        help: .value(
            "file|directory",
            "Compare with the JSON of an earlier result; or with another version, whose executables are in this "
                + "directory: its runs alternate with those of this version."))
    var compare: String?

    func export(in surroundings: Surroundings) -> LoadExport {
        LoadExport(
            file: metricsFile.map { OutputFile($0, in: surroundings) },
            push: metricsPush.map { MetricsPushProcess(url: $0, surroundings: surroundings) },
            in: surroundings)
    }
}

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
    func check() throws(CommandFailure) {
        for file in [json, hgrm, html, csv].compactMap(\.self) { try file.check() }
    }

    /// Reads the earlier report to compare with; nil without `--compare`.
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

    func write(
        _ report: LoadReport, percentileFile: String, comparison: LoadComparison?
    ) throws(CommandFailure) {
        try json?.replace(with: report.json + "\n")
        try hgrm?.replace(with: percentileFile)
        try html?.replace(with: HTMLReport(report, comparison: comparison).text)
        try csv?.replace(with: SecondsCSV(of: report).text)
    }
}

/// An output file: checked before the work, and replaced atomically.
struct OutputFile: Sendable {
    let name: String
    let path: String

    init(_ name: String, in surroundings: Surroundings) {
        self.name = name
        path = surroundings.path(of: name)
    }

    private var draft: String { "\(path).\(getpid()).new" }

    /// Checks that the file can be written, before the work.
    func check() throws(CommandFailure) {
        if FileStatus(following: path)?.isRegularFile == false {
            throw CommandFailure(.usage, "\(name) cannot be replaced: it is not a regular file")
        }
        close(try openDraft())
        unlink(draft)
    }

    /// Replaces the file: a reader sees the former content or the whole new text, and the former after an
    /// error.
    func replace(with text: String) throws(CommandFailure) {
        let descriptor = try openDraft()
        var rest = Array(text.utf8)
        while !rest.isEmpty {
            let count = uninterrupted { write(descriptor, rest, rest.count) }
            guard count >= 0 else { break }
            rest.removeFirst(count)
        }
        let failure = rest.isEmpty ? 0 : errno
        guard close(descriptor) == 0, failure == 0, rename(draft, path) == 0 else {
            let number = failure == 0 ? errno : failure
            unlink(draft)
            throw CommandFailure(
                .refused, "cannot write \(name) (errno \(number))", advice: "free space there")
        }
    }

    private func openDraft() throws(CommandFailure) -> Int32 {
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else {
            throw CommandFailure(
                .usage, "cannot write \(name) (errno \(errno))",
                advice: "create its directory, or change its permissions")
        }
        return descriptor
    }
}

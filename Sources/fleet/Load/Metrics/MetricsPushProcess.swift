import Glibc
import LoadCore
import Subprocess
import SystemPackage
import UserText

/// The process `http-load push`, which pushes metrics over HTTP.
struct MetricsPushProcess: Sendable {
    /// The address.
    let url: PushURL
    /// The environment of the command.
    let surroundings: Surroundings

    private var program: String { HTTPLoadProcess.program(in: surroundings) }

    /// Checks that the program can be run.
    ///
    /// - Throws: `CommandFailure` if it is missing.
    func check() throws(CommandFailure) { try HTTPLoadProcess.check(in: surroundings) }

    /// Pushes texts until their stream ends, and reports the problem of each, nil for none.
    func run(feeding texts: AsyncStream<String>, _ report: @escaping @Sendable (String?) -> Void) async {
        do {
            try await push(texts, report)
        } catch {
            report("\(error)")
        }
    }

    private func push(
        _ texts: AsyncStream<String>, _ report: @escaping @Sendable (String?) -> Void
    ) async throws {
        _ = try await Subprocess.run(
            .path(FilePath(program)), arguments: ["push", "--url", url.description],
            platformOptions: HTTPLoadProcess.options, input: .inputWriter, output: .sequence,
            error: .currentStandardError
        ) { execution in
            let writer = execution.standardInputWriter
            var lines = execution.standardOutput.strings(
                bufferingPolicy: .maxLineLength(HTTPLoadLine.limit)
            )
            .makeAsyncIterator()
            for await text in texts {
                _ = try await writer.write(HTTPLoadLine.of(MetricsPushOrder(text: text)))
                guard let line = try await lines.next() else { return report("http-load has ended") }
                let ended = try HTTPLoadLine.decode(MetricsPushReport.self, from: Array(line.utf8))
                report(ended.problem.map { SafeText.of($0) })
            }
        }
    }
}

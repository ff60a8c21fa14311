import LoadCore
import Subprocess
import UserText

/// The process `http-load push`, which pushes metrics over HTTP.
struct MetricsPushProcess: Sendable {
    let url: PushURL
    let surroundings: Surroundings

    /// Checks that the program can be run.
    ///
    /// - Throws: `CommandFailure` if it is missing.
    func check() throws(CommandFailure) { try HTTPLoadProgram(in: surroundings).check() }

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
        try await HTTPLoadProgram(in: surroundings).run(["push", "--url", url.description]) {
            process, lines in
            let writer = process.standardInputWriter
            for await text in texts {
                _ = try await writer.write(HTTPLoadLine.of(MetricsPushOrder(text: text)))
                guard let line = try await lines.next() else { return report("http-load has ended") }
                let ended = try HTTPLoadLine.decode(MetricsPushReport.self, from: Array(line.utf8))
                report(ended.problem.map { SafeText.of($0) })
            }
        }
    }
}

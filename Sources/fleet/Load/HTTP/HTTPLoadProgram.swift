import Glibc
import LoadCore
import Subprocess
import SystemPackage
import UserText

/// The program `http-load`, which has the libraries for HTTP and TLS, so that `fleet` is built without them.
struct HTTPLoadProgram: Sendable {
    typealias Process = Execution<CustomWriteInput, SequenceOutput, FileDescriptorOutput>
    typealias Lines = SubprocessOutputSequence.StringSequence<UTF8>.AsyncIterator

    /// The signals that end a process.
    static let options = PlatformOptions.stopping(within: .milliseconds(300))

    private let path: String

    /// The program beside `fleet`.
    init(in surroundings: Surroundings) { path = "\(surroundings.executableDirectory)/http-load" }

    /// Checks that the program can be run, before anything is started.
    ///
    /// - Throws: `CommandFailure` if it is missing.
    func check() throws(CommandFailure) {
        guard access(path, X_OK) == 0 else {
            throw CommandFailure(
                .absent, "\(path) is missing, or cannot be run",
                advice: "`make build` builds it with the gateway: the programs must be beside `fleet`")
        }
    }

    /// Runs the program, and ends it if the body or its task ends first.
    ///
    /// - Parameter body: Takes the process and the lines of its standard output.
    /// - Throws: Errors of the process and of the body.
    func run<Result: Sendable>(
        _ arguments: Arguments = [], _ body: (Process, inout Lines) async throws -> Result
    ) async throws -> Result {
        try await Subprocess.run(
            .path(FilePath(path)), arguments: arguments, platformOptions: Self.options, input: .inputWriter,
            output: .sequence, error: .currentStandardError
        ) { process in
            var lines = process.standardOutput.strings(bufferingPolicy: .maxLineLength(HTTPLoadLine.limit))
                .makeAsyncIterator()
            return try await body(process, &lines)
        }.closureResult
    }
}

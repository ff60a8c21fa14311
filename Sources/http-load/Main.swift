import ArgumentParser
import NIOCore
import NIOPosix
import ProcessSupport
import UserText

/// `http-load`: sends the requests of `fleet load --target http`.
@main
struct HTTPLoadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: Program.httpLoad.command, abstract: Program.httpLoad.abstract,
        discussion: """
            `fleet load` starts this program, which has the libraries for HTTP and TLS. It reads a JSON object \
            a line from standard input, and writes its progress and its results to standard output. It ends \
            when its input ends.

            EXAMPLES
              fleet load --target http --rate 500
            """,
        version: ProgramVersion.text(of: "http-load"), subcommands: [PushCommand.self])

    @MainActor static func main() async { await runHardened() }

    func run() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let clock = SystemClock()
        let driver = HTTPLoadDriver(
            on: group.next(), clock: { clock.now() }, idSeed: UInt64.random(in: 0 ... .max))
        try await driver.serve()
        try await group.shutdownGracefully()
    }
}

import Glibc
import Testing

@testable import ProcessSupport

@Suite("Standard output")
struct TextOutputTests {
    @Test("a full disk is an error that says what failed and what to do")
    func full() throws {
        let descriptor = open("/dev/full", O_WRONLY | O_CLOEXEC)
        try #require(descriptor >= 0, "errno \(errno)")
        defer { close(descriptor) }
        let failure = try #require(
            #expect(throws: TextOutput.Failure.self) { try TextOutput(descriptor: descriptor).writeLine("a") }
        )
        #expect(!failure.isUnread)
        #expect(
            "\(failure)"
                == "cannot write to standard output: No space left on device; free space on that disk")
    }

    @Test("a pipe without a reader is an error, and does not end the process by SIGPIPE")
    func unread() async {
        await #expect(processExitsWith: .success) {
            signal(SIGPIPE, SIG_DFL)
            var ends: [Int32] = [0, 0]
            try #require(pipe(&ends) == 0)
            close(ends[0])
            let output = TextOutput(descriptor: ends[1])
            for _ in 1...2 {
                #expect(throws: TextOutput.Failure(errno: EPIPE)) { try output.writeLine("a") }
            }
            #expect(TextOutput.Failure(errno: EPIPE).isUnread)
        }
    }

    @Test("a text longer than a pipe arrives whole through a non-blocking pipe")
    func long() async throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        for end in ends { try #require(fcntl(end, F_SETFL, O_NONBLOCK) == 0) }
        let (input, output) = (ends[0], TextOutput(descriptor: ends[1]))
        async let read = Self.readAll(input)
        try output.write([UInt8](repeating: 7, count: 300_000))
        close(ends[1])
        #expect(await read == 300_000)
        close(input)
    }

    /// The number of bytes until the writer closes the pipe.
    @concurrent private static func readAll(_ input: Int32) async -> Int {
        var (total, buffer) = (0, [UInt8](repeating: 0, count: 4_096))
        while true {
            let count = Glibc.read(input, &buffer, buffer.count)
            if count == 0 { return total }
            if count > 0 { total += count }
            var waiting = pollfd(fd: input, events: Int16(POLLIN), revents: 0)
            poll(&waiting, 1, -1)
        }
    }

    @Test("no file takes the place of a closed standard output, whose results are an error")
    func closed() async {
        await #expect(processExitsWith: .success) {
            close(STDOUT_FILENO)
            try Hardening.apply(environment: [Hardening.traceableVariable: "1"])
            let file = open("/dev/null", O_WRONLY)
            #expect(file > STDERR_FILENO)
            #expect(throws: TextOutput.Failure(errno: EBADF)) { try TextOutput.standardOutput.writeLine("a") }
        }
    }
}

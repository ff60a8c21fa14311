import FoundationEssentials
import Glibc
import Subprocess
import Synchronization
import SystemPackage
import Testing

/// A running `network-faults`, which takes commands.
package final class FaultProgram: Sendable {
    private static let answeredWithin = Duration.seconds(10)

    /// The rest of its first line, after `ready`.
    package let ready: [Int]
    private let input: FileDescriptor
    private let output: FileDescriptor
    /// One command at a time.
    private let rest: Mutex<[UInt8]>

    private init(input: FileDescriptor, output: FileDescriptor) throws {
        (self.input, self.output) = (input, output)
        var rest: [UInt8] = []
        let line = try Self.line(from: output, &rest)
        let words = line.split(separator: " ")
        try #require(words.first == "ready", "network-faults: \(line)")
        ready = words.dropFirst().compactMap { Int($0) }
        self.rest = Mutex(rest)
    }

    /// The program of this test bundle.
    private static let path: FilePath = {
        let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return FilePath(own).removingLastComponent().appending("network-faults")
    }()

    /// Runs it during a closure.
    ///
    /// - Parameter entry: The words before it, with an absolute path, such as those that enter a host.
    package static func with<Result: Sendable>(
        _ arguments: [String], entry: [String] = [], _ body: (FaultProgram) async throws -> Result
    ) async throws -> Result {
        let words = entry + [path.string] + arguments
        let (programInput, input) = try pipe()
        let (output, programOutput) = try pipe()
        defer { try? output.close() }
        let outcome = try await Subprocess.run(
            .path(FilePath(words[0])), arguments: Arguments(Array(words.dropFirst())),
            input: .fileDescriptor(programInput, closeAfterSpawningProcess: true),
            output: .fileDescriptor(programOutput, closeAfterSpawningProcess: true),
            error: .fileDescriptor(.standardError, closeAfterSpawningProcess: false)
        ) { _ in
            // The program ends with its input.
            defer { try? input.close() }
            return try await body(try FaultProgram(input: input, output: output))
        }
        return outcome.closureResult
    }

    /// Sends a command and returns the answer.
    ///
    /// - Throws: An issue of the test if it is refused, or not answered within ten seconds.
    @discardableResult
    package func perform(_ command: String) throws -> String {
        try rest.withLock { rest in
            try input.writeAll(Array("\(command)\n".utf8))
            let line = try Self.line(from: output, &rest)
            try #require(!line.hasPrefix("error:"), "\(command): \(line)")
            return line
        }
    }

    /// The numbers of its answer to `counts`, by their names.
    package func counts() throws -> [String: Int] {
        let words = try perform("counts").split(separator: " ")
        return Dictionary(
            uniqueKeysWithValues: stride(from: 0, to: words.count - 1, by: 2).map {
                (String(words[$0]), Int(words[$0 + 1]) ?? -1)
            })
    }

    private static func line(from output: FileDescriptor, _ rest: inout [UInt8]) throws -> String {
        let limit = ContinuousClock.now + answeredWithin.slowed
        while true {
            if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                defer { rest.removeFirst(end + 1) }
                return String(decoding: rest[..<end], as: UTF8.self)
            }
            var polled = pollfd(fd: output.rawValue, events: Int16(POLLIN), revents: 0)
            try #require(poll(&polled, 1, 100) >= 0 && ContinuousClock.now < limit, "no answer")
            guard polled.revents != 0 else { continue }
            let block = try [UInt8](unsafeUninitializedCapacity: 4_096) { buffer, count in
                count = try output.read(into: UnsafeMutableRawBufferPointer(buffer))
            }
            try #require(!block.isEmpty, "network-faults has ended")
            rest += block
        }
    }

    /// A pipe that other children do not inherit.
    private static func pipe() throws -> (reading: FileDescriptor, writing: FileDescriptor) {
        let both = try FileDescriptor.pipe()
        for one in [both.readEnd, both.writeEnd] { _ = fcntl(one.rawValue, F_SETFD, FD_CLOEXEC) }
        return (both.readEnd, both.writeEnd)
    }
}

import ControllerCore
import Dispatch
import Foundation
import Glibc
import Logging
import Runtime
import Stepping
import Subprocess
import SystemPackage

/// Hands messages to users over, one after another, away from the loop.
///
/// What is on its way when the controller dies is lost, and so is what cannot be handed over: the log says
/// that there was one, and whoever waits for it asks again. No log has an address or a token.
final class Outbox: Sendable {
    /// Where messages go.
    enum Way: Sendable, Equatable {
        /// Into a directory: a file each, of mode 0600, which is there when it is whole.
        case directory(String)
        /// To the standard input of a program, which is run for each and has ten seconds to end well.
        case command(executable: String, arguments: [String])
    }

    /// Messages that wait at most; those beyond are lost.
    private static let waitingAtMost = 64
    /// Files that are in the directory at most; whoever sends them on takes them out.
    static let filesAtMost = 1_000
    /// How long a command may take.
    private static let patienceSeconds = 10
    /// How long a command has to end once it was asked to.
    private static let grace: Duration = .seconds(1)
    /// How long the controller's end waits for what is on its way.
    private static let farewellSeconds = 2

    private let waiting: AsyncStream<OutgoingMessage>.Continuation
    private let hasEnded: DispatchSemaphore
    private let logger: Logger

    /// Begins; a directory is made where there is none.
    ///
    /// - Parameter clock: Names the files of a directory.
    /// - Throws: ``OutboxError`` where nothing can be handed over that way.
    init(_ way: Way, clock: SystemClock, logger: Logger) throws(OutboxError) {
        switch way {
        case .directory(let path):
            guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw .directory(path, errno: errno) }
            guard access(path, R_OK | W_OK | X_OK) == 0 else { throw .directory(path, errno: errno) }
        case .command(let executable, _):
            guard access(executable, X_OK) == 0 else { throw .command(executable, errno: errno) }
        }
        let (messages, waiting) = AsyncStream.makeStream(
            of: OutgoingMessage.self, bufferingPolicy: .bufferingOldest(Self.waitingAtMost))
        let hasEnded = DispatchSemaphore(value: 0)
        (self.waiting, self.hasEnded, self.logger) = (waiting, hasEnded, logger)
        Task {
            var count = 0
            for await message in messages {
                count += 1
                let name = "\(clock.now().wall.unixMilliseconds)-\(count).eml"
                await Self.handOver(message, way, name: name, logger)
            }
            hasEnded.signal()
        }
    }

    /// Has a message handed over.
    func send(_ message: OutgoingMessage) {
        guard case .dropped = waiting.yield(message) else { return }
        logger.error("a message was not sent", metadata: ["reason": "\(Self.waitingAtMost) wait already"])
    }

    /// Ends once what waits is handed over, or after two seconds; nothing may be sent after.
    func finish() {
        waiting.finish()
        _ = hasEnded.wait(timeout: .now() + .seconds(Self.farewellSeconds))
    }

    private static func handOver(
        _ message: OutgoingMessage, _ way: Way, name: String, _ logger: Logger
    ) async {
        do {
            try await handOver(message, way, name: name)
            logger.info("a message was sent")
        } catch {
            logger.error("a message was not sent", metadata: ["reason": "\(error)"])
        }
    }

    /// Hands a message over.
    ///
    /// - Parameters:
    ///   - name: What a file of it is called.
    ///   - seconds: How long a command may take.
    ///   - grace: How long it has to end once it was asked to.
    /// - Throws: Why that cannot be, in words that have nothing of the message.
    static func handOver(
        _ message: OutgoingMessage, _ way: Way, name: String, withinSeconds seconds: Int = patienceSeconds,
        grace: Duration = grace
    ) async throws {
        guard message.recipient.hasMailbox else { throw OutboxError.noMailbox }
        switch way {
        case .directory(let path): try write(message, to: path, name: name)
        case .command(let executable, let arguments):
            try await hand(message, to: executable, arguments, withinSeconds: seconds, grace: grace)
        }
    }

    private static func write(_ message: OutgoingMessage, to path: String, name: String) throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: path)
        guard files.count < filesAtMost else { throw OutboxError.full(path) }
        try PrivateFile(path: "\(path)/\(name)").replace(with: Array(message.text.utf8))
    }

    /// Runs the program with the message as its input; no shell is between.
    private static func hand(
        _ message: OutgoingMessage, to executable: String, _ arguments: [String],
        withinSeconds seconds: Int, grace: Duration
    ) async throws {
        let input = try content(of: message)
        let (isTimeUp, clock) = AsyncStream.makeStream(of: Never.self)
        let end: TerminationStatus? = try await withThrowingTaskGroup(of: TerminationStatus?.self) { group in
            group.addTask { () -> TerminationStatus? in
                var options = PlatformOptions()
                options.processGroupID = 0
                options.teardownSequence = [
                    .send(signal: .terminate, toProcessGroup: true, allowedDurationToNextStep: grace)
                ]
                return try await Subprocess.run(
                    .path(FilePath(executable)), arguments: Arguments(arguments), platformOptions: options,
                    input: .fileDescriptor(input, closeAfterSpawningProcess: true), output: .discarded,
                    error: .discarded
                ) { _ in
                    // It runs: its time begins.
                    DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(seconds)) { clock.finish() }
                }.terminationStatus
            }
            group.addTask {
                for await _ in isTimeUp {}
                return nil
            }
            defer { group.cancelAll() }
            // Time that is up ends the program. One that has ended by itself is believed, however late that
            // is heard of; only one that a signal ended did take too long.
            var isLate = false
            while let next = try await group.next() {
                switch next {
                case .signaled? where isLate: return nil
                case let end?: return end
                case nil:
                    isLate = true
                    group.cancelAll()
                }
            }
            return nil
        }
        guard let end else { throw OutboxError.late(executable) }
        guard end.isSuccess else { throw OutboxError.refused(executable, "\(end)") }
    }

    /// The message in a pipe, which has room for all of it: a program that does not read holds up nobody.
    private static func content(of message: OutgoingMessage) throws -> FileDescriptor {
        let bytes = Array(message.text.utf8)
        precondition(bytes.count <= PIPE_BUF, "a message of \(bytes.count) bytes may not fit into a pipe")
        let (reading, writing) = try FileDescriptor.pipe()
        do {
            try writing.writeAll(bytes)
            try writing.close()
            return reading
        } catch {
            _ = close(reading.rawValue)
            throw error
        }
    }
}

import ControllerCore
import Dispatch
import FleetProtocol
import FoundationEssentials
import Glibc
import Logging
import ProcessSupport
import Subprocess
import SystemPackage
import UserText

/// Delivers messages to users, one after another, outside the loop's thread. A message that is queued when
/// the controller dies, or whose delivery fails, is lost. Failures are logged, without addresses and tokens;
/// the user requests another message.
final class Outbox: Sendable {
    enum Way: Sendable, Equatable {
        /// One file per message in a directory, of mode 0600, created atomically.
        case directory(String)
        /// The standard input of a program, which runs for each message and has ten seconds to exit with 0.
        case command(executable: String, arguments: [String])
    }

    /// The most queued messages; further ones are dropped.
    private static let waitingAtMost = 64
    /// The most files in the directory; the program that forwards them removes them.
    static let filesAtMost = 1_000
    private static let timeoutSeconds = 10
    /// The time from SIGTERM to SIGKILL for a command.
    private static let grace: Duration = .milliseconds(500)
    /// The longest that a controller's end waits for queued messages, and then for the end of a command.
    private static let farewell = DispatchTimeInterval.milliseconds(800)

    private let waiting: AsyncStream<OutgoingMessage>.Continuation
    private let delivery: Task<Void, Never>
    private let hasEnded: DispatchSemaphore
    private let logger: Logger

    /// Starts the delivery, and makes a missing directory; the clock is for the names of files.
    init(_ way: Way, clock: SystemClock, logger: Logger) throws(OutboxError) {
        switch way {
        case .directory(let path):
            guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw .directory(path, errno: errno) }
            guard access(path, R_OK | W_OK | X_OK) == 0 else { throw .directory(path, errno: errno) }
            do throws(RuntimeError) {
                try OwnFile.checkUnwritable(path)
            } catch {
                throw .unsafe(error)
            }
        case .command(let executable, _):
            guard access(executable, X_OK) == 0 else { throw .command(executable, errno: errno) }
        }
        let (messages, waiting) = AsyncStream.makeStream(
            of: OutgoingMessage.self, bufferingPolicy: .bufferingOldest(Self.waitingAtMost))
        let hasEnded = DispatchSemaphore(value: 0)
        (self.waiting, self.hasEnded, self.logger) = (waiting, hasEnded, logger)
        delivery = Task {
            var count = 0
            for await message in messages {
                count += 1
                let name = "\(clock.now().wall.unixMilliseconds)-\(count).eml"
                await Self.handOver(message, way, name: name, logger)
            }
            hasEnded.signal()
        }
    }

    /// Queues a message for delivery; logs a message that is dropped because the queue is full.
    func send(_ message: OutgoingMessage) {
        guard case .dropped = waiting.yield(message) else { return }
        logger.error("message not sent", metadata: ["reason": "\(Self.waitingAtMost) are queued already"])
    }

    /// Waits for the delivery of the queued messages, then ends a command that still runs, within two
    /// seconds; ``send(_:)`` must not follow.
    func finish() {
        waiting.finish()
        guard hasEnded.wait(timeout: .now() + Self.farewell) == .timedOut else { return }
        delivery.cancel()
        _ = hasEnded.wait(timeout: .now() + Self.farewell)
    }

    private static func handOver(
        _ message: OutgoingMessage, _ way: Way, name: String, _ logger: Logger
    ) async {
        do {
            try await handOver(message, way, name: name)
            logger.info("message sent")
        } catch {
            logger.error("message not sent", metadata: ["reason": "\(error)"])
        }
    }

    /// Delivers a message, in a file of that name, or to a command within a number of seconds. The grace is
    /// from SIGTERM to SIGKILL. No error has a part of the message.
    static func handOver(
        _ message: OutgoingMessage, _ way: Way, name: String, withinSeconds seconds: Int = timeoutSeconds,
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

    /// Runs the program without a shell, with the message as its standard input.
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
                let result = try await Subprocess.run(
                    .path(FilePath(executable)), arguments: Arguments(arguments), platformOptions: options,
                    input: .fileDescriptor(input, closeAfterSpawningProcess: true), output: .discarded,
                    error: .discarded
                ) { _ in
                    // The program has started, and so does its time limit.
                    DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(seconds)) { clock.finish() }
                }
                // A part of its group may ignore SIGTERM, or be younger.
                if Task.isCancelled { kill(-result.processIdentifier.value, SIGKILL) }
                return result.terminationStatus
            }
            group.addTask {
                for await _ in isTimeUp {}
                return nil
            }
            defer { group.cancelAll() }
            // The time limit ends the program. An exit status counts even if it is read after the limit; only
            // a program that a signal ended after the limit was too slow.
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

    /// Returns a pipe with the whole message, which fits in its buffer, so that the writer never blocks.
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

/// The reason for a failed delivery of a message.
enum OutboxError: Error, Equatable, CustomStringConvertible {
    case directory(String, errno: Int32)
    /// Other users can write to the directory, or replace it.
    case unsafe(RuntimeError)
    case full(String)
    case command(String, errno: Int32)
    /// The program exceeded its time limit and was killed.
    case late(String)
    /// The program failed, with a description of its termination status.
    case refused(String, String)
    /// A mail header cannot contain the address.
    case noMailbox

    /// The failure and the remedy, without any part of the message.
    var description: String {
        switch self {
        case .directory(let path, let number):
            "cannot write messages to \(path): \(RuntimeError.text(for: number)); name a directory with --outbox "
                + "that this user can write to"
        case .unsafe(let error): "--outbox: \(error)"
        case .full(let path): "\(path) has \(Outbox.filesAtMost) files: forward and remove them"
        case .command(let executable, let number):
            "\(executable) cannot be run: \(RuntimeError.text(for: number)); name an executable with --outbox-command"
        case .late(let executable): "\(executable) exceeded its time limit, and was killed"
        case .refused(let executable, let end): "\(executable) failed: \(end)"
        case .noMailbox: "the user's address is not valid for mail: change the address"
        }
    }

}

extension OutgoingMessage {
    /// The message in the format of RFC 5322: headers and a text. It has neither a sender nor a date; the
    /// mail program adds both.
    var text: String {
        """
        To: \(recipient.mailbox)
        Subject: Password reset for Sensibus
        Auto-Submitted: auto-generated
        Content-Type: text/plain; charset=utf-8

        A password reset was requested for \(recipient).

        With this code you can set a new password, once, until \(deadline) UTC:

        \(CellToken(token, in: cell).text)

        On the page: "Forgot password?", then "I have a code". In a shell: \(Program.fleet.command) password reset.

        If you did not request it, ignore this message: your password has not changed.

        """
    }

    private var deadline: String {
        var bytes: [UInt8] = []
        TimeText.append(second: expiresAt, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension Email {
    /// The address in a mail header: RFC 5322, section 3.4.1, with RFC 6532 for characters beyond ASCII. A
    /// local part that is not a dot-atom is quoted, so that its characters cannot separate addresses.
    var mailbox: String {
        let parts = address.split(separator: "@", maxSplits: 1)
        guard let local = parts.first, let domain = parts.last, !Self.isDotAtom(local) else { return address }
        let quoted = local.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : String($0) }.joined()
        return "\"\(quoted)\"@\(domain)"
    }

    /// Whether a mail header can contain the address without adding another recipient: the domain has only
    /// the characters of a domain name or of an IP address in brackets.
    var hasMailbox: Bool {
        guard let domain = address.split(separator: "@", maxSplits: 1).last else { return false }
        return domain.unicodeScalars.allSatisfy { scalar in
            scalar.value > 0x7f || ("a"..."z").contains(scalar) || ("0"..."9").contains(scalar)
                || ".-[]:".unicodeScalars.contains(scalar)
        }
    }

    private static func isDotAtom(_ text: Substring) -> Bool {
        let isAtoms = text.unicodeScalars.allSatisfy { scalar in
            scalar.value > 0x7f || scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
                || "!#$%&'*+-/=?^_`{|}~.".unicodeScalars.contains(scalar)
        }
        return isAtoms && !text.hasPrefix(".") && !text.hasSuffix(".") && !text.contains("..")
    }
}

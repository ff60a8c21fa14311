import ControllerCore
import Dispatch
import FleetProtocol
import Foundation
import Glibc
import Logging
import Runtime
import Stepping
import Subprocess
import SystemPackage
import Wording

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

/// Why a message to a user cannot be handed over.
enum OutboxError: Error, Equatable, CustomStringConvertible {
    /// Nothing can be put into the directory.
    case directory(String, errno: Int32)
    /// There are as many messages in it as may be.
    case full(String)
    /// The program cannot be run.
    case command(String, errno: Int32)
    /// It did not end in time, and was ended.
    case late(String)
    /// It ended, and not well; how, in words.
    case refused(String, String)
    /// The address is none that mail goes to.
    case noMailbox

    /// What failed, and what to do; never the message.
    var description: String {
        switch self {
        case .directory(let path, let number):
            "messages cannot be put into \(path): \(Self.words(for: number)); name a directory with --outbox "
                + "that this user may write to"
        case .full(let path):
            "\(path) has \(Outbox.filesAtMost) files: send them on, and take them out"
        case .command(let executable, let number):
            "\(executable) cannot be run: \(Self.words(for: number)); name an executable with --outbox-command"
        case .late(let executable): "\(executable) took too long, and was ended"
        case .refused(let executable, let end): "\(executable) did not take it: \(end)"
        case .noMailbox: "mail does not go to such an address: give the user another"
        }
    }

    private static func words(for number: Int32) -> String {
        strerror(number).map { String(cString: $0) } ?? "errno \(number)"
    }
}

extension OutgoingMessage {
    /// The message as it is handed over: headers and a text, as RFC 5322 has them.
    ///
    /// It has neither a sender nor a date, which whoever sends it on adds.
    var text: String {
        """
        To: \(recipient.mailbox)
        Subject: Another password for Sensibus
        Auto-Submitted: auto-generated
        Content-Type: text/plain; charset=utf-8

        Somebody, perhaps you, has forgotten the password of \(recipient).

        With this token another one can be chosen, once, until \(deadline) UTC:

        \(token.bytes.hexadecimal)

        On the page: "Forgot password?", then "I have a token". In a shell: fleet password reset.

        If it was not you, do nothing: the password is as it was.

        """
    }

    private var deadline: String {
        var bytes: [UInt8] = []
        TimeText.append(second: expiresAt, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension Email {
    /// The address as a header names it: RFC 5322, section 3.4.1, with RFC 6532 for what is beyond ASCII.
    ///
    /// What would otherwise part it from another address is in quotes.
    var mailbox: String {
        let parts = address.split(separator: "@", maxSplits: 1)
        guard let local = parts.first, let domain = parts.last, !Self.isDotAtom(local) else { return address }
        let quoted = local.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : String($0) }.joined()
        return "\"\(quoted)\"@\(domain)"
    }

    /// Whether a header can name the address, and nobody else with it: its domain is one, or an address of a
    /// machine in brackets.
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

import ArgumentParser
import FleetClient
import FleetProtocol
import UserText

extension PostNumber {
    /// Parses the number of a post, and throws `ValidationError` if it is malformed.
    static func parse(_ text: String) throws -> PostNumber {
        guard let value = UInt64(text), (1...Limits.largestOrdinal).contains(value) else {
            throw ValidationError(
                "'\(SafeText.of(text))' is not a post number: list them with `fleet post list`")
        }
        return PostNumber(value)
    }
}

/// The options that all commands that write in the logbook share.
struct WritingOptions: ParsableArguments {
    @Option(
        name: .customLong("request-id"),
        help: ArgumentHelp(
            "The request ID, a UUID of version 7: repeated with the same ID, the text is written once.",
            valueName: "uuid"),
        transform: RequestID.parse)
    var requestID: RequestID?

    /// Writes in the logbook, and adds advice to the error if the result is unknown.
    ///
    /// - Parameter work: Receives the request ID of the text.
    func write<Written: Sendable>(
        with access: ControllerAccess, _ work: @Sendable (FleetClient, RequestID) async throws -> Written
    ) async throws -> Written {
        let id = requestID ?? access.surroundings.makeRequestID()
        do {
            return try await access.withSession { try await work($0, id) }
        } catch FleetError.noReply {
            throw CommandFailure(
                .undecided, "no answer: the text may or may not have been posted",
                advice: "repeat the command with `--request-id \(id)`: it is posted only once")
        }
    }
}

extension CommandFailure {
    static func noPost(_ number: PostNumber) -> CommandFailure {
        CommandFailure(
            .notPermitted, "no post \(number) in this account (notFound)",
            advice: "list the posts with `fleet post list`; the oldest ones are deleted when it is full")
    }
}

import ArgumentParser
import FleetClient
import FleetProtocol
import UserText

extension PostNumber {
    /// The number of a post as it is typed.
    static func parse(_ text: String) throws -> PostNumber {
        guard let value = UInt64(text), (1...Limits.largestOrdinal).contains(value) else {
            throw ValidationError(
                "'\(SafeText.of(text))' is no post: it is a number, which `fleet post list` shows")
        }
        return PostNumber(value)
    }
}

/// What the commands that write have in common.
struct WritingOptions: ParsableArguments {
    @Option(
        name: .customLong("request-id"),
        help: ArgumentHelp(
            "The identity of the text, a UUID of version 7: sent again under it, it is written once.",
            valueName: "uuid"),
        transform: RequestID.parse)
    var requestID: RequestID?

    /// Has something written, and says what to do where it is not known whether it was.
    ///
    /// - Parameter work: Is given the identity of what it writes.
    func write<Written: Sendable>(
        with access: ControllerAccess, _ work: @Sendable (FleetClient, RequestID) async throws -> Written
    ) async throws -> Written {
        let id = requestID ?? access.surroundings.makeRequestID()
        do {
            return try await access.withSession { try await work($0, id) }
        } catch FleetError.noAnswer {
            throw CommandFailure(
                .undecided, "no answer: whether it was written is not known",
                advice: "type the same with `--request-id \(id)`: it is written once")
        }
    }
}

extension CommandFailure {
    /// There is no post of that number.
    static func noPost(_ number: PostNumber) -> CommandFailure {
        CommandFailure(
            .notPermitted, "no post \(number) in this account (notFound)",
            advice: "`fleet post list` shows what there is; the oldest posts go for the newest")
    }
}

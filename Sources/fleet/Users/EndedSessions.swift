import FleetProtocol
import Wording

/// How many sessions ended with a change of a user, ready to be told.
struct EndedSessions: Equatable, Sendable {
    /// Whose they were.
    let email: Email
    /// How many.
    let count: Int

    /// The sessions of that user.
    init(of email: Email, count: Int) {
        self.email = email
        self.count = count
    }

    /// The line for scripts.
    var json: JSONValue {
        ["email": .string(email.address), "sessionsEnded": .integer(Int64(count))]
    }

    /// For people.
    var words: String { count == 1 ? "1 session ended" : "\(count) sessions ended" }
}

import FleetProtocol
import Wording

/// How many sessions ended with a change of a user, and how many keys were revoked, ready to be told.
struct EndedSessions: Equatable, Sendable {
    /// Whose they were.
    let email: Email
    /// How many.
    let count: Int
    /// How many keys were revoked; nil where that goes without saying.
    let keys: Int?

    /// The sessions and keys of that user.
    init(of email: Email, count: Int, keys: Int? = nil) {
        self.email = email
        self.count = count
        self.keys = keys
    }

    /// The line for scripts.
    var json: JSONValue {
        guard let keys else {
            return ["email": .string(email.address), "sessionsEnded": .integer(Int64(count))]
        }
        return [
            "email": .string(email.address), "sessionsEnded": .integer(Int64(count)),
            "keysRevoked": .integer(Int64(keys)),
        ]
    }

    /// For people.
    var words: String {
        let sessions = count == 1 ? "1 session ended" : "\(count) sessions ended"
        guard let keys else { return sessions }
        return sessions + (keys == 1 ? ", 1 key was revoked" : ", \(keys) keys were revoked")
    }
}

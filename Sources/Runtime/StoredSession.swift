public import FleetProtocol
import FoundationEssentials

/// A session as it waits in a file, mode 0600, for the next command.
public struct StoredSession: Equatable, Sendable, CustomStringConvertible {
    /// Who logged in.
    public let email: Email
    /// Whose devices they see.
    public let account: AccountID
    /// What they may do.
    public let role: Session.Role
    /// What the controller knows the session by.
    public let token: Token

    /// The session that a log-in gave.
    public init(_ session: Session, token: Token) {
        self.init(email: session.email, account: session.account, role: session.role, token: token)
    }

    /// The session of those parts.
    public init(email: Email, account: AccountID, role: Session.Role, token: Token) {
        self.email = email
        self.account = account
        self.role = role
        self.token = token
    }

    /// The session in a file.
    ///
    /// - Throws: `noSession`, `damagedSession`, or `system` when the file cannot be read.
    public static func read(from path: String) throws(RuntimeError) -> StoredSession {
        guard let content = try PrivateFile(path: path).read() else { throw .noSession(path: path) }
        do {
            return try JSONDecoder().decode(StoredSession.self, from: Data(content))
        } catch {
            // The decoder's words may quote the file, and with it the token.
            throw .damagedSession(path: path)
        }
    }

    /// Puts the session in a file, in place of another one: whoever reads sees the one or the other.
    ///
    /// - Throws: `system` with the call that failed.
    public func write(to path: String) throws(RuntimeError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        let content: Data
        do {
            content = try encoder.encode(self)
        } catch {
            preconditionFailure("four texts always encode")
        }
        try PrivateFile(path: path).replace(with: Array(content) + Array("\n".utf8))
    }

    /// Removes the file; nothing when it is not there.
    ///
    /// - Throws: `system` with the call that failed.
    public static func remove(at path: String) throws(RuntimeError) {
        try PrivateFile(path: path).remove()
    }

    /// Who is logged in where; never the token.
    public var description: String { "\(email) in account \(account), \(role.name)" }
}

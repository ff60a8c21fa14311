import FleetProtocol
import Runtime

/// The files in which a session may wait, the first that is good first.
struct SessionFiles: Sendable {
    let paths: [String]
    /// The account it must be of; nil: any.
    let account: AccountID?

    /// The first session that can be used; nil when there is none.
    ///
    /// A file that is damaged or of another account counts as none: somebody may be about to log in.
    ///
    /// - Parameter rejected: A token that the controller does not know: a later file may have a better one,
    ///   since a new log-in does not write all of them.
    func read(rejected: Token? = nil) -> StoredSession? {
        for path in paths {
            do {
                let session = try StoredSession.read(from: path)
                guard session.token != rejected else { continue }
                if account == nil || account == session.account { return session }
            } catch {
                continue
            }
        }
        return nil
    }

    /// The name of the account, as far as it is known; empty where it is not.
    var accountName: String { account?.name ?? read()?.account.name ?? "" }

    /// What to do when there is none.
    var advice: String {
        account.map { "run `fleet login` as a user of account \($0)" } ?? "run `fleet login`"
    }
}

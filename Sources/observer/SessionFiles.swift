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
    func read() -> StoredSession? {
        for path in paths {
            do {
                let session = try StoredSession.read(from: path)
                if account == nil || account == session.account { return session }
            } catch {
                continue
            }
        }
        return nil
    }

    /// What to do when there is none.
    var advice: String {
        account.map { "run `fleet login` as a user of account \($0)" } ?? "run `fleet login`"
    }
}

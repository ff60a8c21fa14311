import FleetProtocol
import ObserverCore
import ProcessSupport

/// The session files to try, in order of preference.
struct SessionFiles: Sendable {
    let paths: [String]
    /// The required account; nil for any.
    let account: AccountID?

    /// Returns the first usable session; nil if no file has one.
    ///
    /// Damaged files and files of other accounts are skipped, because a log-in may replace them soon.
    ///
    /// - Parameter rejected: A token that the controller rejected. A later file may have a newer token,
    ///   because a log-in does not write all files.
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

    /// The name of the account; empty if it is not known.
    var accountName: String { account?.name ?? read()?.account.name ?? "" }

    /// The advice to show if no session is found.
    var advice: String {
        account.map { "run `fleet login` as a user of account \($0)" } ?? "run `fleet login`"
    }
}

extension FleetAddress {
    /// Reads the address that a fleet wrote to its run directory; unreadable files count as missing.
    init(in directory: RunDirectory) {
        self.init(
            page: Self.text { () throws(RuntimeError) in try directory.gatewayURL() },
            email: RunDirectory.demoEmail,
            password: Self.text { () throws(RuntimeError) in try directory.readDemoPassword() },
            runDirectory: directory.path)
    }

    private static func text(_ read: () throws(RuntimeError) -> String?) -> String? {
        do throws(RuntimeError) {
            return try read()
        } catch {
            return nil
        }
    }
}

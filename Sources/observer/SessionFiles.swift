import FleetProtocol
import ProcessSupport
import UserText

/// The session files to try, in order of preference.
struct SessionFiles: Sendable {
    let paths: [String]
    let account: AccountID?

    /// Returns the first usable session, of the known account if there is one; nil if no file has one.
    /// Damaged files and files of other accounts are skipped, because a log-in may replace them soon. After a
    /// rejected token a later file may have a newer one, because a log-in does not write all files.
    func read(of known: AccountID? = nil, rejected: [Token] = []) -> StoredSession? {
        for path in paths {
            guard let session = try? StoredSession.read(from: path), !rejected.contains(session.token) else {
                continue
            }
            if [account, known].allSatisfy({ $0 == nil || $0 == session.account }) { return session }
        }
        return nil
    }

    /// Refuses files without a session that the user selected: a log-in may never write them.
    func requireSession() throws {
        guard read() == nil else { return }
        for path in paths where paths.count == 1 { _ = try StoredSession.read(from: path) }
        let names = paths.map(SafeText.of).joined(separator: " or ")
        let whose = account.map { " of account \($0)" } ?? ""
        throw World.Failure("no session\(whose) in \(names): \(advice)", code: 69)
    }

    /// The name of the account; empty if it is not known.
    var accountName: String { account?.name ?? read()?.account.name ?? "" }

    var advice: String {
        if let account { return Program.worded("run `fleet login` as a user of account \(account)") }
        return Program.worded("run `fleet login`")
    }
}

extension FleetAddress {
    /// Reads the address that a fleet wrote to its run directory; unreadable files count as missing.
    init(in directory: RunDirectory) {
        self.init(
            page: try? directory.gatewayURL(), email: directory.demo.email.address,
            password: try? directory.readDemoPassword(), runDirectory: directory.path)
    }
}

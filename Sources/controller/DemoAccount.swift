import ControllerCore
import FleetProtocol
import Runtime
import Stepping

/// The account of a local fleet: made once, its password kept in the run directory for its owner alone, with
/// one session for the person's commands and one for the observer that the fleet starts.
struct DemoAccount {
    let directory: RunDirectory

    func make(in store: Store, with hasher: PasswordHasher, at now: WallTime) throws {
        guard let account = AccountID("demo"), let email = Email(RunDirectory.demoEmail) else {
            preconditionFailure("the demo account's names are valid")
        }
        let password = PasswordHasher.makePassword()
        let session = Session(account: account, email: email, role: .owner, isOperator: true)
        try directory.writeDemoPassword(password)
        for file in [directory.sessionFile, directory.observerSessionFile] {
            let token = PasswordHasher.makeToken()
            try StoredSession(session, token: token).write(to: file)
            let digest = PasswordHasher.digest(of: token)
            try store.append([.access(.sessionOpened(digest, email, at: now))])
        }
        // The user comes last: a start that was cut short before here begins anew.
        try store.add(
            ControllerConfiguration.User(session: session, passwordHash: PasswordHasher.hash(password)))
    }
}

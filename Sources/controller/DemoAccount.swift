import ControllerCore
import ControllerSupport
import FleetProtocol
import ProcessSupport

/// The demo account of a local fleet, created once: the run directory stores its password, a session for the
/// user's commands, and a session for the observer that the fleet starts.
struct DemoAccount {
    let names: DemoNames
    let cell: CellName?
    let directory: RunDirectory

    func make(in store: Store, at now: WallTime) throws {
        let password = PasswordHasher.makePassword()
        let session = Session(
            account: names.account, email: names.email, role: .owner, isOperator: true, cell: cell)
        try directory.record(names)
        try directory.writeDemoPassword(password)
        for file in [directory.sessionFile, directory.observerSessionFile] {
            let token = Token.make()
            try StoredSession(session, token: token).write(to: file)
            let digest = token.digest
            try store.append([.access(.sessionOpened(digest, names.email, at: now))])
        }
        // The user is stored last, so that the next start repeats an interrupted creation.
        try store.add(
            ControllerConfiguration.User(session: session, passwordHash: PasswordHasher.hash(password)))
    }
}

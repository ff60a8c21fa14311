import FleetClient
import FleetProtocol
import Runtime
import Wording

/// The account that a controller makes for a local fleet.
enum DemoAccount {
    /// Who logs in to it.
    static let email = RunDirectory.demoEmail

    /// Whether a controller has left the account's password in the run directory.
    static func isThere(in directory: RunDirectory) -> Bool {
        do {
            return try directory.readDemoPassword() != nil
        } catch {
            return false
        }
    }

    /// Tells its email and password, which the controller left in the run directory.
    static func say(from directory: RunDirectory, in surroundings: Surroundings) {
        let file = directory.demoPasswordFile
        let words: String
        do throws(RuntimeError) {
            words =
                try directory.readDemoPassword().map { "password \(SafeText.of($0)) (kept in \(file))" }
                ?? "its password should be in \(file)"
        } catch {
            words = "its password is kept away: \(error)"
        }
        surroundings.say("fleet: demo account \(email), \(words)")
    }
}

/// The sessions that whoever starts a fleet is promised: one for the commands, one for the observer.
///
/// The controller leaves them when it makes the demo account. Later they may have ended: by a log-out, or by
/// age. Then they are opened anew, with the password in the run directory.
struct DemoSessions: Sendable {
    /// Where the fleet is.
    let directory: RunDirectory

    /// Opens the sessions anew that are missing or ended; the client shows the observer's from then on.
    ///
    /// - Returns: False while the controller has not made the account yet.
    /// - Throws: `FleetError` when the controller does not answer, `RuntimeError` when a file cannot be used.
    func renew(with client: FleetClient) async throws -> Bool {
        for file in [directory.sessionFile, directory.observerSessionFile] {
            if try await isValid(file, with: client) { continue }
            guard let email = Email(DemoAccount.email),
                let password = try directory.readDemoPassword().flatMap(Password.init)
            else { return false }
            let (session, token) = try await client.login(email: email, password: password)
            try StoredSession(session, token: token).write(to: file)
        }
        return true
    }

    private func isValid(_ file: String, with client: FleetClient) async throws -> Bool {
        do {
            let session = try StoredSession.read(from: file)
            await client.use(Credentials(user: session.email, token: session.token))
            _ = try await client.status()
            return true
        } catch FleetError.refused(.unauthenticated) {
            return false
        } catch let error as RuntimeError {
            switch error {
            case .noSession, .damagedSession: return false
            default: throw error
            }
        }
    }
}

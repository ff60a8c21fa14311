import FleetClient
import FleetProtocol
import ProcessSupport
import UserText

struct FleetLocation: Equatable, Sendable {
    var runDirectory: String
    /// The URL of the page; nil without a gateway.
    var page: String?
    /// The file with the password of the demo account; nil if no controller has created the account.
    var passwordFile: String?
    var demo = DemoNames(in: nil)

    var account: String? { passwordFile.map { "\(demo.email), password in \($0)" } }
}

extension FleetLocation {
    /// The place of the fleet in a run directory. A killed gateway leaves its URL file, hence the processes.
    init(of directory: RunDirectory, running processes: [FleetProcess]?) {
        let hasGateway = processes?.contains { $0.name == "gateway" } ?? false
        self.init(
            runDirectory: directory.path, page: hasGateway ? FleetGateway.url(in: directory) : nil,
            passwordFile: DemoAccount.exists(in: directory) ? directory.demoPasswordFile : nil,
            demo: directory.demo)
    }
}

/// The demo account, which the controller creates for a local fleet.
enum DemoAccount {
    static func exists(in directory: RunDirectory) -> Bool { (try? directory.readDemoPassword()) != nil }

    /// Prints the account's email address, and the password that the controller wrote to the run directory.
    static func notify(from directory: RunDirectory, in surroundings: Surroundings) {
        let file = directory.demoPasswordFile
        let text: String
        do throws(RuntimeError) {
            text =
                try directory.readDemoPassword().map { "password \(SafeText.of($0)) (stored in \(file))" }
                ?? "password expected in \(file)"
        } catch {
            text = "password not shown: \(error)"
        }
        surroundings.notify("fleet: demo account \(directory.demo.email), \(text)")
    }
}

/// The two sessions of a started fleet: one for the commands, one for the observer. The controller writes
/// both when it creates the demo account. A log-out or their expiry may end them later; ``renew(with:)`` then
/// logs in again with the password in the run directory.
struct DemoSessions: Sendable {
    let directory: RunDirectory

    /// Logs in again for each session that is missing or ended; the client then uses the observer's session.
    /// Returns false while the run directory has no password of the demo account.
    func renew(with client: FleetClient) async throws -> Bool {
        for file in [directory.sessionFile, directory.observerSessionFile] {
            if try isOfAnotherCell(file) { continue }
            if try await isValid(file, with: client) { continue }
            guard let password = try directory.readDemoPassword().flatMap(Password.init) else { return false }
            let (session, token) = try await client.login(email: directory.demo.email, password: password)
            try StoredSession(session, token: token).write(to: file)
        }
        return true
    }

    /// Whether the file has the session of a user of another cell, who has logged in here.
    private func isOfAnotherCell(_ file: String) throws(RuntimeError) -> Bool {
        guard let cell = (try? StoredSession.read(from: file))?.cell else { return false }
        return try cell != directory.cell()?.name
    }

    private func isValid(_ file: String, with client: FleetClient) async throws -> Bool {
        do {
            let session = try StoredSession.read(from: file)
            await client.use(session.credentials)
            _ = try await client.status()
            return true
        } catch FleetError.refused(.unauthenticated), RuntimeError.noSession, RuntimeError.damagedSession {
            return false
        }
    }
}

import FleetClient
import FleetProtocol
import Runtime

/// The gateway's way to the controller, and all it knows of the fleet.
struct FleetLink: Sendable {
    let client: FleetClient
    let mirrors: FleetMirrors

    /// How often it is looked for a session.
    private static let sessionInterval: Duration = .milliseconds(250)

    /// Mirrors the account of the user who started the fleet, so that its devices and their changes are known
    /// before the first request; waits for the user's session, which counts as used by that.
    func warm(from directory: RunDirectory) async {
        while await mirrors.all.isEmpty {
            await mirrorStored(in: directory)
            do {
                try await World.sleep(Self.sessionInterval)
            } catch {
                return  // The gateway ends.
            }
        }
    }

    private func mirrorStored(in directory: RunDirectory) async {
        for path in [directory.observerSessionFile, directory.sessionFile] {
            guard let session = try? StoredSession.read(from: path) else { continue }
            let credentials = Credentials(user: session.email, token: session.token)
            _ = await mirrors.mirror(of: session.account, as: credentials)
            return
        }
    }

    /// Why nobody can be served yet, in words; nil when everybody can.
    var whyNotReady: String? {
        get async {
            guard await client.isConnected else { return "no connection to the controller" }
            for mirror in await mirrors.all {
                guard await !mirror.isWhole(within: .zero), await !mirror.isDisowned else { continue }
                return "the devices of an account are not known yet"
            }
            return nil
        }
    }
}

import FleetClient
import FleetProtocol
import FleetReplica
import GatewayCore

/// The requests that ended before the mirror began, as far as the controller remembers them.
extension FleetMirror {
    /// Requests a reading of the past, once the fleet is known and until the past is.
    func requestPast() {
        if !isPastKnown, replica.isWhole { pastFeed.yield() }
    }

    /// Carries out requested readings; a failed one is repeated when the next is requested.
    func followPast() async {
        for await _ in pastLooks where !isPastKnown {
            let name = credentials
            do throws(FleetError) {
                try await readPast(as: name)
                isPastKnown = true
            } catch {
                if case .refused(.unauthenticated) = error { refuse(name) }
            }
            hasLookedBack = true
        }
    }

    /// Reads the requests of ``Limits/longestHistory``, chunk by chunk, but those of removed devices.
    private func readPast(as credentials: Credentials) async throws(FleetError) {
        try await client.readHistory(back: Limits.longestHistory, as: credentials) { chunk in
            for past in chunk.outcomes {
                guard let device = past.report.device, replica.row(of: device) != nil else { continue }
                history.recall(past)
            }
        }
    }
}

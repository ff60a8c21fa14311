import Bus
import ControllerCore
import FleetProtocol
import Logging
import ProcessSupport

/// The results of work outside the loop.
extension Server {
    func handleHasher() {
        for hashResult in hasher.drainResults() {
            step(
                .passwordChecked(
                    ticket: hashResult.ticket, didMatch: hashResult.didMatch, token: hashResult.token,
                    digest: hashResult.digest, hash: hashResult.hash),
                at: clock.now())
        }
        for hash in hasher.drainHashes() {
            step(.passwordHashed(ticket: hash.ticket, hash: hash.text), at: clock.now())
        }
    }

    /// Handles one part in each turn, so that no turn is long.
    func handleReader() {
        do throws(StorageError) {
            guard let (part, hasMore) = try reader.popPart() else { return }
            step(.replayed(part.ends, unreadUpTo: part.unreadUpTo), at: clock.now())
            if part.unreadUpTo == nil { logger.info("journal read completely") }
            if hasMore { loop.perform {} }
        } catch {
            stop(because: error)
        }
    }
}

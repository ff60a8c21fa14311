import FleetProtocol
import ProcessSupport
import UserText

/// Findings about the file system of the run directory, on which `--durability power` depends.
extension Checkup {
    static func storage(_ facts: MachineFacts) -> [Finding] {
        guard let probe = facts.storage else { return [] }
        let text = "\(probe.fileSystem); a sync takes \(DurationText.text(probe.sync))"
        // Most fleets do not need it.
        let concern = probe.concerns.first.map { "; not for --durability power: \($0)" } ?? ""
        return [.ok("storage", text + concern)]
    }
}

extension StorageProbe {
    /// Says why requests may not survive a power failure although they should.
    static func notify(_ durability: Durability, of directory: RunDirectory, in surroundings: Surroundings) {
        guard durability == .power,
            let probe = try? StorageProbe(ofJournalIn: directory, now: { surroundings.now().monotonic })
        else { return }
        for concern in probe.concerns {
            surroundings.notify("fleet: --durability power is not kept in \(directory): \(concern)")
        }
    }
}

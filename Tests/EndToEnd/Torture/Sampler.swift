import Foundation
import ProcessSupport
import Synchronization

/// Measures the resources of a fleet's processes every second, and retains the maximum.
final class Sampler: Sendable {
    /// The maximum of one process, over all its restarts.
    struct Peak: Sendable {
        var residentMiB = 0
        var descriptors = 0
    }

    private let peaks = Mutex<[String: Peak]>([:])
    private let journalMiB = Mutex(0)

    /// By the process's name.
    var all: [String: Peak] { peaks.withLock { $0 } }

    /// The maximum size of the journal's directory on its disk.
    var journalAtMostMiB: Int { journalMiB.withLock { $0 } }

    /// Samples until cancelled.
    func run(_ fleet: TortureFleet, until isOver: @Sendable () -> Bool) async {
        while !isOver() {
            for name in ["supervisor", "controller", "gateway"] + TortureFleet.nodeNames {
                if let processID = fleet.processID(name) { sample(name, processID) }
            }
            let bytes = Self.bytes(in: fleet.directory.journalDirectory)
            journalMiB.withLock { $0 = max($0, bytes >> 20) }
            await Pace.wait(.seconds(1))
        }
    }

    private func sample(_ name: String, _ processID: Int32) {
        let status = try? String(contentsOfFile: "/proc/\(processID)/status", encoding: .utf8)
        let open = try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(processID)/fd").count
        guard let match = status?.firstMatch(of: /VmRSS:\s+([0-9]+) kB/), let kibibytes = Int(match.1)
        else { return }
        peaks.withLock { peaks in
            var peak = peaks[name] ?? Peak()
            peak.residentMiB = max(peak.residentMiB, kibibytes >> 10)
            peak.descriptors = max(peak.descriptors, open ?? 0)
            peaks[name] = peak
        }
    }

    private static func bytes(in directory: String) -> Int {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        return names.reduce(0) { sum, name in
            let attributes = try? FileManager.default.attributesOfItem(atPath: "\(directory)/\(name)")
            return sum + (attributes?[.size] as? Int ?? 0)
        }
    }
}

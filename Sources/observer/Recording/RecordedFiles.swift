import FleetReplica
import Glibc
import ProcessSupport

struct RecordedFiles: Sendable {
    private final class OpenFile: Sendable {
        let path: String
        let descriptor: Int32

        init(_ path: String) throws(RecordingFailure) {
            descriptor = open(path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { throw RecordingFailure("open", path, errno: errno) }
            self.path = path
        }

        deinit { close(descriptor) }

        func read(_ byte: Int, _ count: Int) throws(RecordingFailure) -> [UInt8] {
            var block = [UInt8](repeating: 0, count: count)
            let readCount = uninterrupted { pread(descriptor, &block, count, off_t(byte)) }
            guard readCount >= 0 else { throw RecordingFailure("read", path, errno: errno) }
            return Array(block.prefix(readCount))
        }
    }

    /// The maximum number of files to look for.
    private static let filesAtMost = 1_000

    let timeline: RecordingTimeline
    /// Remarks on data that was skipped.
    let remarks: [String]
    private let files: [OpenFile]

    /// Opens a recording with its earlier files; the error names the file and the location.
    init(_ path: String) throws {
        var (indices, files, remarks): ([RecordingIndex], [OpenFile], [String]) = ([], [], [])
        for number in 0..<Self.filesAtMost {
            let name = RecordingPlan.path(path, number: number)
            guard number == 0 || access(name, F_OK) == 0 else { break }
            let file = try OpenFile(name)
            let index = try Self.scan(name)
            if index.tornBytes > 0 {
                remarks.append(
                    "\(name) ends in an incomplete write: its last \(index.tornBytes) bytes are ignored")
            }
            indices.insert(index, at: 0)
            files.insert(file, at: 0)
        }
        timeline = RecordingTimeline(indices)
        (self.files, self.remarks) = (files, remarks)
    }

    var account: String { timeline.files[0].start.account }

    var player: RecordingPlayer {
        let files = files
        return RecordingPlayer(timeline) { try files[$0].read($1, $2) }
    }

    private static func scan(_ path: String) throws -> RecordingIndex {
        var scan = RecordingScan()
        do {
            _ = try GrowingFile.read(path) { try scan.append($0) }
            return try scan.finish()
        } catch let damage as RecordingDamage {
            throw RecordingFailure(description: "\(path) cannot be played: \(damage)")
        } catch let error as RuntimeError {
            throw RecordingFailure(error)
        }
    }
}

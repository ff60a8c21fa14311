import FoundationEssentials
import Glibc

/// A run directory that only one command uses, in the system's directory for temporary files.
public struct ScratchDirectory: Sendable {
    public let runDirectory: RunDirectory

    /// Creates a directory whose name says what it is for; the environment's `TMPDIR` names the one above.
    public static func make(
        for purpose: String, environment: [String: String]
    ) throws(RuntimeError) -> ScratchDirectory {
        let place = environment["TMPDIR"] ?? "/tmp"
        var template = Array("\(place)/sensibus-\(purpose)-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw .lastError("make a directory in", place) }
        let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let start = path.hasPrefix("/") ? "/" : FileManager.default.currentDirectoryPath
        return ScratchDirectory(runDirectory: RunDirectory(path: path, relativeTo: start))
    }

    /// Removes the directory with its files; returns why it cannot, and nil if it is gone.
    @discardableResult
    public func remove() -> (any Error)? {
        do {
            try FileManager.default.removeItem(atPath: runDirectory.path)
        } catch let error as CocoaError where error.code == .fileNoSuchFile {
            return nil
        } catch {
            return error
        }
        return nil
    }
}

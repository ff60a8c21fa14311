import FoundationEssentials
import Glibc
import Testing

/// A test's directory, removed with it; on a disk of its own of 4 MiB if the system allows that.
package final class SmallDisk {
    /// Whether a test can have such a disk here: as root, and not in a container that forbids it.
    package static let isAllowed = (try? SmallDisk())?.isMounted ?? false

    /// Its absolute path.
    package let path: String
    private let isMounted: Bool

    /// Creates a directory that only its owner can use.
    package init() throws {
        var name = Array("/tmp/fleet-XXXXXX".utf8CString)
        try #require(mkdtemp(&name) != nil, "errno \(errno)")
        path = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        isMounted = mount("tmpfs", path, "tmpfs", 0, "size=4m,mode=700") == 0
    }

    deinit {
        if isMounted { umount2(path, Int32(MNT_DETACH)) }
        do {
            try FileManager.default.removeItem(atPath: path)
        } catch {
            Issue.record(error, "\(path) stays")
        }
    }

    /// Fills the disk.
    package func fill() throws {
        let descriptor = open("\(path)/filler", O_WRONLY | O_CREAT | O_APPEND, 0o600)
        try #require(descriptor >= 0, "errno \(errno)")
        defer { close(descriptor) }
        let block = [UInt8](repeating: 1, count: 65_536)
        var written = 1
        while written > 0 { written = write(descriptor, block, block.count) }
        try #require(errno == ENOSPC, "errno \(errno)")
    }

    /// Frees the disk.
    package func clear() throws {
        try #require(unlink("\(path)/filler") == 0, "errno \(errno)")
    }
}

import FoundationEssentials
import Glibc
import Testing

/// A directory of one test, removed with it; where the system allows that, on a disk of 4 MiB of its own.
final class SmallDisk {
    /// Whether a test may have such a disk here: as root, and in no container that forbids it.
    static let isAllowed = (try? SmallDisk())?.isMounted ?? false

    let path: String
    private let isMounted: Bool

    init() throws {
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

    /// Leaves no room.
    func fill() throws {
        let descriptor = open("\(path)/filler", O_WRONLY | O_CREAT | O_APPEND, 0o600)
        try #require(descriptor >= 0, "errno \(errno)")
        defer { close(descriptor) }
        let block = [UInt8](repeating: 1, count: 65_536)
        var written = 1
        while written > 0 { written = write(descriptor, block, block.count) }
        try #require(errno == ENOSPC, "errno \(errno)")
    }

    /// Gives the room back.
    func clear() throws {
        try #require(unlink("\(path)/filler") == 0, "errno \(errno)")
    }
}

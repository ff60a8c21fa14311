import Glibc
import ObserverCore
import ProcessSupport

/// The file that caches the roster for the observer's next start.
struct RosterFile: Sendable {
    private static let bytesAtMost = 4 << 20

    let path: String

    /// Reads the cached roster; returns nil if the file is missing, unreadable or larger than 4 MiB.
    func read() -> LoadedRoster? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var content: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 65_536)
        while content.count <= Self.bytesAtMost {
            let count = Glibc.read(descriptor, &block, block.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                return count == 0 ? LoadedRoster(json: String(decoding: content, as: UTF8.self)) : nil
            }
            content += block.prefix(count)
        }
        return nil
    }

    /// Replaces the cached roster atomically, with access for the owner only.
    ///
    /// If the write fails, the next start loads the roster from the controller.
    func write(_ roster: LoadedRoster) {
        let draft = "\(path).\(getpid()).new"
        unlink(draft)
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return }
        let content = Array("\(roster.json)\n".utf8)
        var written = 0
        while written < content.count {
            let block = Array(content[written..<min(written + 65_536, content.count)])
            let count = Glibc.write(descriptor, block, block.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            written += count
        }
        close(descriptor)
        if written < content.count || rename(draft, path) != 0 { unlink(draft) }
    }
}

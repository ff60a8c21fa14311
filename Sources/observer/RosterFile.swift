import ProcessSupport

struct RosterFile: Sendable {
    private static let bytesAtMost = 4 << 20

    let path: String

    /// Reads the cached roster; returns nil if the file is missing, unreadable or larger than 4 MiB.
    func read() -> LoadedRoster? {
        guard let content = try? PrivateFile(path: path).read(upTo: Self.bytesAtMost) else { return nil }
        return LoadedRoster(json: String(decoding: content, as: UTF8.self))
    }

    /// Replaces the cached roster atomically, with access for the owner only. If the write fails, the next
    /// start loads the roster from the controller.
    func write(_ roster: LoadedRoster) {
        try? PrivateFile(path: path).replace(with: Array("\(roster.json)\n".utf8))
    }
}

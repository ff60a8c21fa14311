import DeviceCore
import Runtime

/// A node's memory on its way into a new file, a little in each turn, while the old one goes on growing.
///
/// What happens meanwhile goes into both files. In the new one it may stand before all that the device
/// remembers; that is then newer, and holds. Until the new file is put in the place of the old one, the old
/// one is all that counts.
struct MemoryRewriting {
    /// How far it has come.
    enum Progress {
        /// There is more to do at once.
        case more
        /// There is nothing to do before the disk has it all.
        case waiting
        /// There is no room.
        case diskFull
        /// The new file is whole.
        case done(GrowingFile)
    }

    private enum Stage {
        case strangers(from: Int)
        case devices(from: Int)
        case syncing(FileSync)
    }

    /// Devices written in one turn: 150 KiB, well under a millisecond.
    static let slotsPerTurn = 2_048
    /// Bytes of devices that the node does not host, copied in one turn.
    private static let blockBytes = 512 * 1_024

    /// The new file.
    let draft: GrowingFile
    private let old: GrowingFile
    private let strangersEnd: Int
    private var stage: Stage
    private var writer = MemoryWriter()

    /// Where a new file is made.
    static func draftPath(of path: String) -> String { "\(path).new" }

    /// Begins with the header and the strangers, which are the same for as long as the node runs.
    init(of old: GrowingFile, strangersEnd: Int) throws(RuntimeError) {
        self.old = old
        self.strangersEnd = strangersEnd
        draft = try GrowingFile(replacing: Self.draftPath(of: old.path))
        stage = .strangers(from: 0)
    }

    /// Takes what the old file has just taken.
    ///
    /// - Returns: False when there is no room.
    func keep(_ batch: [UInt8]) throws(RuntimeError) -> Bool {
        // No device of the node is in the new file yet: each will be as it is then.
        if case .strangers = stage { return true }
        return try draft.append(batch)
    }

    /// Writes a little more.
    ///
    /// - Parameter wake: Called on another thread when there is something to do after waiting.
    mutating func goOn(
        with node: Node, wake: @escaping @Sendable () -> Void
    ) throws(RuntimeError) -> Progress {
        switch stage {
        case .strangers(let place):
            var block = [UInt8](repeating: 0, count: min(Self.blockBytes, strangersEnd - place))
            let taken = try old.read(at: place, into: &block)
            guard try draft.append(Array(block[..<taken])) else { return .diskFull }
            stage = place + taken < strangersEnd ? .strangers(from: place + taken) : .devices(from: 0)
            return .more
        case .devices(let first):
            let end = min(first + Self.slotsPerTurn, node.deviceCount)
            node.putMemories(of: first..<end, into: &writer)
            writer.endFrame()
            guard try draft.append(writer.bytes) else { return .diskFull }
            writer.removeAll()
            guard end == node.deviceCount else {
                stage = .devices(from: end)
                return .more
            }
            let sync = try draft.makeSync()
            sync.begin(then: wake)
            stage = .syncing(sync)
            return .waiting
        case .syncing(let sync):
            return try sync.isDone() ? .done(draft) : .waiting
        }
    }
}

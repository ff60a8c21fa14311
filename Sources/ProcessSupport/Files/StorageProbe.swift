import CFiles
public import FleetProtocol
import Glibc

/// What a directory's file system can promise: where its files are, and how long a sync of a small write
/// takes. With `--durability power`, a controller relies on `fdatasync`: it must return when the bytes
/// survive a loss of power, and the file system must be one that a single machine has attached.
public struct StorageProbe: Hashable, Sendable {
    /// The kinds of file systems on which acknowledged requests may be lost.
    public enum Kind: Hashable, Sendable {
        case memory
        case containerLayer
        /// On another machine: the locks of files and the memory-mapped index of SQLite's log work on one
        /// machine only.
        case network
        /// Served by a program, such as sshfs or virtiofs, on which it depends what a sync promises.
        case program
    }

    /// The number of syncs; their median counts.
    private static let syncs = 5
    private static let blockBytes = 4_096
    /// A shorter sync reaches no disk: a flush of the fastest ones takes about 10 µs.
    private static let shortestSync: Duration = .microseconds(5)

    /// The name of the file system, such as `ext4`; its number if it is unknown.
    public let fileSystem: String
    /// Why the file system is not durable; nil if nothing is known against it.
    public let kind: Kind?
    /// The median time of a sync.
    public let sync: Duration

    /// Creates a probe with the given values.
    public init(fileSystem: String, kind: Kind?, sync: Duration) {
        (self.fileSystem, self.kind, self.sync) = (fileSystem, kind, sync)
    }

    /// Measures the file system of a directory, with a file that is removed again; it takes as long as five
    /// syncs.
    public init(of directory: String, now: () -> MonotonicTime) throws(RuntimeError) {
        let number = files_system(directory)
        let known = Self.names[number]
        let file = try GrowingFile(replacing: "\(directory)/.sync-\(getpid())")
        defer { unlink(file.path) }
        var times: [Duration] = []
        let block = [UInt8](repeating: 0, count: Self.blockBytes)
        for _ in 0..<Self.syncs {
            guard try file.append(block) else {
                throw .system(operation: "write", path: file.path, errno: ENOSPC)
            }
            let began = now()
            try file.sync()
            times.append(began.duration(to: now()))
        }
        self.init(
            fileSystem: known?.name ?? "file system 0x\(String(number, radix: 16))", kind: known?.kind,
            sync: times.sorted()[Self.syncs / 2])
    }

    /// Measures the file system of a run directory's journal; before there is one, of the run directory.
    public init(ofJournalIn directory: RunDirectory, now: () -> MonotonicTime) throws(RuntimeError) {
        let hasJournal = access(directory.journalDirectory, F_OK) == 0
        try self.init(of: hasJournal ? directory.journalDirectory : directory.path, now: now)
    }

    /// Why a loss of power, or of the machine, may undo what was acknowledged; empty if nothing is known.
    public var concerns: [String] {
        var concerns: [String] = []
        switch kind {
        case .memory: concerns.append("\(fileSystem) is in memory: its files are lost with the machine")
        case .containerLayer:
            concerns.append(
                "\(fileSystem) is the layer of a container: its files are lost with the container")
        case .network:
            concerns.append(
                "\(fileSystem) is on the network: locks and SQLite's log need a volume that one machine has attached"
            )
        case .program:
            concerns.append("\(fileSystem) is served by a program, which decides what a sync is worth")
        case nil: break
        }
        if kind != .memory, sync < Self.shortestSync {
            concerns.append(
                "a sync takes \(sync.wholeNanoseconds) ns, less than any disk: it does not wait for the disk")
        }
        return concerns
    }

    /// Names by the numbers of `statfs(2)`.
    private static let names: [UInt32: (name: String, kind: Kind?)] = [
        0xef53: ("ext4", nil), 0x5846_5342: ("XFS", nil), 0x9123_683e: ("Btrfs", nil),
        0xf2f5_2010: ("F2FS", nil), 0x2fc1_2fc1: ("ZFS", nil), 0xca45_1a4e: ("bcachefs", nil),
        0x0102_1994: ("tmpfs", .memory), 0x8584_58f6: ("ramfs", .memory),
        0x794c_7630: ("overlayfs", .containerLayer), 0x6969: ("NFS", .network),
        0xff53_4d42: ("CIFS", .network), 0xfe53_4d42: ("SMB", .network), 0x0102_1997: ("9p", .network),
        0x00c3_6400: ("CephFS", .network), 0x0bd0_0bd0: ("Lustre", .network), 0x0116_1970: ("GFS2", .network),
        0x7461_636f: ("OCFS2", .network), 0x6573_5546: ("FUSE", .program),
    ]
}

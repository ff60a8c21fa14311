import FleetProtocol
import Foundation
import Glibc
import ProcessSupport
import TestSupport
import Testing

@testable import ControllerCore
@testable import controller

/// The storage that a killed controller leaves: outcomes in several segments, a user who was removed, and an
/// API key that was revoked.
struct StorageSample {
    /// The contents that a start reads.
    struct Content: Equatable {
        var ends: [RequestID: OutcomeReport] = [:]
        var openCount = 0
        var users: Set<Email> = []
        var keys: Set<TokenDigest> = []
        /// Unknown IDs up to that time are too old.
        var horizon: WallTime?
    }

    static let start = WallTime(unixMilliseconds: 1_800_000_000_000)
    private static let segmentBytes = 40 * 4_096

    let scratch: TemporaryDirectory
    let content: Content
    /// The directory that the process left.
    var original: String { "\(scratch.path)/original" }

    init() throws {
        scratch = try TemporaryDirectory()
        let live = "\(scratch.path)/live"
        try FileManager.default.createDirectory(atPath: live, withIntermediateDirectories: true)
        let store = try Store(path: "\(live)/store.sqlite", durability: .process)
        var journal = try Self.open(live, store).journal
        let users = try ["ann", "ben", "eve"].map(Self.user)
        for user in users { try store.add(user) }
        let keys = try [1, 2].map { try Self.key(of: users[0].session.email, UInt8($0)) }
        try store.append(keys.map { .access(.keyAdded($0.key, $0.digest)) })
        // The files are created on another thread, as fast as the disk is.
        var count = 0
        while count < 100 || store.witness.journal?.segment != 3, count < 20_000 {
            try journal.append([try Self.end(count)], open: { [] })
            count += 1
        }
        try store.append([
            .access(.userRemoved(users[2].session.email)), .access(.keysRevoked([keys[1].digest])),
        ])
        try Self.copy(live, to: "\(scratch.path)/original", of: store)
        journal.finish()
        content = try Self.read(live)
    }

    /// Copies the files of one moment: the thread that makes segments renames each, and records it in the
    /// store.
    private static func copy(_ live: String, to target: String, of store: Store) throws {
        for _ in 0..<100 {
            let before = store.witness.store
            if FileManager.default.fileExists(atPath: target) {
                try FileManager.default.removeItem(atPath: target)
            }
            let isCopied = (try? FileManager.default.copyItem(atPath: live, toPath: target)) != nil
            if isCopied, store.witness.store == before { return }
        }
        Issue.record("the store changes all the time")
    }

    /// A copy of the directory, for one damage.
    func copy() throws -> String {
        let path = makePath()
        try FileManager.default.copyItem(atPath: original, toPath: path)
        return path
    }

    /// A path that no store had before: the store of a controller that read one closes on another thread,
    /// and removes its log by the log's path.
    func makePath() -> String { "\(scratch.path)/\(UUID())" }

    /// Every file, by its path in the directory.
    var files: [String] { get throws { try FileDamage.files(in: original) } }

    private static func open(
        _ directory: String, _ store: Store
    ) throws -> (journal: Journal<SegmentFiles>, replay: JournalReplay) {
        let epoch = try store.beginEpoch(at: start)
        let files = try SegmentFiles(
            directory: "\(directory)/journal", epoch: epoch, durability: .process, store: store)
        var replay = JournalReplay()
        let journal = try Journal(
            files, segmentBytes: segmentBytes, at: start, into: &replay)
        return (journal, replay)
    }

    /// The state of a controller that has read all of it.
    ///
    /// - Parameter added: Entries that the controller appends before it dies.
    static func read(
        _ directory: String, storeName: String = "store.sqlite", adding added: [JournalEntry] = []
    ) throws -> Content {
        let store = try Store(path: "\(directory)/\(storeName)", durability: .process)
        var (journal, replay) = try open(directory, store)
        try journal.append(added, open: { [] })
        var content = Content()
        (content.openCount, content.horizon) = (replay.openCount, replay.horizon)
        content.users = Set(try store.users().map(\.session.email))
        content.keys = Set(try store.keys().map(\.digest))
        content.add(replay)
        if replay.unreadUpTo != nil {
            let reader = SegmentReader(directory: "\(directory)/journal")
            let wakes = DispatchSemaphore(value: 0)
            reader.read(journal.unread) { wakes.signal() }
            defer { reader.finish() }
            while true {
                wakes.wait()
                guard let (part, _) = try reader.popPart() else { continue }
                content.add(part.ends)
                if part.unreadUpTo == nil { break }
            }
        }
        return content
    }

    private static func user(_ name: String) throws -> ControllerConfiguration.User {
        let account = try #require(AccountID("demo"))
        let email = try #require(Email("\(name)@example.com"))
        let session = Session(account: account, email: email, role: .member, isOperator: false)
        return ControllerConfiguration.User(session: session, passwordHash: "argon2id")
    }

    private static func key(of user: Email, _ byte: UInt8) throws -> ControllerConfiguration.KnownKey {
        ControllerConfiguration.KnownKey(
            digest: try #require(TokenDigest([UInt8](repeating: byte, count: 32))),
            key: APIKey(name: try #require(APIKey.Name("key-\(byte)")), user: user, madeAt: start))
    }

    static func end(_ index: Int) throws -> JournalEntry {
        var generator = SeededGenerator(seed: UInt64(index))
        let time = start.advanced(by: .seconds(index))
        let report = OutcomeReport(
            requestID: RequestID(at: time, using: &generator), device: nil, outcome: .cancelled,
            user: try #require(Email("ann@example.com")))
        return .ended(try #require(AccountID("demo")), report, content: nil, at: time)
    }
}

extension StorageSample.Content {
    fileprivate mutating func add(_ replay: JournalReplay) {
        for (place, key) in replay.endedKeys.enumerated() {
            ends[key.id] = replay.ended[Pages<EndedRequests.Entry>.Place(place)].report
        }
    }
}

extension Journal {
    /// Appends changes of requests only.
    mutating func append(
        _ entries: [JournalEntry], open: () -> [JournalEntry]
    ) throws(StorageError) {
        try append(entries.map(StorageChange.request), open: open)
    }
}

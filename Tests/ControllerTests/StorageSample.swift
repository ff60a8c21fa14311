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
        for email in [Email.ann, .ben, .eve] { try store.add(.init(email)) }
        let keys = (1...2).map { ControllerConfiguration.KnownKey("key-\($0)", of: .ann, .of($0)) }
        try store.append(keys.map { .access(.keyAdded($0.key, $0.digest)) })
        // The files are created on another thread, as fast as the disk is.
        var count = 0
        while count < 100 || store.witness.journal?.segment != 3, count < 20_000 {
            try journal.append([.end(count)])
            count += 1
        }
        try store.append([.access(.userRemoved(.eve)), .access(.keysRevoked([keys[1].digest]))])
        try Self.copy(live, to: "\(scratch.path)/original", of: store)
        journal.finish()
        content = try Self.read(live)
    }

    /// Copies the files of one moment: the thread that makes segments renames each, and records it in the
    /// store.
    private static func copy(_ live: String, to target: String, of store: Store) throws {
        for _ in 0..<100 {
            let before = store.witness.store
            let isCopied = (try? FileManager.default.replace(target, byCopyOf: live)) != nil
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
        try store.openJournal(in: "\(directory)/journal", segmentBytes: segmentBytes)
    }

    /// The state of a controller that has read all of it.
    ///
    /// - Parameter added: Entries that the controller appends before it dies.
    static func read(
        _ directory: String, storeName: String = "store.sqlite", adding added: [JournalEntry] = []
    ) throws -> Content {
        let store = try Store(path: "\(directory)/\(storeName)", durability: .process)
        var (journal, replay) = try open(directory, store)
        try journal.append(added)
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
}

extension StorageSample.Content {
    fileprivate mutating func add(_ replay: JournalReplay) {
        for (place, key) in replay.endedKeys.enumerated() {
            ends[key.id] = replay.ended[Pages<EndedRequests.Entry>.Place(place)].report
        }
    }
}

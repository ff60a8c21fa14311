import ControllerCore
import FleetProtocol
import Foundation
import ProcessSupport

/// The journal's segments as files in one directory: `000001.sqlite`, `000002.sqlite`, and so on.
struct SegmentFiles: JournalMedium {
    private let directory: String
    private let epoch: Epoch
    private let durability: Durability
    private let store: Store
    private let worker: SegmentWorker
    private var files: [Int: SegmentFile] = [:]

    /// Opens the segments in a directory, which is created if it is missing.
    ///
    /// - Parameter epoch: This controller's epoch, which the store already has.
    init(directory: String, epoch: Epoch, durability: Durability, store: Store) throws(StorageError) {
        (self.directory, self.epoch, self.durability, self.store) = (directory, epoch, durability, store)
        worker = SegmentWorker(directory: directory, epoch: epoch, durability: durability, store: store)
        do {
            try FileManager.default.createDirectory(
                atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw .failed(path: directory, what: error.localizedDescription)
        }
    }

    func name(of segment: Int) -> String { worker.path(segment) }

    func recordedOutcome() -> RecordedOutcome? {
        store.witness.journal.map { RecordedOutcome($0.journalEnd, isLossPossible: $0.isLossPossible) }
    }

    func record(_ end: JournalEnd) throws(StorageError) { try store.witness.record(end) }

    mutating func segments() throws(StorageError) -> [Int] {
        let numbers = try numbersInDirectory()
        let newest = try store.newestSegment()
        guard newest == 0 || numbers.contains(newest) else { throw .missing(path: worker.path(newest)) }
        if let last = numbers.last, last > newest { try store.recordSegment(last, of: epoch) }
        return numbers
    }

    private func numbersInDirectory() throws(StorageError) -> [Int] {
        do {
            let names = try FileManager.default.contentsOfDirectory(atPath: directory)
            for name in names where name.contains(".making") {
                try FileManager.default.removeItem(atPath: "\(directory)/\(name)")
            }
            return names.compactMap(SegmentFile.number).sorted()
        } catch {
            throw .failed(path: directory, what: error.localizedDescription)
        }
    }

    mutating func claim(_ segment: Int) throws(StorageError) { try opened(segment).claim(for: epoch) }

    mutating func first(of segment: Int) throws(StorageError) -> ArraySlice<UInt8>? {
        try opened(segment).first()
    }

    mutating func last(of segment: Int) throws(StorageError) -> ArraySlice<UInt8>? {
        if let file = files[segment] { return try file.last() }
        // The file is closed at once, because its reader opens it, too.
        return try SegmentFile(opening: worker.path(segment), durability).last()
    }

    private mutating func opened(_ segment: Int) throws(StorageError) -> SegmentFile {
        if let file = files[segment] { return file }
        let file = try SegmentFile(opening: worker.path(segment), durability)
        files[segment] = file
        return file
    }

    func read(_ segment: Int, _ body: (ArraySlice<UInt8>) throws(StorageError) -> Void) throws(StorageError) {
        try file(segment).read(body)
    }

    func append(_ batch: [UInt8], to segment: Int) throws(StorageError) {
        try file(segment).append(batch, as: epoch)
    }

    private func file(_ segment: Int) throws(StorageError) -> SegmentFile {
        guard let file = files[segment] else {
            throw .failed(path: worker.path(segment), what: "it is not open")
        }
        return file
    }

    mutating func create(_ segment: Int) throws(StorageError) {
        // A file that was prepared earlier may have an older format: it is replaced.
        try files.removeValue(forKey: segment)?.close()
        files[segment] = try worker.make(segment)
    }

    mutating func prepare(_ segment: Int) throws(StorageError) -> Bool {
        if files[segment] == nil { files[segment] = try worker.removeMade(segment) }
        return files[segment] != nil
    }

    mutating func close(_ segment: Int) throws(StorageError) {
        if let file = files.removeValue(forKey: segment) { worker.close(file) }
    }

    mutating func delete(_ segment: Int) throws(StorageError) {
        worker.delete(segment, files.removeValue(forKey: segment))
    }

    mutating func finish() {
        for file in files.values { worker.close(file) }
        files = [:]
        worker.finish()
    }
}

/// The segments that are prepared: those requested, and those finished and not taken yet.
///
/// A segment is created once, because a second file would replace one that is already in use. It is created
/// again only after a full disk.
struct SegmentsToCome<File> {
    private var asked: Set<Int> = []
    private var made: [Int: File] = [:]

    /// Removes and returns a finished segment, or nil with whether the caller must create it now.
    mutating func remove(_ segment: Int) -> (file: File?, isToBeMade: Bool) {
        if let file = made.removeValue(forKey: segment) { return (file, false) }
        return (nil, asked.insert(segment).inserted)
    }

    /// Adds a finished segment.
    mutating func addMade(_ segment: Int, _ file: File) { made[segment] = file }

    /// Withdraws the request for a segment after a full disk, so that the next call creates it.
    mutating func recordFullDisk(for segment: Int) { asked.remove(segment) }

    /// Removes and returns the finished segments that were not taken, by number.
    mutating func drainUnused() -> [File] {
        defer { made = [:] }
        return made.sorted { $0.key < $1.key }.map(\.value)
    }
}

import ControllerCore
import FleetProtocol
import ProcessSupport

struct SegmentFiles: JournalMedium {
    private let directory: SegmentDirectory
    private let epoch: Epoch
    private let durability: Durability
    private let store: Store
    private let worker: SegmentWorker
    private var files: [Int: SegmentFile] = [:]
    /// The newest segment at the start; 0 without one.
    private var newest = 0

    /// Opens the segments in a directory, which is created if it is missing. The store already has this
    /// controller's epoch.
    init(directory: String, epoch: Epoch, durability: Durability, store: Store) throws(StorageError) {
        self.directory = SegmentDirectory(directory)
        (self.epoch, self.durability, self.store) = (epoch, durability, store)
        worker = SegmentWorker(directory: directory, epoch: epoch, durability: durability, store: store)
        try self.directory.create()
    }

    func name(of segment: Int) -> String { directory.file(of: segment) }

    func recordedOutcome() throws(StorageError) -> RecordedOutcome? { try store.recordedEnd() }

    var storeChanges: UInt64? { store.changes }

    var storePosition: StorePosition? { store.position(durability) }

    var storeName: String { store.path }

    func acceptStart() throws(StorageError) { try store.recordSegment(newest, of: epoch) }

    func record(_ end: JournalEnd) throws(StorageError) { try store.witness.record(end) }

    mutating func segments() throws(StorageError) -> [Int] {
        try directory.removeUnfinished()
        let numbers = try directory.segments()
        let recorded = try store.newestSegment()
        guard recorded == 0 || numbers.contains(recorded) else {
            throw .missing(path: name(of: recorded))
        }
        newest = numbers.last ?? 0
        return numbers
    }

    mutating func claim(_ segment: Int) throws(StorageError) {
        try opened(segment).claim(for: epoch, of: store.fleet)
    }

    mutating func first(of segment: Int) throws(StorageError) -> ArraySlice<UInt8>? {
        try opened(segment).first()
    }

    mutating func last(of segment: Int) throws(StorageError) -> ArraySlice<UInt8>? {
        if let file = files[segment] { return try file.last() }
        // The file is closed at once, because its reader opens it, too.
        return try directory.open(segment).last()
    }

    private mutating func opened(_ segment: Int) throws(StorageError) -> SegmentFile {
        if let file = files[segment] { return file }
        let isOfThisBoot = store.witness.journal?.boot == SystemBoot.id
        let file = try directory.open(segment, toAppendWith: durability, mayBeTorn: !isOfThisBoot)
        guard file.fleet ?? store.fleet == store.fleet else {
            throw .damaged(path: file.path, what: "it is of another fleet than \(store.path)")
        }
        files[segment] = file
        return file
    }

    func read(_ segment: Int, _ body: (ArraySlice<UInt8>) throws(StorageError) -> Void) throws(StorageError) {
        guard let file = files[segment] else { throw notOpen(segment) }
        try file.read(body)
    }

    func append(_ batch: [UInt8], to segment: Int) throws(StorageError) {
        guard let file = files[segment] else { throw notOpen(segment) }
        try file.append(batch, as: epoch)
    }

    func confirm(_ segment: Int) throws(StorageError) {
        try files[segment]?.confirm(epoch)
    }

    private func notOpen(_ segment: Int) -> StorageError {
        .failed(path: name(of: segment), what: "it is not open")
    }

    mutating func create(_ segment: Int) throws(StorageError) {
        // An earlier run may have prepared it; then it is empty, and claimed.
        guard files[segment] == nil else { return }
        files[segment] = try worker.make(segment)
    }

    mutating func prepare(_ segment: Int) throws(StorageError) -> Bool {
        if files[segment] == nil, let file = try worker.removeMade(segment) { files[segment] = file }
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

/// The segments that are prepared: those requested, and those finished and not taken yet. A segment is
/// created once, because a second file would replace one that is already in use. It is created again only
/// after a full disk.
struct SegmentsToCome<File> {
    private var asked: Set<Int> = []
    private var made: [Int: File] = [:]

    /// Removes and returns a finished segment, or nil with whether the caller must create it now.
    mutating func remove(_ segment: Int) -> (file: File?, isToBeMade: Bool) {
        if let file = made.removeValue(forKey: segment) { return (file, false) }
        return (nil, asked.insert(segment).inserted)
    }

    mutating func addMade(_ segment: Int, _ file: File) { made[segment] = file }

    /// Withdraws the request for a segment after a full disk, so that the next call creates it.
    mutating func recordFullDisk(for segment: Int) { asked.remove(segment) }

    /// Removes and returns the finished segments that were not taken, by number.
    mutating func drainUnused() -> [File] {
        defer { made = [:] }
        return made.sorted { $0.key < $1.key }.map(\.value)
    }
}

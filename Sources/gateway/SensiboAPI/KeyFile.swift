import CSodium
import FleetProtocol
import GatewayCore
import Glibc
import Logging
import ProcessSupport

/// The file that stores the clients' idempotency keys: one record per key.
///
/// A record has the entry's four numbers of 16 bytes and a checksum of 16. The request ID zero removes the
/// key of an earlier record, whose request was refused. A torn end is left out: an incomplete record, and
/// zeros up to the end of the file, as after a power loss. A file with any other invalid record is refused,
/// because a change would be made again under its key. The file is locked against other gateways of the same
/// fleet.
struct KeyFile {
    struct Damage: Error, CustomStringConvertible {
        let path: String
        /// The number of the record, from 1.
        let record: Int

        var description: String {
            """
            \(path) is damaged (record \(record) does not fit its checksum). Move it away to go on: a change \
            that is repeated under an Idempotency-Key of before is then made again.
            """
        }
    }

    private static let recordBytes = 80
    private static let checkedBytes = 64
    /// The number of records of removed keys at which the file is rewritten.
    private static let staleAtMost = 1_024

    private let path: String
    private let lock: FileLock
    private var file: GrowingFile

    /// Opens the file, and adds its keys to the table as of `now`. Throws `locked` while another gateway has
    /// the file. A damaged file stays unchanged.
    init(in directory: RunDirectory, into table: inout KeyedRequests, at now: Moment) throws {
        path = directory.keyFile
        lock = try FileLock(path: directory.lockFile(for: "gateway-keys"))
        var bytes: [UInt8] = []
        _ = try GrowingFile.read(path) { bytes += $0 }
        for entry in try Self.entries(in: bytes, at: path) { table.restore(entry, at: now) }
        file = try Self.file(of: table, at: path)
    }

    /// Returns the entries of all records except an incomplete last one.
    private static func entries(in bytes: [UInt8], at path: String) throws(Damage) -> [KeyedRequests.Entry] {
        let end = (bytes.lastIndex { $0 != 0 } ?? -1) + 1
        var entries: [KeyedRequests.Entry] = []
        for (number, start) in stride(from: 0, to: end, by: recordBytes).enumerated() {
            let next = start + recordBytes
            if next <= bytes.count, let entry = entry(in: Array(bytes[start..<next])) {
                entries.append(entry)
            } else if next <= end {
                throw Damage(path: path, record: number + 1)
            }
        }
        return entries
    }

    /// Writes a new key, or the removal of one, which the table has already; `ENOSPC` on a full disk.
    mutating func append(_ entry: KeyedRequests.Entry, of table: KeyedRequests) throws {
        guard file.count / Self.recordBytes < table.count + Self.staleAtMost else {
            file = try Self.file(of: table, at: path)
            return
        }
        guard try file.append(Self.record(of: entry)) else {
            throw RuntimeError.system(operation: "write", path: path, errno: ENOSPC)
        }
    }

    /// Removes all keys.
    mutating func removeAll() throws { file = try Self.file(of: KeyedRequests(), at: path) }

    /// Creates a file with the keys of a table, which replaces the existing one.
    private static func file(of table: KeyedRequests, at path: String) throws(RuntimeError) -> GrowingFile {
        let file = try GrowingFile(replacing: "\(path).new")
        guard try file.append(table.all.flatMap(record)) else {
            throw .system(operation: "write", path: path, errno: ENOSPC)
        }
        try file.move(to: path, isSynced: false)
        return file
    }

    private static func record(of entry: KeyedRequests.Entry) -> [UInt8] {
        let numbers = [
            entry.caller.high, entry.caller.low, entry.key.high, entry.key.low, entry.content.high,
            entry.content.low, entry.requestID.high, entry.requestID.low,
        ]
        let bytes = numbers.flatMap { number in
            (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - $0 * 8)) }
        }
        return bytes + KeyedRequests.Digest.hash(of: bytes)
    }

    private static func entry(in record: [UInt8]) -> KeyedRequests.Entry? {
        let checked = Array(record[..<checkedBytes])
        guard Array(record[checkedBytes...]) == KeyedRequests.Digest.hash(of: checked) else { return nil }
        let numbers = stride(from: 0, to: checkedBytes, by: 8).map { start in
            checked[start..<start + 8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        }
        return KeyedRequests.Entry(
            caller: .init(high: numbers[0], low: numbers[1]), key: .init(high: numbers[2], low: numbers[3]),
            content: .init(high: numbers[4], low: numbers[5]),
            requestID: RequestID(high: numbers[6], low: numbers[7]))
    }
}

extension KeyedRequests.Digest {
    private static let bytes = 16

    /// The hash of a list of byte strings, each prefixed by its length, so that different lists have
    /// different input.
    init(of parts: [[UInt8]]) {
        let bytes = Self.hash(of: parts.flatMap { Array("\($0.count):".utf8) + $0 })
        self.init(
            high: bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) },
            low: bytes[8...].reduce(0) { $0 << 8 | UInt64($1) })
    }

    fileprivate static func hash(of bytes: [UInt8]) -> [UInt8] {
        var hash = [UInt8](repeating: 0, count: Self.bytes)
        crypto_generichash(&hash, hash.count, bytes, UInt64(bytes.count), nil, 0)
        return hash
    }
}

/// The clients' idempotency keys and their requests, which persist over restarts of the gateway. A key is
/// written to its file before its request is sent. The file is opened with the first key.
actor IdempotencyKeys {
    /// The time after which a client may retry if its key cannot be written.
    private static let pause: Duration = .seconds(1)

    private let directory: RunDirectory
    private let clock: @Sendable () -> Moment
    private let logger = Logger(label: "gateway")
    private var table = KeyedRequests()
    private var file: KeyFile?

    init(in directory: RunDirectory, clock: @escaping @Sendable () -> Moment) {
        (self.directory, self.clock) = (directory, clock)
    }

    /// Carries out a request under a key, which is written before if it is new, and given back if the request
    /// is refused. An objection is why the request is refused unless its key is known. The request is a
    /// repeat if the key was known.
    nonisolated func carryOut(
        _ entry: KeyedRequests.Entry, unless objection: APIError?,
        _ work: (RequestID, _ isRepeat: Bool) async throws(APIError) -> APIResponse
    ) async throws(APIError) -> APIResponse {
        let (requestID, isRepeat): (RequestID, Bool)
        switch try await claim(entry, unless: objection) {
        case .new: (requestID, isRepeat) = (entry.requestID, false)
        case .known(let known): (requestID, isRepeat) = (known, true)
        case .otherContent: throw .keyReused
        case .full(let wait): throw .busy(retryAfter: wait)
        }
        do throws(APIError) {
            let answer = try await work(requestID, isRepeat)
            await endUse(of: entry, isRefused: false)
            return answer
        } catch {
            await endUse(of: entry, isRefused: error.isRefusal)
            throw error
        }
    }

    /// Forgets all keys.
    func removeAll() throws {
        table = KeyedRequests()
        try file?.removeAll()
    }

    /// Claims a key for a request, and writes the key if it is new, unless there is an objection.
    func claim(
        _ entry: KeyedRequests.Entry, unless objection: APIError? = nil
    ) throws(APIError) -> KeyedRequests.Claim {
        if file == nil {
            file = try storing { try KeyFile(in: directory, into: &table, at: clock()) }
        }
        if let objection, !table.isKnown(entry) { throw objection }
        let claim = table.claim(entry, at: clock().monotonic)
        guard claim == .new else { return claim }
        do throws(APIError) {
            _ = try storing { try file?.append(entry, of: table) }
        } catch {
            _ = table.endUse(of: entry, isRefused: true)
            throw error
        }
        return .new
    }

    private func endUse(of entry: KeyedRequests.Entry, isRefused: Bool) {
        guard table.endUse(of: entry, isRefused: isRefused) else { return }
        do {
            try file?.append(entry.removal, of: table)
        } catch {
            logger.notice("removal of an idempotency key not written", metadata: ["error": "\(error)"])
        }
    }

    private func storing<Value>(_ work: () throws -> Value) throws(APIError) -> Value {
        do {
            return try work()
        } catch RuntimeError.system(_, _, ENOSPC), RuntimeError.system(_, _, EDQUOT) {
            throw .storageFull(retryAfter: Self.pause)
        } catch {
            logger.error("idempotency key not written", metadata: ["error": "\(error)"])
            throw .broken("Idempotency-Key not stored: see the gateway's log. Nothing changed.")
        }
    }
}

import CSodium
import FleetProtocol
import FleetTime
import GatewayCore
import Glibc
import Logging
import ProcessSupport

/// The file that stores the clients' idempotency keys: one record per key.
///
/// A record has the entry's four numbers of 16 bytes and a checksum of 16. A torn end is left out: an
/// incomplete record, and zeros up to the end of the file, as after a power loss. A file with any other
/// invalid record is refused, because a change would be made again under its key. The file is locked against
/// other gateways of the same fleet.
struct KeyFile {
    /// An error for an invalid record.
    struct Damage: Error, CustomStringConvertible {
        /// The path of the file.
        let path: String
        /// The number of the record, from 1.
        let record: Int

        /// The cause, the place, and what to do.
        var description: String {
            """
            \(path) is damaged (record \(record) does not fit its checksum). Move it away to go on: a change \
            that is repeated under an Idempotency-Key of before is then made again.
            """
        }
    }

    private static let recordBytes = 80
    private static let checkedBytes = 64
    /// The number of records of expired keys at which the file is rewritten.
    private static let staleAtMost = 1_024

    private let path: String
    private let lock: FileLock
    private var file: GrowingFile

    /// Opens and reads the file.
    ///
    /// - Parameter table: The table to which the keys of the file are added, as of `now`.
    /// - Throws: `locked` while another gateway has the file, `Damage` for a damaged file, which stays
    ///   unchanged, and `system` for a failed call.
    init(in directory: RunDirectory, into table: inout KeyedRequests, at now: Moment) throws {
        path = directory.keyFile
        lock = try FileLock(path: directory.lockFile(for: "gateway-keys"))
        var bytes: [UInt8] = []
        _ = try GrowingFile.read(path) { bytes += $0 }
        for entry in try Self.entries(in: bytes, at: path) { _ = table.claim(entry, at: now.wall) }
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

    /// Writes a new key.
    ///
    /// - Returns: Whether the disk had enough space.
    /// - Throws: `system` for a failed call.
    mutating func append(_ entry: KeyedRequests.Entry, of table: KeyedRequests) throws -> Bool {
        guard file.count / Self.recordBytes < table.count + Self.staleAtMost else {
            // The table has the new key already.
            file = try Self.file(of: table, at: path)
            return true
        }
        return try file.append(Self.record(of: entry))
    }

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
            entry.account.high, entry.account.low, entry.key.high, entry.key.low, entry.content.high,
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
            account: .init(high: numbers[0], low: numbers[1]), key: .init(high: numbers[2], low: numbers[3]),
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

    /// The BLAKE2b hash of bytes.
    fileprivate static func hash(of bytes: [UInt8]) -> [UInt8] {
        var hash = [UInt8](repeating: 0, count: Self.bytes)
        crypto_generichash(&hash, hash.count, bytes, UInt64(bytes.count), nil, 0)
        return hash
    }
}

/// The clients' idempotency keys and their requests, which persist over restarts of the gateway.
///
/// A key is written to its file before its request is sent. The file is opened with the first key.
actor IdempotencyKeys {
    /// The time after which a client may retry if its key cannot be written.
    private static let pause: Duration = .seconds(1)

    private let directory: RunDirectory
    private let clock: @Sendable () -> Moment
    private let logger = Logger(label: "gateway")
    private var table = KeyedRequests()
    private var file: KeyFile?

    /// The keys of a run directory.
    init(in directory: RunDirectory, clock: @escaping @Sendable () -> Moment) {
        (self.directory, self.clock) = (directory, clock)
    }

    /// Claims a key for a request, and writes the key if it is new.
    ///
    /// - Throws: ``APIError/busy(retryAfter:)`` if the table or the disk is full, and ``APIError/broken(_:)``
    ///   if the key cannot be written.
    func claim(_ entry: KeyedRequests.Entry) throws(APIError) -> KeyedRequests.Claim {
        do {
            if file == nil { file = try KeyFile(in: directory, into: &table, at: clock()) }
            let claim = table.claim(entry, at: clock().wall)
            guard claim == .new else { return claim }
            if try file?.append(entry, of: table) ?? false { return .new }
            table.withdraw(entry)
            return .full(retryAfter: Self.pause)
        } catch {
            table.withdraw(entry)
            logger.error("idempotency key not written", metadata: ["error": "\(error)"])
            throw .broken("Idempotency-Key not stored: see the gateway's log. Nothing changed.")
        }
    }
}

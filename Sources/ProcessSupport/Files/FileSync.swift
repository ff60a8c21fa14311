import CFiles
internal import CSodium
import Dispatch
import FleetProtocol
import Glibc
import Synchronization

/// Syncs a file to the disk on another thread, because a sync may take longer than a loop may block.
public final class FileSync: Sendable {
    private let descriptor: Int32
    private let path: String
    private let outcome = Mutex<Result<Void, RuntimeError>?>(nil)

    init(descriptor: Int32, path: String) { (self.descriptor, self.path) = (descriptor, path) }

    deinit { close(descriptor) }

    /// Starts the sync; called once, and calls `wake` on the other thread at the end.
    public func begin(then wake: @escaping @Sendable () -> Void) {
        DispatchQueue(label: "file sync").async { [self] in
            let result: Result<Void, RuntimeError> =
                fdatasync(descriptor) == 0 ? .success(()) : .failure(.lastError("sync", path))
            outcome.withLock { $0 = result }
            wake()
        }
    }

    /// Whether the bytes are on the disk; throws if the sync failed.
    public func isDone() throws(RuntimeError) -> Bool {
        guard let result = outcome.withLock({ $0 }) else { return false }
        try result.get()
        return true
    }
}

/// Changes of directory entries.
public enum DirectoryNames {
    /// Renames a file or directory; `ENOTEMPTY` or `EEXIST` if a directory with files has the new name.
    public static func rename(_ path: String, to other: String) throws(RuntimeError) {
        guard Glibc.rename(path, other) == 0 else { throw .lastError("rename to \(other)", path) }
    }

    /// Exchanges the names of two directories atomically; false if the file system does not support it.
    public static func exchange(_ path: String, with other: String) throws(RuntimeError) -> Bool {
        if files_exchange(path, other) == 0 { return true }
        guard [EINVAL, ENOSYS, ENOTSUP].contains(errno) else {
            throw .lastError("exchange with \(other)", path)
        }
        return false
    }

    /// Syncs the entries of a directory to the disk.
    public static func sync(_ directory: String) throws(RuntimeError) {
        let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .lastError("open", directory) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw .lastError("sync", directory) }
    }

    /// Syncs the directory entry of a file or directory to the disk.
    public static func sync(nameOf path: String) throws(RuntimeError) {
        let directory = path[..<(path.lastIndex(of: "/") ?? path.startIndex)]
        try sync(directory.isEmpty ? "/" : String(directory))
    }
}

/// The failures that written data survives.
public enum Durability: String, CaseIterable, Sendable {
    /// None: the data is in memory only.
    case none
    case process
    /// A power loss, too: each batch is synced before its replies and updates are sent.
    case power

    /// The durability of a name.
    public static func named(_ name: String) throws(RuntimeError) -> Durability {
        guard let durability = Durability(rawValue: name) else {
            throw .invalidValue(name, of: "durability", allowed: "use one of \(names)")
        }
        return durability
    }

    /// The names, for help texts.
    public static let names = allCases.map(\.rawValue).joined(separator: ", ")
}

/// The SHA-256 digest of bytes that are added in parts.
struct FileDigest {
    private var state = crypto_hash_sha256_state()

    init() {
        precondition(sodium_init() >= 0, "libsodium cannot be set up")
        crypto_hash_sha256_init(&state)
    }

    mutating func update(_ part: ArraySlice<UInt8>) {
        crypto_hash_sha256_update(&state, Array(part), UInt64(part.count))
    }

    /// The digest of all parts, as 64 hexadecimal digits: what `sha256sum` prints.
    consuming func finish() -> String {
        var digest = [UInt8](repeating: 0, count: Int(crypto_hash_sha256_BYTES))
        crypto_hash_sha256_final(&state, &digest)
        return digest.hexadecimal
    }
}

/// A copy of a file, on the disk.
public struct FileCopy: Sendable, Equatable {
    /// The length of the copy, bytes.
    public let bytes: Int
    /// The SHA-256 of its bytes, as 64 hexadecimal digits.
    public let digest: String

    /// Copies a file of the process's user into a new file of mode 0600, and syncs it. The copy of a growing
    /// file ends where the file ended at one moment. It replaces an existing file; its directory must exist.
    /// Returns the length and the digest; nil for a missing file.
    public static func make(of path: String, at copy: String) throws -> FileCopy? {
        let target = try GrowingFile(replacing: copy)
        do {
            var digest = FileDigest()
            let exists = try GrowingFile.read(path) { block in
                digest.update(block)
                guard try target.append(Array(block)) else {
                    throw RuntimeError.system(operation: "write", path: copy, errno: ENOSPC)
                }
            }
            guard exists else {
                try target.remove()
                return nil
            }
            try target.sync()
            return FileCopy(bytes: target.count, digest: digest.finish())
        } catch {
            try target.remove()
            throw error
        }
    }

    /// The length and the digest of a file; nil for a missing file.
    public static func described(_ path: String) throws -> FileCopy? {
        var (digest, bytes) = (FileDigest(), 0)
        let exists = try GrowingFile.read(path) { block in
            digest.update(block)
            bytes += block.count
        }
        return exists ? FileCopy(bytes: bytes, digest: digest.finish()) : nil
    }
}

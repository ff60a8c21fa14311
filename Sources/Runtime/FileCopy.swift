import Glibc

/// A copy of a file, on the disk.
public struct FileCopy: Sendable, Equatable {
    /// How long it is, bytes.
    public let bytes: Int
    /// The SHA-256 of its bytes, as 64 hexadecimal digits.
    public let digest: String

    /// Copies a file of the process's user into a new file that its owner alone may read, and waits for the
    /// disk.
    ///
    /// The copy of a file that grows has its first bytes, up to one moment.
    ///
    /// - Parameter copy: Where the copy is to be, in the place of any other; its directory must exist.
    /// - Returns: The length and the digest; nil for a missing file.
    /// - Throws: `symbolicLink`, `notRegularFile` or `foreignFile`; `system` with the call that failed.
    public static func make(of path: String, at copy: String) throws -> FileCopy? {
        let target = try GrowingFile(replacing: copy)
        do {
            var digest = FileDigest()
            let exists = try GrowingFile.read(path) { block in
                digest.take(block)
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
    ///
    /// - Throws: As ``make(of:at:)``.
    public static func described(_ path: String) throws -> FileCopy? {
        var (digest, bytes) = (FileDigest(), 0)
        let exists = try GrowingFile.read(path) { block in
            digest.take(block)
            bytes += block.count
        }
        return exists ? FileCopy(bytes: bytes, digest: digest.finish()) : nil
    }
}

import Glibc

package enum FileContents {
    /// Returns the bytes of a file; for an oversized file, one more than the limit. The advice says what to
    /// name in place of the file.
    package static func bytes(
        of path: String, called name: String, upTo limit: Int = FileLimits.bytes, _ advice: String
    ) throws(InvalidFile) -> [UInt8] {
        switch contents(of: path, upTo: limit + 1) {
        case .success(let read): return read
        case .failure(let unreadable):
            var findings = Findings()
            findings.add(unreadable: unreadable.reason, advice: advice)
            throw findings.error(in: name)
        }
    }

    private struct Unreadable: Error {
        let reason: String

        static var last: Unreadable {
            let number = errno
            if number == ENOENT { return Unreadable(reason: "no such file") }
            return Unreadable(reason: strerror(number).map { String(cString: $0) } ?? "error \(number)")
        }
    }

    private static func contents(of path: String, upTo limit: Int) -> Result<[UInt8], Unreadable> {
        // Opens a pipe without a writer at once, so that it can be rejected.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return .failure(.last) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return .failure(.last) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            return .failure(Unreadable(reason: "a path that is not a regular file"))
        }
        var bytes: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 4_096)
        while bytes.count < limit {
            let count = Glibc.read(descriptor, &block, min(block.count, limit - bytes.count))
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return .failure(.last) }
            guard count > 0 else { break }
            bytes += block[..<count]
        }
        return .success(bytes)
    }
}

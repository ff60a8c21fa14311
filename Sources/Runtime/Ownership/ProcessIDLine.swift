import Glibc

/// The ID of a process, as the first line of a small file.
enum ProcessIDLine {
    /// Bytes written, whatever the ID: a disk that is full has room for what overwrites the same number.
    private static let bytes = 12

    /// Writes the calling process's ID over the start of an open file.
    ///
    /// - Throws: `system` where the file cannot be written.
    static func write(to descriptor: Int32, path: String) throws(RuntimeError) {
        var line = Array("\(getpid())".utf8)
        line += Array(repeating: UInt8(ascii: "\n"), count: bytes - line.count)
        let written = pwrite(descriptor, line, line.count, 0)
        guard written >= 0 else { throw .lastError("write", path) }
        guard written == line.count else { throw .system(operation: "write", path: path, errno: ENOSPC) }
    }

    /// The ID in an open file; nil where there is none.
    static func read(from descriptor: Int32) -> Int32? {
        var block = [UInt8](repeating: 0, count: bytes)
        let count = pread(descriptor, &block, block.count, 0)
        let line = block.prefix(max(0, count)).prefix { $0 != UInt8(ascii: "\n") }
        return Int32(String(decoding: line, as: UTF8.self))
    }
}

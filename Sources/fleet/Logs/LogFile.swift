import Glibc

/// One log while it is read: its last lines first, then what is added.
///
/// It is opened anew for each look, so that a log that was emptied or replaced is read from its start.
struct LogFile: Sendable {
    /// Bytes read in one look.
    static let lookBytes = 1 << 20
    /// How far from its end the last lines are looked for.
    static let tailBytes = 16 << 20
    private static let blockBytes = 64 * 1_024

    /// Where it is.
    let path: String

    private var offset = 0
    private var inode: ino_t = 0
    private var splitter = LineSplitter()

    /// The log at a path, of which nothing was read yet.
    init(path: String) {
        self.path = path
    }

    /// The last lines, with the one that has no end yet unless more is to come.
    mutating func tail(_ count: Int, moreIsToCome: Bool) -> [String] {
        guard let descriptor = openLog() else { return [] }
        defer { close(descriptor) }
        let size = max(0, lseek(descriptor, 0, SEEK_END))
        offset = Self.start(ofLast: count, in: descriptor, size: size)
        var lines: [String] = []
        while offset < size {
            let before = offset
            lines += look(into: descriptor)
            if offset == before { break }
        }
        if !moreIsToCome, count > 0, let rest = splitter.finish() { lines.append(rest) }
        return lines.suffix(count)
    }

    /// The lines that were completed since the last look, up to a bound.
    mutating func added() -> [String] {
        guard let descriptor = openLog() else { return [] }
        defer { close(descriptor) }
        return look(into: descriptor)
    }

    /// A descriptor of the file; nil where none is, or what is there is no file of its own.
    private mutating func openLog() -> Int32? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            return nil
        }
        if status.st_ino != inode || status.st_size < offset {
            (offset, inode, splitter) = (0, status.st_ino, LineSplitter())
        }
        return descriptor
    }

    private mutating func look(into descriptor: Int32) -> [String] {
        var lines: [String] = []
        var block = [UInt8](repeating: 0, count: Self.blockBytes)
        for _ in 0..<(Self.lookBytes / Self.blockBytes) {
            let count = pread(descriptor, &block, block.count, offset)
            guard count > 0 else { break }
            offset += count
            lines += splitter.take(block[..<count])
        }
        return lines
    }

    /// Where the last lines begin: after the newline before them.
    private static func start(ofLast count: Int, in descriptor: Int32, size: Int) -> Int {
        guard count > 0 else { return size }
        var block = [UInt8](repeating: 0, count: blockBytes)
        var newlines = 0
        var end = size
        while end > max(0, size - tailBytes) {
            let start = max(0, end - blockBytes)
            guard pread(descriptor, &block, end - start, start) == end - start else { return size }
            for index in (0..<(end - start)).reversed() where block[index] == UInt8(ascii: "\n") {
                // The newline that ends the file ends its last line, and begins none.
                if start + index == size - 1 { continue }
                newlines += 1
                if newlines == count { return start + index + 1 }
            }
            end = start
        }
        return end
    }
}

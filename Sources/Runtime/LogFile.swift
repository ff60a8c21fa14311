import Glibc

/// One log while it is read: its last lines first, then those that are added.
///
/// It is opened for each look. A log that was emptied or replaced is read from its start; one that was
/// renamed, as ``RotatingLog`` does, is read to its end before its successor.
package struct LogFile: Sendable {
    /// Bytes read in one look.
    static let lookBytes = 1 << 20
    /// How far from its end the last lines are looked for.
    static let tailBytes = 16 << 20
    private static let blockBytes = 64 * 1_024

    /// Where it is.
    package let path: String

    private var offset = 0
    private var inode: ino_t = 0
    private var splitter = LineSplitter()

    /// The log at a path, of which nothing was read yet.
    package init(path: String) {
        self.path = path
    }

    /// The last lines, with the one that has no end yet unless more is to come.
    package mutating func tail(_ count: Int, moreIsToCome: Bool) -> [String] {
        var lines: [String] = []
        if let descriptor = openCurrent() {
            defer { close(descriptor) }
            lines = tail(count, of: descriptor, moreIsToCome: moreIsToCome)
        }
        for path in RotatingLog.olderFiles(of: path) where lines.count < count {
            var older = LogFile(path: path)
            guard let descriptor = older.openCurrent() else { continue }
            defer { close(descriptor) }
            lines = older.tail(count - lines.count, of: descriptor, moreIsToCome: false) + lines
        }
        return lines
    }

    private mutating func tail(_ count: Int, of descriptor: Int32, moreIsToCome: Bool) -> [String] {
        let size = max(0, lseek(descriptor, 0, SEEK_END))
        offset = Self.start(ofLast: count, in: descriptor, size: size)
        var lines = lookToEnd(of: descriptor, at: size)
        if !moreIsToCome, count > 0, let rest = splitter.finish() { lines.append(rest) }
        return lines.suffix(count)
    }

    /// The lines that were completed since the last look, up to a bound.
    package mutating func added() -> [String] {
        guard let descriptor = Self.open(path) else { return [] }
        defer { close(descriptor) }
        let missed = catchUp(to: descriptor)
        begin(descriptor)
        return missed + look(into: descriptor)
    }

    /// The lines left in the file that was read last, if it was renamed since, and in those between.
    private mutating func catchUp(to current: Int32) -> [String] {
        guard inode != 0, Self.inode(of: current) != inode else { return [] }
        let older = RotatingLog.olderFiles(of: path).compactMap(Self.open)
        defer { for descriptor in older { close(descriptor) } }
        guard let place = older.firstIndex(where: { Self.inode(of: $0) == inode }) else { return [] }
        return older[...place].reversed().flatMap { descriptor -> [String] in
            // The current file can be renamed at any moment.
            guard Self.inode(of: descriptor) != Self.inode(of: current) else { return [] }
            begin(descriptor)
            return lookToEnd(of: descriptor, at: .max)
        }
    }

    private mutating func openCurrent() -> Int32? {
        guard let descriptor = Self.open(path) else { return nil }
        begin(descriptor)
        return descriptor
    }

    /// A descriptor of a file; nil for a missing one, and for a link or another kind of file.
    private static func open(_ path: String) -> Int32? {
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            return nil
        }
        return descriptor
    }

    private static func inode(of descriptor: Int32) -> ino_t {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? status.st_ino : 0
    }

    /// Goes on where the file was left, or at the start of one that is new or was emptied.
    private mutating func begin(_ descriptor: Int32) {
        let found = Self.inode(of: descriptor)
        if found != inode || lseek(descriptor, 0, SEEK_END) < offset {
            (offset, inode, splitter) = (0, found, LineSplitter())
        }
    }

    private mutating func lookToEnd(of descriptor: Int32, at size: Int) -> [String] {
        var lines: [String] = []
        while offset < size {
            let before = offset
            lines += look(into: descriptor)
            if offset == before { break }
        }
        return lines
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

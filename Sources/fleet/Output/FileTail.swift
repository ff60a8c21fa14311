import Glibc
import Wording

/// The end of a file: of a log, for whoever wants to know why a process died.
enum FileTail {
    /// Lines shown at most.
    static let lineLimit = 8
    /// Bytes looked at from the file's end.
    static let byteLimit = 4_096

    /// The bytes of a file; 0 when it is not there.
    static func size(of file: String) -> Int {
        let descriptor = open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return 0 }
        defer { close(descriptor) }
        return max(0, lseek(descriptor, 0, SEEK_END))
    }

    /// The last lines of a file, made safe for terminals; none when it cannot be read.
    ///
    /// - Parameter offset: Where a line begins before which nothing counts.
    static func lines(of file: String, from offset: Int = 0) -> [String] {
        let descriptor = open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        let start = max(offset, lseek(descriptor, 0, SEEK_END) - byteLimit)
        var bytes = [UInt8](repeating: 0, count: byteLimit)
        let count = pread(descriptor, &bytes, bytes.count, start)
        return last(of: String(decoding: bytes.prefix(max(0, count)), as: UTF8.self), isCut: start > offset)
    }

    /// The last lines of a text, which may begin in the middle of a line.
    static func last(of text: String, isCut: Bool) -> [String] {
        let lines = text.split(separator: "\n")
        return (isCut ? lines.dropFirst() : lines[...]).suffix(lineLimit).map { SafeText.of(String($0)) }
    }
}

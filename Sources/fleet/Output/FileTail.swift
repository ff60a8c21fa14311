import Glibc
import UserText

/// The last lines of a log file, shown when a process failed.
enum FileTail {
    /// The maximum number of lines that are shown.
    static let lineLimit = 8
    /// The number of bytes read from the end of the file.
    static let byteLimit = 4_096

    /// Returns the size of a file in bytes, or 0 if it cannot be opened.
    static func size(of file: String) -> Int {
        let descriptor = open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return 0 }
        defer { close(descriptor) }
        return max(0, lseek(descriptor, 0, SEEK_END))
    }

    /// Returns the last lines of a file, made safe for terminals; an empty array if it cannot be read.
    ///
    /// - Parameter offset: The offset of the first byte of a line; earlier bytes are ignored.
    static func lines(of file: String, from offset: Int = 0) -> [String] {
        let descriptor = open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        let start = max(offset, lseek(descriptor, 0, SEEK_END) - byteLimit)
        var bytes = [UInt8](repeating: 0, count: byteLimit)
        let count = pread(descriptor, &bytes, bytes.count, start)
        return last(of: String(decoding: bytes.prefix(max(0, count)), as: UTF8.self), isCut: start > offset)
    }

    /// Returns the last lines of a text, without its first line if `isCut`, since that is incomplete.
    static func last(of text: String, isCut: Bool) -> [String] {
        let lines = text.split(separator: "\n")
        return (isCut ? lines.dropFirst() : lines[...]).suffix(lineLimit).map { SafeText.of(String($0)) }
    }
}

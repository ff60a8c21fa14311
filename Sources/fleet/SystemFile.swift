import Glibc

/// A small file in which the system tells of itself, such as those of `/proc`.
enum SystemFile {
    /// Bytes read of one.
    static let byteLimit = 1 << 20

    /// What it says; empty when it cannot be read.
    static func text(of path: String) -> String {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return "" }
        defer { close(descriptor) }
        var content: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 4_096)
        while content.count < byteLimit {
            let count = read(descriptor, &block, block.count)
            guard count > 0 else { break }
            content += block[..<count]
        }
        return String(decoding: content, as: UTF8.self)
    }
}

import FoundationEssentials
package import Glibc
import Testing

/// A test's directory, removed with it; its path is short enough for sockets.
package final class TemporaryDirectory: Sendable {
    /// Its absolute path.
    package let path: String

    /// Creates one that only its owner can use.
    ///
    /// - Throws: An issue of the test if it cannot be created.
    package init() throws {
        var name = Array("/tmp/sensibus-test-XXXXXX".utf8CString)
        try #require(mkdtemp(&name) != nil, "errno \(errno)")
        path = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        do {
            try FileManager.default.removeItem(atPath: path)
        } catch {
            Issue.record(error, "\(path) stays")
        }
    }

    /// Creates a directory within.
    ///
    /// - Returns: Its path.
    package func makeDirectory(_ name: String, mode: mode_t = 0o700) throws -> String {
        try #require(mkdir("\(path)/\(name)", mode) == 0, "errno \(errno)")
        try #require(chmod("\(path)/\(name)", mode) == 0, "errno \(errno)")
        return "\(path)/\(name)"
    }

    /// The nine permission bits of a file's mode.
    package static func permissions(of path: String) throws -> mode_t {
        var status = stat()
        try #require(lstat(path, &status) == 0, "errno \(errno)")
        return status.st_mode & 0o777
    }
}

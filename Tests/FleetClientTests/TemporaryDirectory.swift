import FoundationEssentials
import Glibc
import Testing

/// A directory of one test, removed with it; its path is short enough for sockets.
final class TemporaryDirectory: Sendable {
    let path: String

    init() throws {
        var name = Array("/tmp/fleet-XXXXXX".utf8CString)
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
}

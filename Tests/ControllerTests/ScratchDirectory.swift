import Foundation

/// A directory that is gone when nobody holds it any more.
final class ScratchDirectory {
    let path: String

    init() throws {
        var template = Array("/tmp/sensibus-test-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else { throw CocoaError(.fileWriteUnknown) }
        path = String(cString: made)
    }

    deinit {
        do {
            try FileManager.default.removeItem(atPath: path)
        } catch {
            print("left behind: \(path)")
        }
    }
}

import ProcessSupport
import TestSupport

/// A run directory that is removed after the test.
struct TemporaryRunDirectory {
    let directory: RunDirectory
    private let parent: TemporaryDirectory

    init() throws {
        parent = try TemporaryDirectory()
        directory = RunDirectory(path: "\(parent.path)/fleet")
        try directory.create()
    }
}

import Foundation

/// What is said while a long measurement goes on: to the standard error, so that the table stands alone.
enum Progress {
    /// Says one line.
    static func tell(_ line: String) {
        FileHandle.standardError.write(Data("\(line)\n".utf8))
    }
}

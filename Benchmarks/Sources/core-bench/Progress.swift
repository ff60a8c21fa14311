import Foundation

/// Progress messages of a long measurement, on standard error, apart from the table.
enum Progress {
    /// Writes one line.
    static func report(_ line: String) {
        FileHandle.standardError.write(Data("\(line)\n".utf8))
    }
}

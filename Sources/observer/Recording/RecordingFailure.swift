import Glibc
import Runtime

/// Why nothing is recorded, or not played: a sentence with what to do.
struct RecordingFailure: Error, CustomStringConvertible {
    let description: String

    init(description: String) {
        self.description = description
    }

    /// A call of the system that failed on a recording's file.
    init(_ operation: String, _ path: String, errno number: Int32) {
        let words = strerror(number).map { String(cString: $0) } ?? "errno \(number)"
        description = "cannot \(operation) \(path): \(words); check the file's name and its directory"
    }

    /// What the system did not do with a recording's file.
    init(_ error: RuntimeError) {
        if case .system(let operation, let path, let number) = error {
            self.init(operation, path, errno: number)
        } else {
            self.init(description: error.description)
        }
    }
}

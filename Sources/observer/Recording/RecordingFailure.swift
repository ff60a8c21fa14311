import Glibc
import ProcessSupport

/// The reason why a recording cannot be written or played, with the action to take.
struct RecordingFailure: Error, CustomStringConvertible {
    let description: String

    init(description: String) { self.description = description }

    /// Describes a system call that failed on a recording's file.
    init(_ operation: String, _ path: String, errno number: Int32) {
        let words = strerror(number).map { String(cString: $0) } ?? "errno \(number)"
        description = "cannot \(operation) \(path): \(words); check the file's name and its directory"
    }

    /// Describes a runtime error on a recording's file.
    init(_ error: RuntimeError) {
        if case .system(let operation, let path, let number) = error {
            self.init(operation, path, errno: number)
        } else {
            self.init(description: error.description)
        }
    }
}

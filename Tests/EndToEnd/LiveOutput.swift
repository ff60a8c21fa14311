import Dispatch
import Foundation
import Glibc
import SystemPackage

/// A pipe for a program's output, read line by line while the program runs.
struct LiveOutput: Sendable {
    /// The end of the pipe for the program.
    let writing: FileDescriptor
    /// Each line when it is written; the sequence ends when the program does.
    let lines: AsyncStream<String>

    init() throws {
        let (reading, writing) = try FileDescriptor.pipe()
        _ = fcntl(reading.rawValue, F_SETFD, FD_CLOEXEC)
        self.writing = writing
        lines = AsyncStream { continuation in
            DispatchQueue(label: "live output").async {
                var rest: [UInt8] = []
                var block = [UInt8](repeating: 0, count: 65_536)
                while true {
                    let count = Glibc.read(reading.rawValue, &block, block.count)
                    guard count > 0 else { break }
                    rest += block[..<count]
                    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                        continuation.yield(String(decoding: rest[..<end], as: UTF8.self))
                        rest.removeFirst(end + 1)
                    }
                }
                Glibc.close(reading.rawValue)
                continuation.finish()
            }
        }
    }
}

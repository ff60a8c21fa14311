import CBench
import CoreParts
import Foundation

/// The output of an observer, line by line.
final class ObserverLines {
    /// The observer.
    let observer: Child

    private let pipe: Pipe
    private var rest = Data()

    /// The lines of a pipe.
    init(of observer: Child, from pipe: Pipe) {
        self.observer = observer
        self.pipe = pipe
    }

    /// Waits for a line that contains a text; returns the seconds since an instant.
    func wait(for text: String, since began: UInt64) throws -> Double {
        while true {
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: rest[rest.startIndex..<end], as: UTF8.self)
                rest.removeSubrange(rest.startIndex...end)
                if line.contains(text) { return Double(bench_now() - began) / 1e9 }
            }
            guard Double(bench_now() - began) / 1e9 < ScaleFleet.timeout else { throw BenchFailure.noReply }
            rest.append(try more())
        }
    }

    /// Counts the lines of some seconds, and returns whether one of them contains a text.
    func count(for seconds: Double, unless text: String) throws -> (lines: Int, hasText: Bool) {
        let end = bench_now() + UInt64(seconds * 1e9)
        var (lines, hasText) = (0, false)
        while bench_now() < end {
            let block = try more()
            lines += block.count { $0 == UInt8(ascii: "\n") }
            hasText = hasText || block.range(of: Data(text.utf8)) != nil
        }
        return (lines, hasText)
    }

    private func more() throws -> Data {
        let more = pipe.fileHandleForReading.availableData
        guard !more.isEmpty else { throw BenchFailure.noReply }
        return more
    }
}

import Glibc

/// The commands on standard input, and the answers on standard output.
struct CommandInput {
    private static let longestLine = 4_096
    private var rest: [UInt8] = []
    /// Whether the input has ended.
    private(set) var isOver = false

    static let descriptor: Int32 = STDIN_FILENO

    /// Reads what has arrived and answers each complete line.
    ///
    /// - Parameter perform: Carries out the words of a command and returns the answer.
    mutating func answer(_ perform: ([Substring]) throws -> String) {
        var block = [UInt8](repeating: 0, count: Self.longestLine)
        let count = read(Self.descriptor, &block, block.count)
        guard count > 0, rest.count < Self.longestLine else { return isOver = true }
        rest += block[..<count]
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            let line = String(decoding: rest[..<end], as: UTF8.self)
            rest.removeFirst(end + 1)
            do {
                Self.write(try perform(line.split(separator: " ")))
            } catch {
                Self.write("error: \(error)")
            }
        }
    }

    /// Writes a line at once.
    static func write(_ line: String) {
        let bytes = Array("\(line)\n".utf8)
        _ = Glibc.write(STDOUT_FILENO, bytes, bytes.count)
    }
}

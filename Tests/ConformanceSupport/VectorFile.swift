import FleetProtocol
public import Foundation

/// A file of `proto/vectors`: lines that begin with `#`, then entries.
///
/// An entry is a line `== NAME`, lines of text, and a line `-- HEX`. Other lines are errors.
public struct VectorFile: Equatable, Sendable {
    /// An entry of the file.
    public struct Entry: Equatable, Sendable {
        /// The name, which is unique in its file.
        public let name: String
        /// The lines of text, without line breaks.
        public let lines: [String]
        /// The bytes.
        public let bytes: [UInt8]

        /// An entry with that content.
        public init(name: String, lines: [String], bytes: [UInt8]) {
            (self.name, self.lines, self.bytes) = (name, lines, bytes)
        }

        /// The fields in the text, in order.
        public var fieldNames: [String] {
            lines.compactMap { $0.firstMatch(of: /^ *(\w+)(?::| \{)/).map { String($0.1) } }
        }
    }

    /// An error in a file.
    public struct Malformed: Error {
        /// The line that is not part of an entry.
        public let line: String
    }

    /// The root of the repository.
    public static let repository = (0..<3).reduce(URL(filePath: #filePath)) { path, _ in
        path.deletingLastPathComponent()
    }

    /// Whether the files are to be rewritten instead of being compared.
    public static let isWriting = ProcessInfo.processInfo.environment["SENSIBUS_WRITE_VECTORS"] != nil

    /// The lines that begin with `#`, without it.
    public let heading: [String]
    /// The entries, in order.
    public let entries: [Entry]

    /// Returns the current file of that name; rewritten from an expected one first if requested.
    ///
    /// - Throws: ``Malformed``, or an error of the file system.
    public static func read(_ name: String, writing expected: VectorFile? = nil) throws -> VectorFile {
        let place = repository.appending(path: "proto/vectors/\(name).txt")
        if isWriting, let expected {
            try expected.text.write(to: place, atomically: true, encoding: .utf8)
        }
        return try VectorFile(text: try String(contentsOf: place, encoding: .utf8))
    }

    /// A file with that content.
    public init(heading: [String], entries: [Entry]) {
        self.heading = heading
        self.entries = entries
    }

    private init(text: String) throws {
        var (heading, entries): ([String], [Entry]) = ([], [])
        var open: (name: String, lines: [String])?
        for line in text.split(separator: "\n").map(String.init) {
            if line.hasPrefix("# "), open == nil, entries.isEmpty {
                heading.append(String(line.dropFirst(2)))
            } else if line.hasPrefix("== "), open == nil {
                open = (String(line.dropFirst(3)), [])
            } else if line.hasPrefix("--"), let entry = open,
                let bytes = [UInt8](hexadecimal: String(line.dropFirst(2).drop { $0 == " " }))
            {
                entries.append(Entry(name: entry.name, lines: entry.lines, bytes: bytes))
                open = nil
            } else if open != nil {
                open?.lines.append(line)
            } else {
                throw Malformed(line: line)
            }
        }
        self.init(heading: heading, entries: entries)
    }

    private var text: String {
        let blocks = entries.map { entry in
            let end = entry.bytes.isEmpty ? "--" : "-- \(entry.bytes.hexadecimal)"
            return (["== \(entry.name)"] + entry.lines + [end]).joined(separator: "\n")
        }
        return heading.map { "# \($0)\n" }.joined() + "\n" + blocks.joined(separator: "\n\n") + "\n"
    }
}

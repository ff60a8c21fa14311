import FoundationEssentials
import ProcessSupport
import UserText

/// The list of a backup's files: the file `backup.json`, which is written last.
struct BackupManifest: Codable, Equatable, Sendable {
    /// A file of the backup.
    struct File: Codable, Equatable, Sendable {
        /// Its path below the directory of the backup, and of the run directory.
        let name: String
        /// How long it is, bytes.
        let bytes: Int
        /// The SHA-256 of its bytes, as 64 hexadecimal digits.
        let sha256: String
    }

    /// The form of a backup that this program writes, and the newest that it reads.
    static let format = 1
    /// The name of the manifest's own file.
    static let fileName = "backup.json"

    /// The form of the backup.
    let format: Int
    /// When it was begun, UTC.
    let madeAt: String
    /// Its files, in the order in which they were copied.
    let files: [File]

    /// How long all files are together, bytes.
    var bytes: Int { files.reduce(0) { $0 + $1.bytes } }

    /// The directories of its files below its own, each once.
    var directories: [String] {
        let names = files.compactMap { file in
            file.name.lastIndex(of: "/").map { String(file.name[..<$0]) }
        }
        return Set(names).sorted()
    }

    /// The text of the file.
    var text: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        do {
            return String(decoding: try encoder.encode(self), as: UTF8.self) + "\n"
        } catch {
            preconditionFailure("texts and numbers always encode")
        }
    }

    /// The manifest of those files.
    init(madeAt: String, files: [File]) { (format, self.madeAt, self.files) = (Self.format, madeAt, files) }

    /// The manifest in a text.
    ///
    /// - Parameter path: Where the text was read, for the words of an error.
    /// - Throws: `CommandFailure` for a text that is not a manifest, has a newer form, or names files
    ///   elsewhere.
    init(_ text: [UInt8], at path: String) throws(CommandFailure) {
        do {
            self = try JSONDecoder().decode(BackupManifest.self, from: Data(text))
        } catch {
            throw CommandFailure(
                .refused, "\(path) is damaged: it does not list a backup's files",
                advice: "restore another backup; nothing was changed")
        }
        guard (1...Self.format).contains(format) else {
            throw CommandFailure(
                .refused, "\(path) is of form \(format), and this program reads \(Self.format)",
                advice: "restore it with the version of Sensibus that made it; nothing was changed")
        }
        for file in files where !Self.isBelow(file.name) || file.bytes < 0 {
            throw CommandFailure(
                .refused, "\(path) is damaged: it names \(SafeText.of(file.name))",
                advice: "restore another backup; nothing was changed")
        }
    }

    /// Returns once the names of all files are on the disk.
    ///
    /// - Parameter directory: Where the files are.
    func syncNames(in directory: RunDirectory) throws(RuntimeError) {
        for name in directories { try DirectoryNames.sync("\(directory)/\(name)") }
        try DirectoryNames.sync(directory.path)
    }

    /// Whether a path stays below the directory that it starts from.
    private static func isBelow(_ name: String) -> Bool {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        return parts.allSatisfy { !$0.isEmpty && $0 != "." && $0 != ".." }
    }
}

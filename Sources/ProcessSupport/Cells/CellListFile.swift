import FoundationEssentials
import Glibc
import UserFiles

/// The file with a list of cells, to which cells can be added.
public struct CellListFile: Sendable {
    private static let heading = """
        # The cells of this installation. Controllers and clients follow this file; the secret of the cells is
        # beside it, and only controllers and operators need it.
        cells:

        """

    /// The absolute path.
    public let path: String

    /// The file at an absolute path.
    public init(path: String) { self.path = path }

    /// Whether there is a file.
    public var exists: Bool { access(path, F_OK) == 0 }

    /// Adds a cell at the end, and keeps all other lines and the mode; a missing file is made, which others
    /// may read.
    ///
    /// - Returns: The number of cells.
    /// - Throws: `InvalidFile` for a file that is not a list, and for a name or a list that has no room;
    ///   `system` if it cannot be written.
    public func add(_ cell: CellList.Cell) throws -> Int {
        var text = Self.heading
        if exists {
            let bytes = try FileContents.bytes(of: path, called: path, "name a readable file with cells")
            text = try EntryTree.text(of: bytes, file: path)
        }
        if !text.hasSuffix("\n") { text += "\n" }
        let items = text.split(separator: "\n").filter { $0.drop { $0 == " " }.hasPrefix("- ") }
        text += cell.yaml(indentedBy: items.last?.prefix { $0 == " " }.count ?? 2)
        let list = try CellList(Array(text.utf8), file: path, in: "/")
        try write(Array(text.utf8))
        return list.cells.count
    }

    /// Replaces the file, or the one that a link leads to, atomically.
    private func write(_ content: [UInt8]) throws(RuntimeError) {
        var status = stat()
        let mode = stat(path, &status) == 0 ? status.st_mode & 0o777 : 0o644
        let target = URL(filePath: path).resolvingSymlinksInPath().path
        let draft = "\(target).\(getpid()).new"
        unlink(draft)
        try OwnFile.create(draft, with: content)
        guard chmod(draft, mode) == 0, rename(draft, target) == 0 else {
            let error = errno
            unlink(draft)
            throw .system(operation: "replace", path: target, errno: error)
        }
    }
}

extension CellList.Cell {
    /// The lines of the cell in the list.
    fileprivate func yaml(indentedBy spaces: Int) -> String {
        let indentation = String(repeating: " ", count: spaces)
        let place =
            switch location {
            case .directory(let path): ["run-directory: \"\(path.escapedForYAML)\""]
            case .network(let address, let key): ["connect: \(address)", "key: \"\(key)\""]
            }
        let lines = ["- name: \"\(name)\""] + place.map { "  \($0)" }
        return lines.map { "\(indentation)\($0)\n" }.joined()
    }
}

extension String {
    /// The characters of a double-quoted YAML scalar.
    fileprivate var escapedForYAML: String {
        replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    }
}

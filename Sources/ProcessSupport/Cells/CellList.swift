public import Bus
public import FleetProtocol
import FoundationEssentials
import Glibc
public import UserFiles

/// The cells of an installation, as the file `cells.yaml` lists them.
///
/// ```yaml
/// cells:
///   - name: c1
///     run-directory: /srv/sensibus/c1
///   - name: c2
///     connect: tcp://fleet2.example.org:7600
///     key: 64 hexadecimal digits
/// ```
public struct CellList: Equatable, Sendable {
    /// A cell, and where its controller is.
    public struct Cell: Equatable, Sendable {
        /// Where the controller of a cell is.
        public enum Location: Equatable, Sendable {
            /// In a run directory of this machine; an absolute path.
            case directory(String)
            /// At an address of the network, with the server key.
            case network(NetworkAddress, key: CurvePublicKey)
        }

        public let name: CellName
        /// The place of its controller.
        public let location: Location

        public init(name: CellName, location: Location) { (self.name, self.location) = (name, location) }
    }

    /// The cells in the order of the file: at least one, each name once.
    public let cells: [Cell]

    /// Reads a file; a relative path starts at the directory.
    public init(_ path: String, relativeTo directory: String) throws(InvalidFile) {
        let absolute = path.hasPrefix("/") ? path : "\(directory)/\(path)"
        let bytes = try FileContents.bytes(of: absolute, called: path, "name a readable file with cells")
        let directory = absolute[..<(absolute.lastIndex(of: "/") ?? absolute.endIndex)]
        try self.init(bytes, file: path, in: String(directory))
    }

    /// Reads the text of a file, in whose directory relative run directories are.
    public init(_ bytes: [UInt8], file: String, in directory: String) throws(InvalidFile) {
        let root = try EntryTree.root(
            of: bytes, file: file, kind: "a list of cells", content: "cells: and a list")
        var reader = CellListReader(directory: directory)
        let cells = reader.cells(of: root)
        guard reader.findings.isEmpty, let cells else { throw reader.findings.error(in: file) }
        self.cells = cells
    }

    public subscript(name: CellName) -> Cell? { cells.first { $0.name == name } }
}

private struct CellListReader: EntryReader {
    let directory: String
    var findings = Findings()

    mutating func cells(of root: Entry) -> [CellList.Cell]? {
        guard let fields = fields(of: root, ["cells"]) else { return nil }
        guard let list = fields["cells"] else {
            refuse(root, "cells: and a list of cells")
            return nil
        }
        guard let entries = self.list(list, upTo: Limits.cells, "cells") else { return nil }
        var cells: [CellList.Cell] = []
        for entry in entries {
            guard let cell = cell(of: entry) else { continue }
            if cells.contains(where: { $0.name == cell.name }) { refuse(entry, "each name once") }
            cells.append(cell)
        }
        return cells
    }

    private mutating func cell(of entry: Entry) -> CellList.Cell? {
        guard let fields = fields(of: entry, ["name", "run-directory", "connect", "key"]) else { return nil }
        if fields["name"] == nil { refuse(entry, "a name, and a run-directory, or connect and key") }
        let name = scalar(
            fields["name"], "1 to \(Limits.cellNameBytes) characters of a-z, 0-9 and -, such as c1"
        ) { text, _ in CellName(text) }
        guard let location = location(of: fields, in: entry), let name else { return nil }
        return CellList.Cell(name: name, location: location)
    }

    private mutating func location(of fields: [String: Entry], in entry: Entry) -> CellList.Cell.Location? {
        if let path = fields["run-directory"], fields["connect"] == nil, fields["key"] == nil {
            let directory = directory
            return scalar(path, "the path of a run directory") { text, _ in
                .directory(text.hasPrefix("/") ? text : "\(directory)/\(text)")
            }
        }
        guard let connect = fields["connect"], let key = fields["key"], fields["run-directory"] == nil else {
            refuse(entry, "run-directory: DIRECTORY, or connect: tcp://HOST:PORT and key: SERVER-KEY")
            return nil
        }
        let address = scalar(connect, "an address, such as tcp://fleet.example.org:7600") { text, _ in
            try? NetworkAddress(text)
        }
        let server = scalar(key, "the server key, 64 hexadecimal digits, as `fleet key show` prints it") {
            text, _ in CurvePublicKey(hexadecimal: text)
        }
        return address.flatMap { address in server.map { .network(address, key: $0) } }
    }
}

/// The file with a list of cells, to which cells can be added.
public struct CellListFile: Sendable {
    private static let heading = """
        # The cells of this installation. Controllers and clients follow this file; the secret of the cells is
        # beside it, and only controllers and operators need it.
        cells:

        """

    public let path: String

    public init(path: String) { self.path = path }

    /// Whether there is a file.
    public var exists: Bool { access(path, F_OK) == 0 }

    /// Adds a cell at the end, and keeps all other lines and the mode; a missing file is made, which others
    /// may read. Returns the number of cells.
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
        let mode = FileStatus(following: path)?.permissions ?? 0o644
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

public import ArgumentParser
public import FleetProtocol
import UserFiles

/// The options of a controller that is one of several cells.
public struct CellArguments: ParsableArguments, Sendable {
    /// The file that lists all cells; nil for a fleet without cells.
    @Option(
        help: ArgumentHelp(
            """
            Be a cell of the installation that this file lists, with --cell. The cells' secret is beside it, \
            unless SENSIBUS_CELL_SECRET names another file.
            """, valueName: "file"))
    public var cells: String?

    @Option(
        help: ArgumentHelp("The name of this cell in the file of --cells.", valueName: "name"),
        transform: CellName.parse)
    public var cell: CellName?

    public init() {}

    /// Refuses one option without the other.
    public func validate() throws {
        guard (cells == nil) == (cell == nil) else {
            throw ValidationError("give both --cells and --cell, or neither")
        }
    }

    /// The cell, with the absolute path of its list; nil for a fleet without cells.
    public func own(relativeTo directory: String) -> OwnCell? {
        guard let cells, let cell else { return nil }
        return OwnCell(cell, in: cells.hasPrefix("/") ? cells : "\(directory)/\(cells)")
    }
}

extension OwnCell {
    /// The options as arguments of another process.
    public var arguments: [String] { ["--cells", list, "--cell", name.text] }

    /// Reads the list, which has this cell.
    public func readList() throws -> CellList {
        try checked(try CellList(list, relativeTo: "/"))
    }

    /// Reads the list, or if that fails, the copy of the last one in a run directory. `failed` gets the
    /// reason why the copy is used.
    public func readList(orCopyIn directory: RunDirectory, failed: (any Error) -> Void) throws -> CellList {
        do {
            let cells = try readList()
            try directory.record(cellList: try FileContents.bytes(of: list, called: list, ""))
            return cells
        } catch {
            guard let copy = try directory.cellList() else { throw error }
            failed(error)
            let place = list[..<(list.lastIndex(of: "/") ?? list.startIndex)]
            return try checked(try CellList(copy, file: list, in: String(place)))
        }
    }

    private func checked(_ cells: CellList) throws -> CellList {
        guard cells[name] != nil else {
            throw ValidationError("no cell \(name) in \(list): add it with `fleet cell add`")
        }
        return cells
    }

    /// Reads the secret of all cells, which must exist.
    public func readSecret(environment: [String: String]) throws -> CellSecret {
        let path = CellSecret.file(beside: list, environment: environment)
        guard let secret = try CellSecret.read(from: path) else {
            throw ValidationError("no secret of the cells at \(path): copy it from another cell")
        }
        return secret
    }
}

extension CellName {
    /// Parses the name of a cell on a command line.
    public static func parse(_ text: String) throws -> CellName {
        guard let name = CellName(text) else {
            throw ValidationError(
                "'\(text)' is not a cell's name: use 1 to \(Limits.cellNameBytes) of a-z, 0-9 and -")
        }
        return name
    }
}

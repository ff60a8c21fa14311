public import FleetProtocol
import FoundationEssentials

/// The cell that the fleet of a run directory is.
public struct OwnCell: Equatable, Sendable {
    public let name: CellName
    /// The absolute path of the file that lists all cells.
    public let list: String

    public init(_ name: CellName, in list: String) { (self.name, self.list) = (name, list) }
}

/// The names of a fleet's demo account; each cell has one of its own.
public struct DemoNames: Equatable, Sendable {
    public let account: AccountID
    public let email: Email

    init(account: AccountID, email: Email) { (self.account, self.email) = (account, email) }

    /// The names in a cell; nil for a fleet without cells.
    public init(in cell: CellName?) {
        let (name, address) =
            cell.map { ("demo-\($0)", "demo@\($0).sensibus.local") } ?? ("demo", RunDirectory.demoEmail)
        guard let account = AccountID(name), let email = Email(address) else {
            preconditionFailure("the names of a demo account are allowed")
        }
        (self.account, self.email) = (account, email)
    }
}

extension CellName {
    /// The seed of a cell's devices where none is given, so that devices of different cells have different
    /// IDs: the FNV-1a hash of the name, 32 bits.
    public var seed: UInt64 {
        UInt64(text.utf8.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 })
    }
}

extension RunDirectory {
    /// Reads the cell of the fleet that was started last; nil for a fleet without cells.
    public func cell() throws(RuntimeError) -> OwnCell? {
        guard let line = try PrivateFile(.cell, in: self).firstLine() else { return nil }
        let parts = line.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, let name = CellName(String(parts[0])) else {
            throw .damagedKey(path: RunFile.cell.path(in: self))
        }
        return OwnCell(name, in: String(parts[1]))
    }

    /// Writes the cell of the fleet; nil removes the file.
    public func record(_ cell: OwnCell?) throws(RuntimeError) {
        guard let cell else { return try PrivateFile(.cell, in: self).remove() }
        try PrivateFile(.cell, in: self).replace(with: Array("\(cell.name) \(cell.list)\n".utf8))
    }

    /// Reads the copy of the last valid list of cells; nil without one.
    func cellList() throws(RuntimeError) -> [UInt8]? { try PrivateFile(.cellList, in: self).read() }

    /// Stores a copy of a valid list of cells, with which the controller starts if the list is damaged.
    package func record(cellList: [UInt8]) throws(RuntimeError) {
        try PrivateFile(.cellList, in: self).replace(with: cellList)
    }

    /// Whether a controller was started here.
    public var hasStore: Bool { FileManager.default.fileExists(atPath: storeFile) }

    /// The names of the demo account: those under which it was made, else those of the cell. A fleet that was
    /// started without cells keeps its account when it becomes a cell.
    public var demo: DemoNames {
        if let line = try? PrivateFile(.demoAccount, in: self).firstLine() {
            let parts = line.split(separator: " ")
            if parts.count == 2, let account = AccountID(String(parts[0])),
                let email = Email(String(parts[1]))
            {
                return DemoNames(account: account, email: email)
            }
        }
        let isMade = (try? readDemoPassword()) ?? nil != nil
        return DemoNames(in: isMade ? nil : (try? cell())?.name)
    }

    /// Writes the names under which the demo account is made.
    public func record(_ names: DemoNames) throws(RuntimeError) {
        try PrivateFile(.demoAccount, in: self).replace(with: Array("\(names.account) \(names.email)\n".utf8))
    }
}

/// The random name of a fleet, which its store, journal, witness and memory files have. It is made once. A
/// file with another name belongs to another fleet.
public struct FleetName: Hashable, Sendable, CustomStringConvertible {
    public let bits: UInt64

    public init(bits: UInt64) { self.bits = bits }

    /// Returns a new name, from the system's random numbers.
    public static func new() -> FleetName {
        var generator = SystemRandomNumberGenerator()
        return FleetName(bits: generator.next())
    }

    /// The name in 16 hexadecimal digits.
    public var description: String { bits.hexadecimal }

    /// The line of a file: the name and its checksum.
    fileprivate var line: String {
        "\(self) \(UInt64(Checksum.of(Array(description.utf8))).hexadecimal.suffix(8))"
    }

    fileprivate init?(line: String) {
        guard let bits = UInt64(line.prefix(16), radix: 16), FleetName(bits: bits).line == line else {
            return nil
        }
        self.init(bits: bits)
    }
}

extension NodeName {
    /// The name of a fleet's first node.
    package static var first: NodeName {
        guard let name = NodeName("node-1") else { preconditionFailure("node-1 is a node's name") }
        return name
    }
}

/// The file with the name of the run directory's fleet, for nodes.
extension RunDirectory {
    /// Reads the name of the fleet; nil without the file, and for a damaged one.
    public func fleetName() throws(RuntimeError) -> FleetName? {
        try PrivateFile(.fleetName, in: self).firstLine().flatMap(FleetName.init(line:))
    }

    /// Writes the name of the fleet, and syncs the file, because memory files may have the name at once.
    public func record(_ fleet: FleetName) throws(RuntimeError) {
        try GrowingFile.put(Array("\(fleet.line)\n".utf8), at: RunFile.fleetName.path(in: self))
    }
}

import Bus
public import FleetClient
public import FleetProtocol
import UserFiles

/// The cells of an installation, and how a program reaches their controllers.
public struct CellConnections: Sendable {
    public let path: String
    /// The list, as of its last reading.
    public private(set) var list: CellList
    /// The connection that the run directory and the options name.
    private let given: FleetConnection
    /// The cell of the fleet in the run directory; nil if it has none.
    private let ownName: CellName?
    /// The keys of this machine, for cells on the network.
    private let keys: NetworkMembership?

    /// The cells that the options, the environment or the run directory name; nil without a list. A relative
    /// path starts at the working directory.
    public init?(
        _ options: CellOptions, beside given: FleetConnection, environment: [String: String],
        workingDirectory: String
    ) throws(RuntimeError) {
        let named = try options.path(in: given.directory, environment: environment)
        guard let named else { return nil }
        path = named.hasPrefix("/") ? named : "\(workingDirectory)/\(named)"
        (self.given, ownName) = (given, try given.directory.cell()?.name)
        list = try Self.list(at: path)
        if given.membership == nil, ownName != nil {
            keys = try Self.keys(of: given.directory)
        } else {
            keys = given.membership
        }
    }

    /// The keys of the cell in a run directory, which the other cells admit as those of a client.
    private static func keys(of directory: RunDirectory) throws(RuntimeError) -> NetworkMembership? {
        guard let name = NodeName("cell") else { return nil }
        let (pair, address) = (try PeerFiles(of: directory).serverKeys(), try directory.networkAddress())
        return address.map {
            NetworkMembership(
                address: $0, serverKey: pair.publicKey, keys: pair,
                rights: Membership(name: name, role: .client, account: nil, grant: nil, scenario: ""))
        }
    }

    public func knows(_ name: CellName) -> Bool { name == ownName || list[name] != nil }

    /// Reads the list again; the previous one remains if it is unreadable or invalid.
    public mutating func reload() throws(RuntimeError) { list = try Self.list(at: path) }

    private static func list(at path: String) throws(RuntimeError) -> CellList {
        do throws(InvalidFile) {
            return try CellList(path, relativeTo: "/")
        } catch {
            throw .invalidCells(text: error.description)
        }
    }

    /// The cell to which requests without a session go first: that of the run directory, else the first one.
    public var first: CellName { ownName ?? list.cells[0].name }

    /// The connection to a cell, or without a name, to the fleet of the run directory; if it has none, to the
    /// first cell. Throws `noKey` without a key for a cell on the network.
    public func connection(to name: CellName?) throws(RuntimeError) -> FleetConnection {
        if name == nil {
            if given.membership != nil { return given }
            if given.directory.hasFile(of: .clients) { return given }
        }
        let name = name ?? first
        if name == ownName { return given }
        guard let cell = list[name] else {
            throw .invalidCells(
                text: "no cell \(name) in \(path): is the list older than those of the controllers?")
        }
        return try FleetConnection(to: cell, from: given.directory, keys: keys)
    }
}

extension CellConnections {
    /// Finds the sockets of cells, for a client that follows its account. It reads the list again for a cell
    /// that is not in it.
    public var locator: FleetClient.CellLocator {
        { name in
            var cells = self
            do throws(RuntimeError) {
                if !cells.knows(name) { try cells.reload() }
                return try cells.connection(to: name).clientEndpoints
            } catch {
                // The client's request is refused with `moved`, which names the cell.
                return nil
            }
        }
    }
}

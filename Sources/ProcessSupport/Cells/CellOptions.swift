/// The choice of the cells of an installation, as an option names it.
public struct CellOptions: Sendable {
    /// The environment variable for ``cells``.
    public static let variable = "SENSIBUS_CELLS"

    /// The file with the list of all cells; nil for a fleet without cells.
    public let cells: String?

    /// A choice; without a file, the environment and the run directory decide.
    public init(cells: String?) { self.cells = cells }

    /// Whether the option or the environment names a list.
    public func isNamed(in environment: [String: String]) -> Bool { named(in: environment) != nil }

    private func named(in environment: [String: String]) -> String? {
        (cells ?? environment[Self.variable]).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The path of the list: that of the option, else the one with which the fleet of the run directory was
    /// started, else that of the environment; nil for a fleet without cells.
    ///
    /// The variable of the environment does not make a cell of a fleet that was started without.
    ///
    /// - Throws: `system` if the file of the run directory cannot be read.
    public func path(
        in directory: RunDirectory?, environment: [String: String]
    ) throws(RuntimeError) -> String? {
        if let cells { return cells }
        guard let directory else { return named(in: environment) }
        if let own = try directory.cell() { return own.list }
        return directory.hasStore ? nil : named(in: environment)
    }
}

extension FleetConnection {
    /// The connection to the controller of a cell.
    ///
    /// - Throws: `noKey` for a cell on the network without keys.
    public init(
        to cell: CellList.Cell, from directory: RunDirectory, keys: NetworkMembership?
    ) throws(RuntimeError) {
        switch cell.location {
        case .directory(let path):
            self.init(of: directory, as: nil, socketsIn: RunDirectory(path: path))
        case .network(let address, let serverKey):
            guard let keys else { throw .noKey(path: NetworkMembership.file(in: directory)) }
            self.init(
                of: directory,
                as: NetworkMembership(
                    address: address, serverKey: serverKey, keys: keys.keys, rights: keys.rights))
        }
    }
}

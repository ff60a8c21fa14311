public import ArgumentParser

/// The options that select a fleet: by its run directory, on another machine, or among cells. They are one
/// group, because the argument parser checks groups within groups again and again in a debug build.
public struct RunDirectoryOption: ParsableArguments, Sendable {
    /// The run directory; nil for that of the environment, or the nearest one.
    @Option(
        name: .customLong("run-dir"),
        help: ArgumentHelp(
            "The fleet's run directory (default: SENSIBUS_RUN_DIR, else .sensibus here or above).",
            valueName: "directory"), completion: .directory)
    public var path: String?

    @Option(
        help: ArgumentHelp(
            "The address of a fleet on another machine (default: SENSIBUS_CONNECT, else the key file's).",
            valueName: "tcp://HOST:PORT"),
        transform: { try NetworkAddress($0) })
    var connect: NetworkAddress?

    @Option(
        help: ArgumentHelp(
            """
            The key of this machine, as `fleet join` or `fleet key generate` wrote it (default: \
            SENSIBUS_KEY_FILE, else membership.json in the run directory).
            """, valueName: "file"))
    var keyFile: String?

    @Option(
        name: .customLong("cells"),
        help: ArgumentHelp(
            "The file that lists all cells (default: SENSIBUS_CELLS, else that of the run directory).",
            valueName: "file"))
    var cellList: String?

    /// No options: the environment and the working directory decide.
    public init() {}

    /// The choice of a fleet on another machine.
    public var network: NetworkOptions { NetworkOptions(connect: connect, keyFile: keyFile) }

    public var cells: CellOptions { CellOptions(cells: cellList) }
}

/// The choice of a fleet on another machine, as options name it.
public struct NetworkOptions: Sendable {
    /// The environment variable for ``connect``.
    public static let addressVariable = "SENSIBUS_CONNECT"
    static let keyVariable = "SENSIBUS_KEY_FILE"

    /// The address of the fleet; nil for the one in the key file.
    public let connect: NetworkAddress?

    /// The file with the key of this machine; nil for that of the run directory.
    public let keyFile: String?

    /// A choice; without both, the environment and the run directory decide.
    public init(connect: NetworkAddress?, keyFile: String?) {
        (self.connect, self.keyFile) = (connect, keyFile)
    }

    /// Returns the run directory of an existing fleet; a new one if there is none and a key is named, for
    /// what the program stores. The other parameters are those of
    /// `RunDirectory.find(explicit:environment:startingAt:)`. A list of cells needs no fleet here either.
    public func runDirectory(
        explicit: String?, environment: [String: String], startingAt cwd: String, hasCells: Bool = false
    ) throws(RuntimeError) -> RunDirectory {
        do throws(RuntimeError) {
            return try RunDirectory.find(explicit: explicit, environment: environment, startingAt: cwd)
        } catch {
            let hasKey = keyFile != nil || environment[Self.keyVariable] != nil
            guard hasKey || hasCells, case .noFleet = error else { throw error }
            let directory = RunDirectory(named: explicit, environment: environment, startingAt: cwd)
            try directory.create()
            try directory.check()
            return directory
        }
    }

    /// How to reach the controller: over the network if there is an address or a key, here or in the run
    /// directory.
    public func connection(
        of directory: RunDirectory, environment: [String: String]
    ) throws(RuntimeError) -> FleetConnection {
        let given = keyFile ?? environment[Self.keyVariable]
        let file = given ?? NetworkMembership.file(in: directory)
        var address = connect
        if address == nil, let text = environment[Self.addressVariable] {
            address = try NetworkAddress(text)
        }
        let isNamed = address != nil || file != NetworkMembership.file(in: directory)
        guard var membership = try NetworkMembership.read(from: file, isGiven: given != nil) else {
            guard isNamed else { return FleetConnection(of: directory, as: nil) }
            throw .noKey(path: file)
        }
        if let address { membership.address = address }
        return FleetConnection(of: directory, as: membership)
    }
}

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
    /// started, else that of the environment; nil for a fleet without cells. The variable of the environment
    /// does not make a cell of a fleet that was started without.
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
    /// The connection to the controller of a cell; `noKey` for one on the network without keys.
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

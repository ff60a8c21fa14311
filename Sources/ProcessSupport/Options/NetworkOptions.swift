/// The choice of a fleet on another machine, as options name it.
public struct NetworkOptions: Sendable {
    /// The environment variable for ``connect``.
    public static let addressVariable = "SENSIBUS_CONNECT"
    /// The environment variable for ``keyFile``.
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
    /// what the program stores.
    ///
    /// The other parameters are those of `RunDirectory.find(explicit:environment:startingAt:)`.
    ///
    /// - Parameter hasCells: Whether a list of cells is named, which needs no fleet here either.
    /// - Throws: `noFleet` without a key and without cells; as `RunDirectory.create` and
    ///   `RunDirectory.check`.
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
    ///
    /// - Throws: `noKey` for an address without a key; `damagedKey`, `invalidNetworkAddress`, or `system` if
    ///   a file cannot be read.
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

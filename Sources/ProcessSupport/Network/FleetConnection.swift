public import Bus
public import FleetClient
public import FleetProtocol
import FoundationEssentials

/// How a program reaches the controller: by the files of a run directory, or over the network.
public struct FleetConnection: Sendable, Equatable {
    /// The run directory, with the sockets of a local fleet, or with the files of this program.
    public let directory: RunDirectory
    /// The membership of this machine; nil for a fleet of this machine.
    public let membership: NetworkMembership?
    /// The run directory with the sockets; another one than ``directory`` for another cell of this machine.
    public let socketDirectory: RunDirectory

    /// The connection of a run directory: over the network if this machine has joined a fleet there.
    public init(_ directory: RunDirectory) throws(RuntimeError) {
        self.init(of: directory, as: try NetworkMembership.read(from: NetworkMembership.file(in: directory)))
    }

    /// A connection with a membership; nil for a fleet of this machine, whose sockets may be elsewhere.
    public init(
        of directory: RunDirectory, as membership: NetworkMembership?,
        socketsIn socketDirectory: RunDirectory? = nil
    ) {
        (self.directory, self.membership) = (directory, membership)
        self.socketDirectory = socketDirectory ?? directory
    }

    /// The endpoint of a socket.
    public func endpoint(_ socket: FleetSocket) throws(RuntimeError) -> Endpoint {
        guard let membership, socket != .supervisor else { return try socketDirectory.endpoint(socket) }
        return try membership.address.endpoint(of: socket)
    }

    /// The security of sockets that connect to the controller.
    public var security: SocketSecurity {
        membership.map { .client(server: $0.serverKey, keys: $0.keys) } ?? .none
    }
}

/// What this machine knows of a fleet on another machine: its address, its key, and this machine's rights. It
/// is stored in the file `membership.json` of the run directory, with the secret key, mode 0600.
public struct NetworkMembership: Sendable, Equatable {
    public var address: NetworkAddress
    public let serverKey: CurvePublicKey
    public let keys: CurveKeyPair
    /// The rights that the fleet has given it.
    public let rights: Membership

    /// A membership with the given values.
    public init(address: NetworkAddress, serverKey: CurvePublicKey, keys: CurveKeyPair, rights: Membership) {
        (self.address, self.serverKey) = (address, serverKey)
        (self.keys, self.rights) = (keys, rights)
    }

    /// The path of the file in a run directory.
    public static func file(in directory: RunDirectory) -> String { RunFile.membership.path(in: directory) }

    /// Reads a file; nil for a missing one. One that the user has named may be a mounted secret of root's.
    public static func read(
        from path: String, isGiven: Bool = false
    ) throws(RuntimeError) -> NetworkMembership? {
        guard let content = try PrivateFile(path: path, isGiven: isGiven).read() else { return nil }
        do {
            return try JSONDecoder().decode(NetworkMembership.self, from: Data(content))
        } catch {
            // The decoder's error may quote the file, and with it the secret key.
            throw .damagedKey(path: path)
        }
    }

    /// The content of the file, without the end of its last line.
    public var text: String { String(decoding: content.dropLast(), as: UTF8.self) }

    private var content: [UInt8] { jsonLines(.withoutEscapingSlashes) }

    /// Writes the file atomically.
    public func write(to path: String) throws(RuntimeError) {
        try PrivateFile(path: path).replace(with: content)
    }
}

extension NetworkMembership: Codable {
    private enum CodingKeys: CodingKey {
        case connect, serverKey, secretKey, name, role, account, seed, firstIndex, devices, token, scenario
    }

    /// Decodes what ``encode(to:)`` writes.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        address = try NetworkAddress(values.decode(String.self, forKey: .connect))
        serverKey = try values.value(.serverKey) { CurvePublicKey(hexadecimal: $0) }
        keys = try CurveKeyPair(secretKey: values.value(.secretKey) { Token(hexadecimal: $0)?.bytes })
        var grant: NodeGrant?
        if values.contains(.token) {
            let range = DeviceRange(
                seed: try values.decode(UInt64.self, forKey: .seed),
                firstIndex: try values.decode(UInt64.self, forKey: .firstIndex),
                count: try values.decode(UInt32.self, forKey: .devices))
            grant = NodeGrant(range: range, token: try values.value(.token) { Token(hexadecimal: $0) })
        }
        rights = Membership(
            name: try values.value(.name) { NodeName($0) },
            role: try values.value(.role) { name in PeerRole.allCases.first { $0.name == name } },
            account: try values.valueIfPresent(.account) { AccountID($0) }, grant: grant,
            scenario: try values.decodeIfPresent(String.self, forKey: .scenario) ?? "")
    }

    /// Encodes texts and numbers.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(address.description, forKey: .connect)
        try values.encode(serverKey.description, forKey: .serverKey)
        try values.encode(keys.secretKey.hexadecimal, forKey: .secretKey)
        try values.encode(rights.name.text, forKey: .name)
        try values.encode(rights.role.name, forKey: .role)
        try values.encodeIfPresent(rights.account?.name, forKey: .account)
        try values.encodeIfPresent(rights.grant?.range.seed, forKey: .seed)
        try values.encodeIfPresent(rights.grant?.range.firstIndex, forKey: .firstIndex)
        try values.encodeIfPresent(rights.grant?.range.count, forKey: .devices)
        try values.encodeIfPresent(rights.grant?.token.bytes.hexadecimal, forKey: .token)
        try values.encodeIfPresent(rights.scenario.isEmpty ? nil : rights.scenario, forKey: .scenario)
    }
}

extension FleetConnection {
    /// The sockets to which a client connects.
    public var clientEndpoints: FleetClient.Endpoints {
        get throws(RuntimeError) {
            FleetClient.Endpoints(
                clients: try endpoint(.clients), stream: try endpoint(.stream), security: security)
        }
    }
}

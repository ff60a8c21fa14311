public import Bus
import CSodium
public import FleetProtocol
import FoundationEssentials
import Glibc

/// The files of a run directory for the network: the key of the fleet, and the list of its peers. Programs
/// that change the list hold a lock. It is replaced as a whole, so readers need none.
public struct PeerFiles: Sendable {
    private static let lockTime = Duration.seconds(2)
    /// The most bytes of the list: twice what ``PeerList/limit`` peers have, about 400 each.
    private static let listBytes = 4 << 20

    public let directory: RunDirectory

    public var path: String { "\(directory.root)/network" }
    public var listFile: String { RunFile.peers.path(in: directory) }
    private var secretKey: PrivateFile { PrivateFile(.serverKey, in: directory) }

    /// The files of a run directory; creates their directory.
    public init(of directory: RunDirectory) throws(RuntimeError) {
        self.directory = directory
        try PrivateDirectory(path: path).create()
    }

    /// The key of the fleet, by which its peers know it; the first call creates it.
    public func serverKeys() throws(RuntimeError) -> CurveKeyPair {
        do {
            if try secretKey.read() == nil {
                try secretKey.create(with: Array(try CurveKeyPair.generate().secretKey.hexadecimal.utf8))
            }
            let text = try secretKey.firstLine() ?? ""
            return try CurveKeyPair(secretKey: Token(hexadecimal: text)?.bytes ?? [])
        } catch let error as RuntimeError {
            throw error
        } catch {
            throw .damagedKey(path: RunFile.serverKey.path(in: directory))
        }
    }

    /// Reads the list; an absent file is an empty one.
    public func peers() throws(RuntimeError) -> PeerList {
        guard let content = try PrivateFile(.peers, in: directory).read(upTo: Self.listBytes) else {
            return PeerList()
        }
        do {
            return try JSONDecoder().decode(PeerList.self, from: Data(content))
        } catch {
            throw .damagedKey(path: listFile)
        }
    }

    /// Changes the list, unless the change throws. If it does not wait for two seconds while another program
    /// changes it, it throws `locked`.
    public func change<Value>(
        isWaiting: Bool = true, _ change: (inout PeerList) throws(RuntimeError) -> Value
    ) throws(RuntimeError) -> Value {
        let lock = try lock(waitingFor: isWaiting ? Self.lockTime : .zero)
        defer { lock.close() }
        let before = try peers()
        var list = before
        let value = try change(&list)
        if list != before { try write(list) }
        return value
    }

    private func write(_ list: PeerList) throws(RuntimeError) {
        // Synced, so that a loss of power does not bring back a revoked key.
        try GrowingFile.put(list.jsonLines(), at: listFile)
    }

    private func lock(waitingFor limit: Duration) throws(RuntimeError) -> FileLock {
        let end = ContinuousClock.now + limit
        while true {
            do throws(RuntimeError) {
                return try FileLock(path: RunFile.peersLock.path(in: directory))
            } catch {
                guard case .locked = error, ContinuousClock.now < end else { throw error }
                usleep(5_000)
            }
        }
    }

    /// The digest of a join token, which the list has in its place.
    public static func digest(of token: Token) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: Token.length)
        crypto_generichash(&digest, digest.count, token.bytes, UInt64(token.bytes.count), nil, 0)
        return digest
    }

    /// A random join token.
    public static func makeToken() -> Token {
        guard let token = Token(NodeSecret.newBytes()) else { preconditionFailure("a token has 32 bytes") }
        return token
    }
}

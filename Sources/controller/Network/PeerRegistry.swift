import Bus
import FleetProtocol
import Logging
import ProcessSupport

/// The peers that may connect over the network, as the file of the run directory lists them. A change of the
/// file takes effect at once. If the file cannot be read, the previous list remains.
final class PeerRegistry {
    /// The time between two readings of the file for unknown tokens.
    private static let lookInterval = Duration.milliseconds(100)

    private let files: PeerFiles
    private let secret: NodeSecret
    private let logger: Logger
    private var watch: FileWatch?
    private var peers: [CurvePublicKey: Peer]
    /// The digests of join tokens that are known, used or not.
    private var tokens: Set<[UInt8]>
    /// When the file may be read for a token that is not known.
    private var nextLook = ContinuousClock.now
    /// The boot IDs in the last hellos of each node, one of which its telemetry must have: another process
    /// with the key does not displace the one that serves.
    private var boots: [CurvePublicKey: [BootID]] = [:]
    /// Beyond that the boot that was silent for longest is removed, and its telemetry is refused until its
    /// next hello.
    private static let bootsAtMost = 64
    /// The controllers of other cells, which may connect as clients do.
    private var cells: [CurvePublicKey: Peer] = [:]
    /// Called with the keys that may no longer connect, and the boot IDs of their nodes.
    var onRevoke: (Set<CurvePublicKey>, [BootID]) -> Void = { _, _ in }

    init(_ files: PeerFiles, secret: NodeSecret, logger: Logger) throws(RuntimeError) {
        (self.files, self.secret, self.logger) = (files, secret, logger)
        let list = try files.peers()
        (peers, tokens) = (list.byKey, list.tokenDigests)
    }

    /// Reads the list again whenever it changes, until the loop ends.
    func watch(on loop: Loop) throws(RuntimeError) {
        watch = try FileWatch(directory: files.path, on: loop) { [unowned self] in reload() }
        reload()
    }

    /// Whether a peer may connect to the socket that its domain names.
    func admits(_ peer: Authenticator.Peer) -> Bool {
        guard let socket = FleetSocket(rawValue: peer.domain) else { return false }
        return socket == .join || self[peer.key, at: socket] != nil
    }

    subscript(key: CurvePublicKey?, at socket: FleetSocket) -> Peer? {
        guard let key, let peer = peers[key] ?? cells[key], socket.roles.contains(peer.role) else {
            return nil
        }
        return peer
    }

    /// Admits the controllers of other cells, in place of those of before.
    func set(cells list: [CellList.Cell]) {
        let former = cells
        cells = [:]
        for cell in list {
            guard case .network(_, let key) = cell.location else { continue }
            cells[key] = Peer(cell: cell.name, key: key)
        }
        let lost = Set(former.keys).subtracting(cells.keys)
        if !lost.isEmpty { onRevoke(lost, []) }
    }

    /// Why a node may not say that hello; nil if its key has those rights, and records its boot ID.
    func refusal(ofHello message: NodeMessage, from peer: Peer) -> WireError? {
        guard case .hello(let hello) = message.body else { return nil }
        guard hello.node == peer.name, hello.account == peer.account, hello.grant?.range == peer.range else {
            return .malformed("hello", "the node, account and range of its key")
        }
        if let key = peer.key {
            let others = boots[key, default: []].filter { $0 != message.bootID }
            boots[key] = others.suffix(Self.bootsAtMost - 1) + [message.bootID]
        }
        return nil
    }

    /// Whether telemetry with a boot ID is from the node that said it in its hello; if so, that boot is the
    /// last to be displaced.
    func owns(_ bootID: BootID, _ peer: Peer) -> Bool {
        guard let key = peer.key, var known = boots[key], let place = known.lastIndex(of: bootID) else {
            return false
        }
        if place < known.count - 1 {
            known.append(known.remove(at: place))
            boots[key] = known
        }
        return true
    }

    /// Exchanges a join token for the rights of a key. Everyone may ask, so an unknown token reads the file
    /// at most ten times a second: it may be so new that its change has not been noticed.
    func join(_ key: CurvePublicKey, with token: Token, at now: WallTime) -> JoinReply {
        let digest = PeerFiles.digest(of: token)
        if !tokens.contains(digest), ContinuousClock.now >= nextLook {
            nextLook = .now + Self.lookInterval
            reload()
        }
        let unknown = Refusal.notAllowed("the join token is unknown, has expired, or was used")
        guard tokens.contains(digest) else { return .refusal(unknown) }
        do throws(RuntimeError) {
            let joined = try files.change(isWaiting: false) { (list) throws(RuntimeError) in
                (list.join(key, tokenDigest: digest, at: now), list)
            }
            guard let peer = joined.0 else { return .refusal(unknown) }
            set(joined.1)
            logger.notice("peer joined", metadata: ["name": "\(peer.name)", "role": "\(peer.role.name)"])
            return .membership(peer.rights(with: secret))
        } catch {
            if case .locked = error { return .refusal(.busy(retryAfter: .milliseconds(100))) }
            logger.error("a peer cannot join", metadata: ["reason": "\(error)"])
            return .refusal(.storageFull(retryAfter: Limits.storageRetry))
        }
    }

    private func reload() {
        do throws(RuntimeError) {
            set(try files.peers())
        } catch {
            logger.error(
                "the list of peers cannot be read; the previous one remains", metadata: ["reason": "\(error)"]
            )
        }
    }

    private func set(_ list: PeerList) {
        let former = peers
        (peers, tokens) = (list.byKey, list.tokenDigests)
        // Other rights take effect when the peer connects again.
        let changed = former.filter { peers[$0.key] != $0.value }
        guard !changed.isEmpty else { return }
        let lost = changed.keys.flatMap { boots.removeValue(forKey: $0) ?? [] }
        logger.notice(
            "keys were revoked or changed", metadata: ["names": "\(changed.values.map(\.name.text).sorted())"]
        )
        onRevoke(Set(changed.keys), lost)
    }
}

extension Peer {
    fileprivate init(cell: CellName, key: CurvePublicKey) {
        guard let name = NodeName("cell.\(cell)") else { preconditionFailure("cell.\(cell) is a name") }
        self.init(name: name, role: .client, account: nil, key: key, since: WallTime(unixMilliseconds: 0))
    }
}

import Bus
import ControllerCore
import ControllerSupport
import FleetProtocol
import Glibc
import Logging
import ProcessSupport

/// The connections to the controllers of other cells, over which this one pulls their directories and moves
/// accounts. It follows the file that lists the cells: a change of it takes effect at once, and a file that
/// cannot be read changes nothing.
final class CellLinks {
    private struct Link {
        let location: CellList.Cell.Location
        let socket: ClientSocket
    }

    private static let pagesPerTurn = 64

    private let own: OwnCell
    private let directory: RunDirectory
    private let token: Token
    private let keys: CurveKeyPair
    private let loop: Loop
    private let logger: Logger
    private var list: CellList
    private var links: [CellName: Link] = [:]
    private var watch: FileWatch?
    private var frames = Frames()
    /// Called with each reply of another cell, and the number of its request.
    private var onReply: (CellName, UInt64, CellReply) -> Void = { _, _, _ in }
    /// Called with the other cells whenever they change, also at first.
    private var onChange: ([CellList.Cell]) -> Void = { _ in }

    /// Reads the list and connects later, with the token that the other cells expect.
    init(
        of own: OwnCell, presenting token: Token, in directory: RunDirectory, on loop: Loop, logger: Logger
    ) throws {
        (self.own, self.token, self.loop, self.logger) = (own, token, loop, logger)
        keys = try PeerFiles(of: directory).serverKeys()
        list = try own.readList(orCopyIn: directory) { _ in }
        self.directory = directory
    }

    /// Connects to the other cells, and follows the file until the loop ends. `onChange` has the other cells,
    /// now and whenever they change; `onReply` a reply and the number of its request.
    func begin(
        onChange: @escaping ([CellList.Cell]) -> Void,
        onReply: @escaping (CellName, UInt64, CellReply) -> Void
    ) throws {
        (self.onChange, self.onReply) = (onChange, onReply)
        set(list)
        let directory = own.list[..<(own.list.lastIndex(of: "/") ?? own.list.startIndex)]
        watch = try FileWatch(directory: directory.isEmpty ? "/" : String(directory), on: loop) {
            [unowned self] in reload()
        }
        reload()
    }

    /// Sends a request; without a connection it is dropped.
    func send(_ request: RequestToCell) {
        let message = ServiceMessage(request.request)
        let bytes = ClientRequest(
            correlation: request.correlation, token: token, body: .service(message)
        ).wireBytes
        _ = try? links[request.cell]?.socket.socket.send(delimited: bytes)
    }

    func close() {
        for link in links.values { link.socket.close() }
        links = [:]
    }

    private func reload() {
        do {
            let next = try own.readList()
            guard next != list else { return }
            _ = try own.readList(orCopyIn: directory) { _ in }
            set(next)
        } catch {
            logger.error(
                "the list of cells cannot be read; the previous one remains", metadata: ["reason": "\(error)"]
            )
        }
    }

    private func set(_ next: CellList) {
        list = next
        let others = next.cells.filter { $0.name != own.name }
        for (name, link) in links where next[name]?.location != link.location {
            link.socket.close()
            links[name] = nil
        }
        for cell in others where links[cell.name] == nil {
            do {
                links[cell.name] = try link(to: cell)
            } catch {
                logger.error("cell \(cell.name) cannot be reached", metadata: ["reason": "\(error)"])
            }
        }
        logger.info("cells", metadata: ["own": "\(own.name)", "others": "\(others.map(\.name.text))"])
        onChange(others)
    }

    private func link(to cell: CellList.Cell) throws -> Link {
        var options = SocketOptions.defaults(for: .dealer)
        let endpoint: Endpoint
        switch cell.location {
        case .directory(let path): endpoint = try RunDirectory(path: path).endpoint(.clients)
        case .network(let address, let serverKey):
            endpoint = try address.endpoint(of: .clients)
            options.secure(.client(server: serverKey, keys: keys))
        }
        let socket = try ClientSocket(.dealer, to: endpoint, options: options, on: loop)
        socket.onReadable = { [unowned self] in receive(from: cell.name, on: socket) }
        try socket.connect { _ in
        } observe: { [logger] event in
            switch event {
            case .handshakeSucceeded: logger.info("cell \(cell.name) is connected")
            case .disconnected: logger.notice("the connection to cell \(cell.name) is lost")
            case .handshakeFailed(let failure):
                logger.warning(
                    "cell \(cell.name) does not admit this one", metadata: ["failure": "\(failure)"])
            default: break
            }
        }
        return Link(location: cell.location, socket: socket)
    }

    private func receive(from cell: CellName, on socket: ClientSocket) {
        for _ in 0..<Self.pagesPerTurn {
            guard (try? socket.socket.receive(into: &frames)) ?? false else { return }
            guard frames.count == 2, frames.byteCount(at: 0) == 0 else { continue }
            do throws(WireError) {
                let reply = try ClientReply(wireBytes: frames.array(at: 1))
                switch reply.body {
                case .service(let message):
                    guard let content = try message.reply(to: CellRequest.self) else { continue }
                    receive(content, from: cell, correlation: reply.correlation)
                case .refusal(let refusal):
                    logger.warning(
                        "cell \(cell) refuses a request of this one", metadata: ["refusal": "\(refusal.name)"]
                    )
                default: continue
                }
            } catch {
                logger.warning("cell \(cell) sent an unreadable reply", metadata: ["error": "\(error)"])
            }
        }
    }

    private func receive(_ reply: CellReply, from cell: CellName, correlation: UInt64) {
        if case .page(let page) = reply, page.cell != cell {
            return logger.error("the controller at the address of cell \(cell) is that of cell \(page.cell)")
        }
        onReply(cell, correlation, reply)
    }
}

extension CellConfiguration {
    /// The configuration of a controller that is a cell of a list; earlier runs have stored the moves.
    init(
        _ own: OwnCell, in list: CellList, with secret: CellSecret, _ moves: StoredMoves, storesRequests: Bool
    ) {
        self.init(
            own: own.name, others: list.cells.map(\.name).filter { $0 != own.name },
            digest: secret.token.digest, hash: secret.hash)
        (self.moves, self.storesRequests) = (moves, storesRequests)
    }
}

extension OwnCell {
    /// The pause between two looks for the files.
    private static let lookMilliseconds: Int32 = 500

    /// Waits until the list and the secret of the cells exist; meanwhile the log has the key for the list.
    /// Returns false after a stop signal.
    func awaitFiles(
        in directory: RunDirectory, until signals: StopSignals, logger: Logger
    ) throws(RuntimeError) -> Bool {
        let files = [list, CellSecret.file(beside: list, environment: Environment.current)]
        var missing: [String] { files.filter { access($0, R_OK) != 0 } }
        if missing.isEmpty { return true }
        let key = try PeerFiles(of: directory).serverKeys().publicKey
        logger.notice(
            "waiting for the list and the secret of the cells",
            metadata: ["missing": "\(missing)", "cell": "\(name)", "key": "\(key)"])
        while !missing.isEmpty {
            var descriptor = pollfd(fd: signals.fileDescriptor, events: Int16(POLLIN), revents: 0)
            if poll(&descriptor, 1, Self.lookMilliseconds) > 0, signals.read() != nil { return false }
        }
        return true
    }
}

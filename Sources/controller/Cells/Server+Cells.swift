import Bus
import ControllerCore
import FleetProtocol
import FoundationEssentials
import Logging
import ProcessSupport

extension Server {
    /// A directory for the check of an account that comes from another cell.
    private var moveDirectory: String { "\(directory.root)/moving" }

    func beginCells() throws {
        try cells?.begin { [self] others in
            network?.registry.set(cells: others)
            step(.cell(.others(others.map(\.name))), at: clock.now())
        } onReply: { [self] cell, correlation, reply in
            step(.cell(.reply(cell, correlation: correlation, reply)), at: clock.now())
        }
    }

    /// Reads or checks the content of an account that is moved; the controller gets the result in the next
    /// turn.
    func carryOut(_ work: MoveWork) throws {
        switch work {
        case .read(let move):
            guard let peers = movedPeers(of: move.account) else { return }
            let rows = try MovedContent(rows: try store.rows(of: move.account), peers: peers).encoded()
            let facts: Logger.Metadata = ["bytes": "\(rows.count)"]
            logger.info("account \(move.account) goes to cell \(move.target)", metadata: facts)
            moveResults.append(.readRows(move, rows))
        case .check(let move, let rows):
            let objection = try objection(toTaking: rows, of: move)
            let facts: Logger.Metadata = ["bytes": "\(rows.count)", "objection": "\(objection ?? "none")"]
            logger.info("account \(move.account) comes from cell \(move.source)", metadata: facts)
            moveResults.append(.checkedRows(move, objection: objection))
        }
        loop.perform {}
    }

    /// The keys that go along with an account; nil, with a line in the log, if the list cannot be read: the
    /// move then ends after its time.
    private func movedPeers(of account: AccountID) -> PeerList? {
        do throws(RuntimeError) {
            return try PeerFiles(of: directory).peers()[account]
        } catch {
            logger.error("account \(account) cannot be moved", metadata: ["reason": "\(error)"])
            return nil
        }
    }

    /// Returns why the content of an account cannot be taken; if it can, its keys are admitted. They are
    /// limited to the account, so they are of no use until it is here.
    private func objection(toTaking bytes: [UInt8], of move: AccountMove) throws -> String? {
        let content: MovedContent
        do {
            content = try MovedContent(bytes)
        } catch {
            return "\(error)"
        }
        let objection = try store.objection(toAdding: content.rows, of: move, scratch: moveDirectory)
        if let objection { return objection }
        do throws(RuntimeError) {
            let now = clock.now().wall
            // The loop does not wait for another program that changes the list.
            try PeerFiles(of: directory).change(isWaiting: false) { (list) throws(RuntimeError) in
                try list.replace(peersOf: move.account, with: content.peers, at: now)
            }
            return nil
        } catch {
            return "the keys of its machines cannot be admitted: \(error)"
        }
    }

    func handleMoveResults() {
        guard !moveResults.isEmpty else { return }
        let results = moveResults
        moveResults.removeAll()
        for result in results { step(.cell(result), at: clock.now()) }
    }
}

/// What moves with an account besides the outcomes of its requests, encoded.
struct MovedContent {
    /// The rows of the store, as ``AccountRows`` encodes them.
    let rows: [UInt8]
    /// The keys of other machines that are limited to the account.
    let peers: PeerList

    init(rows: [UInt8], peers: PeerList) { (self.rows, self.peers) = (rows, peers) }

    /// Reads what ``encoded()`` returned; fails for anything else.
    init(_ bytes: [UInt8]) throws {
        var reader = RecordReader(bytes)
        do {
            rows = Array(try reader.readBlock())
            peers = try JSONDecoder().decode(PeerList.self, from: Data(try reader.readBlock()))
        } catch {
            throw AccountRows.Objection.malformed
        }
        guard reader.bytesLeft == 0 else { throw AccountRows.Objection.malformed }
    }

    func encoded() throws -> [UInt8] {
        var writer = RecordWriter()
        writer.put(block: rows)
        writer.put(block: try JSONEncoder().encode(peers))
        return writer.bytes
    }
}

import FleetProtocol
import FoundationEssentials
import ProcessSupport

/// What moves with an account besides the outcomes of its requests, encoded.
struct MovedContent {
    /// The rows of the store, as ``AccountRows`` encodes them.
    let rows: [UInt8]
    /// The keys of other machines that are limited to the account.
    let peers: PeerList

    init(rows: [UInt8], peers: PeerList) { (self.rows, self.peers) = (rows, peers) }

    /// Reads what ``encoded()`` returned.
    ///
    /// - Throws: `AccountRows.Objection.malformed` for anything else.
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

    /// The bytes.
    func encoded() throws -> [UInt8] {
        var writer = RecordWriter()
        writer.put(block: rows)
        writer.put(block: try JSONEncoder().encode(peers))
        return writer.bytes
    }
}

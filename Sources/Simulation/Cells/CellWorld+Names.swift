import ControllerCore
import FleetProtocol

/// The cells and users of the simulation, by name, and how controllers see them.
extension CellWorld {
    var cellCount: Int { cells.count }

    func name(of cell: Int) -> CellName { cells[cell].name }

    func index(of name: CellName) -> Int? { cells.firstIndex { $0.name == name } }

    func has(_ email: Email, in cell: CellName) -> Bool {
        cells.contains { $0.name == cell && $0.users[email] != nil }
    }

    /// The account of a user; nil if no cell has the user.
    func account(of email: Email) -> AccountID? {
        cells.lazy.compactMap { $0.users[email]?.session.account }.first
    }

    static let clients = ConnectionID(high: 1, low: 0)

    static func link(to cell: Int) -> ConnectionID { ConnectionID(high: 2, low: UInt64(cell)) }

    static func hash(_ password: Password) -> String { "hash of \(password.text)" }

    static func digest(_ number: UInt64) -> TokenDigest {
        let bytes = (0..<32).map { UInt8(truncatingIfNeeded: number >> UInt64($0 % 8 * 8)) }
        guard let digest = TokenDigest(bytes) else { preconditionFailure("a digest has 32 bytes") }
        return digest
    }

    /// The digest of the token of a session that was opened just now.
    var newestDigest: TokenDigest { Self.digest(lastDigest) }
}

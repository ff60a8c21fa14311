/// The name of a cell: 1 to 16 characters of `[a-z0-9-]`, the first not a hyphen.
///
/// A cell is one controller with its nodes and its storage. An account is in exactly one cell.
public struct CellName: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The characters.
    public let text: String

    /// The cell with a name; nil if the name has other characters or another length.
    public init?(_ text: String) {
        let isAllowed = text.utf8.allSatisfy { $0.isLowercaseLetter || $0.isDigit || $0 == UInt8(ascii: "-") }
        guard isAllowed, !text.hasPrefix("-"), (1...Limits.cellNameBytes).contains(text.utf8.count) else {
            return nil
        }
        self.text = text
    }

    /// The characters.
    public var description: String { text }

    /// Compares names alphabetically.
    public static func < (left: CellName, right: CellName) -> Bool { left.text < right.text }
}

/// A token as users and programs store it: with the cell that knows it, `sb_CELL_` and 64 hexadecimal digits,
/// or without cells, 64 hexadecimal digits.
public struct CellToken: Sendable, Equatable, CustomStringConvertible {
    private static let prefix = "sb_"

    /// The cell that knows the token; nil for a fleet without cells.
    public let cell: CellName?
    /// The token.
    public let token: Token

    /// A token of a cell; nil for a fleet without cells.
    public init(_ token: Token, in cell: CellName?) { (self.token, self.cell) = (token, cell) }

    /// Parses a text; nil for any other text.
    public init?(_ text: String) {
        var digits = Substring(text)
        var cell: CellName?
        if text.hasPrefix(Self.prefix) {
            let parts = text.split(separator: "_", maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3, let name = CellName(String(parts[1])) else { return nil }
            (cell, digits) = (name, parts[2])
        }
        guard let token = Token(hexadecimal: String(digits)) else { return nil }
        self.init(token, in: cell)
    }

    /// The secret text from which the token can be parsed.
    public var text: String {
        let digits = token.bytes.hexadecimal
        return cell.map { "\(Self.prefix)\($0)_\(digits)" } ?? digits
    }

    /// A constant in place of the secret.
    public var description: String { "token" }
}

extension CellHash: Comparable {
    /// Compares hashes as numbers.
    public static func < (left: CellHash, right: CellHash) -> Bool {
        (left.high, left.low) < (right.high, right.low)
    }
}

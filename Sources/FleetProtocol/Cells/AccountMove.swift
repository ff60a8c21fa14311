extension Limits {
    /// Bytes of a move's content in one message.
    public static let moveContentBytes = 60 * 1024
}

/// One attempt to move an account from a cell to another one.
public struct AccountMove: Hashable, Sendable {
    /// The account.
    public let account: AccountID
    /// The cell that has the account before.
    public let source: CellName
    /// The cell that has it afterwards.
    public let target: CellName
    /// The epoch of the source; devices refuse lower ones, so the next epoch of the target is higher.
    public let epoch: Epoch
    /// The number of the move among those of that epoch.
    public let number: UInt64

    /// A move with the given values.
    public init(account: AccountID, source: CellName, target: CellName, epoch: Epoch, number: UInt64) {
        (self.account, self.source, self.target) = (account, source, target)
        (self.epoch, self.number) = (epoch, number)
    }
}

/// An operator's order to move an account; it may be repeated until it is carried out.
public struct AccountMoveOrder: Hashable, Sendable {
    /// The account.
    public let account: AccountID
    /// The cell that gets it.
    public let target: CellName

    /// An order with the given values.
    public init(account: AccountID, target: CellName) { (self.account, self.target) = (account, target) }
}

/// The request of a move's source that the target copies the account.
public struct AccountMoveOffer: Hashable, Sendable {
    /// The move.
    public let move: AccountMove
    /// The number of the account's devices.
    public let devices: UInt32

    /// An offer with the given values.
    public init(move: AccountMove, devices: UInt32) { (self.move, self.devices) = (move, devices) }
}

/// What the target of a move has done.
public struct AccountMoveStatus: Hashable, Sendable {
    /// The progress of a move.
    public enum Phase: Sendable, CaseIterable {
        /// The target does not know the move, and will not take the account.
        case unknown
        /// It copies the account.
        case copying
        /// It has the whole content.
        case ready
        /// It has the account.
        case taken
        /// It will not take the account.
        case refused
    }

    /// The move.
    public let move: AccountMove
    /// The progress.
    public let phase: Phase
    /// Why the target refuses; empty in other phases.
    public let reason: String
    /// The epoch of the target.
    public let epoch: Epoch

    /// A status with the given values.
    public init(move: AccountMove, phase: Phase, reason: String = "", epoch: Epoch) {
        (self.move, self.phase, self.reason, self.epoch) = (move, phase, reason, epoch)
    }
}

/// A query of a move's target for content of the account.
public struct MoveContentQuery: Hashable, Sendable {
    /// The move.
    public let move: AccountMove
    /// The part.
    public let part: MoveContent.Part
    /// Where the content begins.
    public let position: UInt64

    /// A query with the given values.
    public init(move: AccountMove, part: MoveContent.Part, position: UInt64) {
        (self.move, self.part, self.position) = (move, part, position)
    }
}

/// Content of an account that is moved.
public struct MoveContent: Hashable, Sendable {
    /// The two parts of an account's content.
    public enum Part: Sendable, CaseIterable {
        /// Ended requests, which are copied while the account is still in use.
        case history
        /// All the rest, which is copied while the account is frozen.
        case rest
    }

    /// The move.
    public let move: AccountMove
    /// The part.
    public let part: Part
    /// Where the content begins.
    public let position: UInt64
    /// Where the next content begins; ``position`` if the source has it later.
    public let next: UInt64
    /// Whether the part ends here.
    public let isLast: Bool
    /// At most ``Limits/moveContentBytes``.
    public let content: [UInt8]

    /// Content with the given values.
    public init(
        move: AccountMove, part: Part, position: UInt64, next: UInt64, isLast: Bool, content: [UInt8]
    ) {
        (self.move, self.part, self.position) = (move, part, position)
        (self.next, self.isLast, self.content) = (next, isLast, content)
    }
}

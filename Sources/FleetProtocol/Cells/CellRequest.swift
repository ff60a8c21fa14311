extension Limits {
    /// Cells of one installation.
    public static let cells = 64
    /// Bytes of a cell's name.
    public static let cellNameBytes = 16
    /// Changes of a directory in one page.
    public static let directoryPage = 1_000
    /// Accounts in one page of a cell's list.
    public static let accountPage = 500
    /// The time between two pulls of another cell's directory.
    public static let directoryInterval: Duration = .seconds(1)
}

/// A request of another cell's controller, or of an operator of all cells, who has the cells' secret.
public enum CellRequest: Sendable, Equatable, ServiceRequest {
    /// Returns the changes of the cell's directory from a position on.
    case pull(CellDirectoryPull)
    /// Returns the status of the cell.
    case status
    /// Returns accounts of the cell in alphabetical order, after one of them, or from the first.
    case accounts(after: AccountID?)
    /// Creates an account with its first user, an owner.
    case create(AccountCreation)
    /// Moves an account to another cell.
    case move(AccountMoveOrder)
    /// Begins to copy an account that another cell moves here, or returns the progress.
    case offer(AccountMoveOffer)
    /// Returns content of an account that this cell moves to another one.
    case content(MoveContentQuery)
    /// Takes an account whose content is copied.
    case commit(AccountMove)

    /// The reply to a ``CellRequest``.
    public typealias Reply = CellReply

    /// The service `cells`.
    public static let service = ServiceName(constant: "cells")

    /// Requests that create or move accounts change something.
    public var traits: RequestTraits {
        switch self {
        case .create: RequestTraits(retry: .never, keyScope: nil)
        case .move, .offer, .content, .commit: RequestTraits(retry: .onReconnect, keyScope: nil)
        case .pull, .status, .accounts:
            RequestTraits(retry: .onReconnect, keyScope: nil, isReadOnly: true)
        }
    }
}

/// The reply to a ``CellRequest``.
public enum CellReply: Sendable, Equatable {
    /// Changes of the cell's directory.
    case page(CellDirectoryPage)
    /// The status of the cell.
    case status(CellStatus)
    /// Accounts of the cell.
    case accounts(AccountPage)
    /// The account was created.
    case created(AccountID)
    /// The account is in that cell now.
    case moved(AccountID, to: CellName)
    /// The progress of a move.
    case moveStatus(AccountMoveStatus)
    /// Content of an account.
    case content(MoveContent)
}

/// A request for the changes of a cell's directory.
public struct CellDirectoryPull: Hashable, Sendable {
    /// The cell that requests them.
    public let cell: CellName
    /// The generation that the requester knows; 0 at first.
    public let generation: UInt64
    /// The number of that generation's changes that the requester has.
    public let position: UInt64

    /// A pull with the given values.
    public init(cell: CellName, generation: UInt64, position: UInt64) {
        (self.cell, self.generation, self.position) = (cell, generation, position)
    }
}

/// Changes of a cell's directory: of the users and accounts that it has.
///
/// Each start of the controller begins a higher generation, whose first changes add all that it has.
public struct CellDirectoryPage: Hashable, Sendable {
    /// The cell.
    public let cell: CellName
    /// The hash of all cells' names, as this cell knows them.
    public let cells: CellHash
    /// The generation of the directory.
    public let generation: UInt64
    /// The number of changes before these; 0 if the requester must begin again.
    public let position: UInt64
    /// The number of all changes of the generation so far.
    public let total: UInt64
    /// At most ``Limits/directoryPage`` changes.
    public let changes: [CellDirectoryChange]
    /// The cells that got accounts from this one: the directory is used only together with theirs.
    public let successors: [Successor]

    /// A page with the given values.
    public init(
        cell: CellName, cells: CellHash, generation: UInt64, position: UInt64, total: UInt64,
        changes: [CellDirectoryChange], successors: [Successor] = []
    ) {
        (self.cell, self.cells, self.generation) = (cell, cells, generation)
        (self.position, self.total, self.changes) = (position, total, changes)
        self.successors = successors
    }

    /// A cell that got an account, with the epoch from which on its directory has it.
    public struct Successor: Hashable, Sendable {
        /// The cell.
        public let cell: CellName
        /// The epoch.
        public let epoch: Epoch

        /// A successor with the given values.
        public init(cell: CellName, epoch: Epoch) { (self.cell, self.epoch) = (cell, epoch) }
    }
}

/// A change of a cell's directory.
public struct CellDirectoryChange: Hashable, Sendable {
    /// The hash of the user or the account.
    public let hash: CellHash
    /// Whether the cell no longer has it.
    public let isRemoval: Bool

    /// A change with the given values.
    public init(_ hash: CellHash, isRemoval: Bool = false) { (self.hash, self.isRemoval) = (hash, isRemoval) }
}

/// The status of a cell, for operators.
public struct CellStatus: Hashable, Sendable {
    /// The cell.
    public let cell: CellName
    /// The controller's start number.
    public let epoch: Epoch
    /// The number of accounts with users.
    public let accounts: UInt32
    /// The number of users.
    public let users: UInt32
    /// The number of devices of all accounts.
    public let devices: UInt32
    /// The number of online devices of all accounts.
    public let online: UInt32
    /// What the cell knows of the others.
    public let others: [OtherCell]
    /// The number of its users and accounts that another cell has too; 0 unless lists were wrong.
    public let conflicts: UInt32

    /// A status with the given values.
    public init(
        cell: CellName, epoch: Epoch, accounts: UInt32, users: UInt32, devices: UInt32, online: UInt32,
        others: [OtherCell], conflicts: UInt32 = 0
    ) {
        (self.cell, self.epoch, self.accounts, self.users) = (cell, epoch, accounts, users)
        (self.devices, self.online, self.others) = (devices, online, others)
        self.conflicts = conflicts
    }

    /// What a cell knows of another one.
    public struct OtherCell: Hashable, Sendable {
        /// The other cell.
        public let name: CellName
        /// Whether the cell has its whole directory.
        public let isKnown: Bool
        /// Whether both know the same cells.
        public let hasSameCells: Bool
        /// The time since its last page; nil without one.
        public let silent: Duration?

        /// Knowledge with the given values.
        public init(name: CellName, isKnown: Bool, hasSameCells: Bool, silent: Duration?) {
            (self.name, self.isKnown, self.hasSameCells) = (name, isKnown, hasSameCells)
            self.silent = silent
        }
    }
}

/// An account of a cell, for operators.
public struct AccountRow: Hashable, Sendable {
    /// The account.
    public let account: AccountID
    /// The number of its users.
    public let users: UInt32
    /// The number of its devices.
    public let devices: UInt32
    /// The number of its online devices.
    public let online: UInt32

    /// A row with the given values.
    public init(account: AccountID, users: UInt32, devices: UInt32, online: UInt32) {
        (self.account, self.users, self.devices, self.online) = (account, users, devices, online)
    }
}

/// A part of a cell's list of accounts.
public struct AccountPage: Hashable, Sendable {
    /// At most ``Limits/accountPage`` accounts, in alphabetical order.
    public let accounts: [AccountRow]
    /// Whether no account follows.
    public let isLast: Bool

    /// A page with the given values.
    public init(accounts: [AccountRow], isLast: Bool) { (self.accounts, self.isLast) = (accounts, isLast) }
}

/// The creation of an account with its first user.
public struct AccountCreation: Sendable, Equatable {
    /// The account.
    public let account: AccountID
    /// The email of its owner.
    public let email: Email
    /// The owner's password.
    public let password: Password
    /// Whether the owner is an operator of the account's devices and users.
    public let isOperator: Bool

    /// A creation with the given values.
    public init(account: AccountID, email: Email, password: Password, isOperator: Bool) {
        (self.account, self.email) = (account, email)
        (self.password, self.isOperator) = (password, isOperator)
    }
}

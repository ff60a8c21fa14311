// Made by protoc-gen-fleetwire from sensibus/v1/cells.proto: `make proto` makes it again.
// swift-format-ignore-file

extension MoveContent {
    /// The two parts of an account's content.
    public enum Part: UInt8, CaseIterable, Hashable, Sendable {
        /// The account's ended requests, while it is still in use.
        case history
        /// All the rest. The first query of it freezes the account, until the move has ended.
        case rest
    }
}

extension MoveContent.Part {
    /// The case of that number.
    @inline(__always)
    init(wire number: UInt32, field: String) throws(WireError) {
        switch number {
        case 0: self = .history
        case 1: self = .rest
        default: throw .malformed(field, "a part of a move")
        }
    }

    /// The case's number.
    var wire: UInt32 {
        switch self {
        case .history: 0
        case .rest: 1
        }
    }
}

extension AccountMoveStatus {
    /// The progress of a move.
    public enum Phase: UInt8, CaseIterable, Hashable, Sendable {
        /// It does not know the move, and will not take the account.
        case unknown
        case copying
        /// It has the whole content.
        case ready
        /// It has the account.
        case taken
        /// It will not take the account.
        case refused
    }
}

extension AccountMoveStatus.Phase {
    /// The case of that number.
    @inline(__always)
    init(wire number: UInt32, field: String) throws(WireError) {
        switch number {
        case 0: self = .unknown
        case 1: self = .copying
        case 2: self = .ready
        case 3: self = .taken
        case 4: self = .refused
        default: throw .malformed(field, "a phase of a move")
        }
    }

    /// The case's number.
    var wire: UInt32 {
        switch self {
        case .unknown: 0
        case .copying: 1
        case .ready: 2
        case .taken: 3
        case .refused: 4
        }
    }
}

/// A request of another cell's controller, or of an operator of all cells, who has the cells' secret.
public enum CellRequest: Equatable, Sendable {
    /// Requests the changes of a cell's directory, which another cell does each second.
    case pull(CellDirectoryPull)
    case status
    /// Returns accounts of the cell in alphabetical order, after one of them, or from the first.
    /// - `after`: The last account of the page before; empty for the first page.
    case accounts(after: AccountID?)
    /// Creates an account with its first user, an owner.
    case create(AccountCreation)
    /// Moves an account to another cell: an operator asks the cell that has it. The same order may be repeated.
    case move(AccountMoveOrder)
    /// The source asks the target to copy the account, and repeats this until the status has another phase than copying.
    case offer(AccountMoveOffer)
    /// The target asks the source for a part of the account's content.
    case content(MoveContentQuery)
    /// The source asks the target to take the account, which it may no longer do afterwards unless the target refuses.
    case commit(AccountMove)
}

extension CellRequest: WireMessage {
    public init(wireBytes bytes: [UInt8], in range: Range<Int>) throws(WireError) {
        var fields = try FieldReader(message: bytes, in: range)
        var body: Choice?
        while let field = try fields.next() {
            switch field {
            case 1...8: try fields.read(&body)
            default: break
            }
        }
        self = try CellRequest(wire: body.required("body: a request of a kind that this version knows"))
    }

    public var wireBytes: [UInt8] {
        FieldWriter.content { fields in
            write(to: &fields)
        }
    }
}

extension CellRequest {
    /// The case that the message in `CellRequest.body` is.
    init(wire choice: consuming Choice) throws(WireError) {
        switch choice.number {
        case 1: self = .pull(try CellDirectoryPull(wire: choice.message))
        case 2: self = .status
        case 3: self = .accounts(after: try AccountQueryFields.read(choice.message))
        case 4: self = .create(try AccountCreation(wire: choice.message))
        case 5: self = .move(try AccountMoveOrder(wire: choice.message))
        case 6: self = .offer(try AccountMoveOffer(wire: choice.message))
        case 7: self = .content(try MoveContentQuery(wire: choice.message))
        default: self = .commit(try AccountMoveCommitFields.read(choice.message))
        }
    }

    /// Writes the case's message.
    func write(to fields: inout FieldWriter) {
        switch self {
        case .pull(let value): fields.put(1, value)
        case .status: fields.put(2) { _ in }
        case .accounts(let after): fields.put(3) { AccountQueryFields.write(after, into: &$0) }
        case .create(let value): fields.put(4, value)
        case .move(let value): fields.put(5, value)
        case .offer(let value): fields.put(6, value)
        case .content(let value): fields.put(7, value)
        case .commit(let move): fields.put(8) { AccountMoveCommitFields.write(move, into: &$0) }
        }
    }
}

/// The reply to a `CellRequest`.
public enum CellReply: Equatable, Sendable {
    /// Changes of a cell's directory. Each start of its controller begins a higher generation.
    case page(CellDirectoryPage)
    /// The status of a cell, for operators.
    case status(CellStatus)
    /// A part of a cell's list of accounts.
    case accounts(AccountPage)
    case created(AccountID)
    /// The account is in that cell now.
    /// - `to`: The cell that has it now.
    case moved(AccountID, to: CellName)
    /// What the target has done.
    case moveStatus(AccountMoveStatus)
    /// Content of an account that is moved.
    case content(MoveContent)
}

extension CellReply: WireMessage {
    public init(wireBytes bytes: [UInt8], in range: Range<Int>) throws(WireError) {
        var fields = try FieldReader(message: bytes, in: range, limit: Limits.chunkBytes)
        var body: Choice?
        while let field = try fields.next() {
            switch field {
            case 1...7: try fields.read(&body)
            default: break
            }
        }
        self = try CellReply(wire: body.required("body: a reply of a kind that this version knows"))
    }

    public var wireBytes: [UInt8] {
        FieldWriter.content { fields in
            write(to: &fields)
        }
    }
}

extension CellReply {
    /// The case that the message in `CellReply.body` is.
    init(wire choice: consuming Choice) throws(WireError) {
        switch choice.number {
        case 1: self = .page(try CellDirectoryPage(wire: choice.message))
        case 2: self = .status(try CellStatus(wire: choice.message))
        case 3: self = .accounts(try AccountPage(wire: choice.message))
        case 4: self = .created(try AccountCreatedFields.read(choice.message))
        case 5:
            let (account, to) = try AccountMovedFields.read(choice.message)
            self = .moved(account, to: to)
        case 6: self = .moveStatus(try AccountMoveStatus(wire: choice.message))
        default: self = .content(try MoveContent(wire: choice.message))
        }
    }

    /// Writes the case's message.
    func write(to fields: inout FieldWriter) {
        switch self {
        case .page(let value): fields.put(1, value)
        case .status(let value): fields.put(2, value)
        case .accounts(let value): fields.put(3, value)
        case .created(let account): fields.put(4) { AccountCreatedFields.write(account, into: &$0) }
        case .moved(let account, let to): fields.put(5) { AccountMovedFields.write(account, to, into: &$0) }
        case .moveStatus(let value): fields.put(6, value)
        case .content(let value): fields.put(7, value)
        }
    }
}

/// Requests the changes of a cell's directory, which another cell does each second.
public struct CellDirectoryPull: Hashable, Sendable {
    /// The cell that requests them.
    public let cell: CellName
    /// The generation that it knows; 0 at first.
    public let generation: UInt64
    /// The number of changes of that generation that it has.
    public let position: UInt64

    public init(cell: CellName, generation: UInt64 = 0, position: UInt64 = 0) {
        self.cell = cell
        self.generation = generation
        self.position = position
    }
}

extension CellDirectoryPull: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var cell = ""
        var generation = UInt64(0)
        var position = UInt64(0)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&cell)
            case 2: try fields.read(&generation)
            case 3: try fields.read(&position)
            default: break
            }
        }
        self.init(
            cell: try CellName(wire: cell, field: "cell"),
            generation: generation,
            position: position)
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, cell.wire)
        fields.put(2, generation)
        fields.put(3, position)
    }
}

/// Changes of a cell's directory. Each start of its controller begins a higher generation.
public struct CellDirectoryPage: Hashable, Sendable {
    public let cell: CellName
    /// The hash of all cells' names, as this cell knows them.
    public let cells: CellHash
    public let generation: UInt64
    /// The number of changes before these; 0 if the requester must begin again.
    public let position: UInt64
    /// The number of all changes so far.
    public let total: UInt64
    /// At most 1,000.
    public let changes: [CellDirectoryChange]
    /// The cells that got accounts from this one: the directory may be used only together with theirs.
    public let successors: [CellDirectoryPage.Successor]

    public init(cell: CellName, cells: CellHash, generation: UInt64 = 0, position: UInt64 = 0, total: UInt64 = 0, changes: [CellDirectoryChange] = [], successors: [CellDirectoryPage.Successor] = []) {
        self.cell = cell
        self.cells = cells
        self.generation = generation
        self.position = position
        self.total = total
        self.changes = changes
        self.successors = successors
    }
}

extension CellDirectoryPage: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var cell = ""
        var cells: FieldReader?
        var generation = UInt64(0)
        var position = UInt64(0)
        var total = UInt64(0)
        var changes: [CellDirectoryChange] = []
        var successors: [CellDirectoryPage.Successor] = []
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&cell)
            case 2: try fields.read(&cells)
            case 3: try fields.read(&generation)
            case 4: try fields.read(&position)
            case 5: try fields.read(&total)
            case 6: try fields.read(&changes)
            case 7: try fields.read(&successors)
            default: break
            }
        }
        guard changes.count <= Limits.directoryPage else { throw .malformed("directory.changes", "at most \(Limits.directoryPage)") }
        guard successors.count <= Limits.cells else { throw .malformed("directory.successors", "at most \(Limits.cells)") }
        guard total >= position && total - position >= UInt64(changes.count) else {
            throw .malformed("position", "changes up to the total")
        }
        self.init(
            cell: try CellName(wire: cell, field: "cell"),
            cells: try CellHash(wire: cells.required("directory.cells")),
            generation: generation,
            position: position,
            total: total,
            changes: changes,
            successors: successors)
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, cell.wire)
        fields.put(2, cells)
        fields.put(3, generation)
        fields.put(4, position)
        fields.put(5, total)
        for value in changes { fields.put(6, value) }
        for value in successors { fields.put(7, value) }
    }
}

extension CellDirectoryPage {
    /// A cell that got an account, with the epoch from which on its directory has it; at most 63.
    public struct Successor: Hashable, Sendable {
        public let cell: CellName
        public let epoch: Epoch

        public init(cell: CellName, epoch: Epoch) {
            self.cell = cell
            self.epoch = epoch
        }
    }
}

extension CellDirectoryPage.Successor: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var cell = ""
        var epoch = UInt64(0)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&cell)
            case 2: try fields.read(&epoch)
            default: break
            }
        }
        self.init(
            cell: try CellName(wire: cell, field: "cell"),
            epoch: try Epoch(wire: epoch, field: "directory.epoch"))
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, cell.wire)
        fields.put(2, epoch.wire)
    }
}

/// A keyed BLAKE2b hash of 16 bytes, as two big-endian halves.
public struct CellHash: Hashable, Sendable {
    public let high: UInt64
    public let low: UInt64

    public init(high: UInt64 = 0, low: UInt64 = 0) {
        self.high = high
        self.low = low
    }
}

extension CellHash: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var high = UInt64(0)
        var low = UInt64(0)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(fixed: &high)
            case 2: try fields.read(fixed: &low)
            default: break
            }
        }
        self.init(high: high, low: low)
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, fixed: high)
        fields.put(2, fixed: low)
    }
}

/// A change of a cell's directory.
public struct CellDirectoryChange: Hashable, Sendable {
    /// The hash of the user or the account.
    public let hash: CellHash
    /// Whether the cell no longer has that user or account.
    public let isRemoval: Bool

    public init(_ hash: CellHash, isRemoval: Bool = false) {
        self.hash = hash
        self.isRemoval = isRemoval
    }
}

extension CellDirectoryChange: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var hash: FieldReader?
        var removal = false
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&hash)
            case 2: try fields.read(&removal)
            default: break
            }
        }
        self.init(try CellHash(wire: hash.required("directory.hash")), isRemoval: removal)
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, hash)
        fields.put(2, isRemoval)
    }
}

/// The status of a cell, for operators.
public struct CellStatus: Hashable, Sendable {
    public let cell: CellName
    public let epoch: Epoch
    /// Accounts with users.
    public let accounts: UInt32
    public let users: UInt32
    /// The number of devices of all accounts.
    public let devices: UInt32
    /// The number of online devices of all accounts.
    public let online: UInt32
    /// At most 63.
    public let others: [CellStatus.OtherCell]
    /// Users and accounts that another cell has too; 0 unless lists were wrong.
    public let conflicts: UInt32

    public init(cell: CellName, epoch: Epoch, accounts: UInt32 = 0, users: UInt32 = 0, devices: UInt32 = 0, online: UInt32 = 0, others: [CellStatus.OtherCell] = [], conflicts: UInt32 = 0) {
        self.cell = cell
        self.epoch = epoch
        self.accounts = accounts
        self.users = users
        self.devices = devices
        self.online = online
        self.others = others
        self.conflicts = conflicts
    }
}

extension CellStatus: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var cell = ""
        var epoch = UInt64(0)
        var accounts = UInt32(0)
        var users = UInt32(0)
        var devices = UInt32(0)
        var online = UInt32(0)
        var others: [CellStatus.OtherCell] = []
        var conflicts = UInt32(0)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&cell)
            case 2: try fields.read(&epoch)
            case 3: try fields.read(&accounts)
            case 4: try fields.read(&users)
            case 5: try fields.read(&devices)
            case 6: try fields.read(&online)
            case 7: try fields.read(&others)
            case 8: try fields.read(&conflicts)
            default: break
            }
        }
        guard others.count <= Limits.cells else { throw .malformed("cell.others", "at most \(Limits.cells)") }
        self.init(
            cell: try CellName(wire: cell, field: "cell"),
            epoch: try Epoch(wire: epoch, field: "cell.epoch"),
            accounts: accounts,
            users: users,
            devices: devices,
            online: online,
            others: others,
            conflicts: conflicts)
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, cell.wire)
        fields.put(2, epoch.wire)
        fields.put(3, accounts)
        fields.put(4, users)
        fields.put(5, devices)
        fields.put(6, online)
        for value in others { fields.put(7, value) }
        fields.put(8, conflicts)
    }
}

extension CellStatus {
    /// What a cell knows of another one.
    public struct OtherCell: Hashable, Sendable {
        public let name: CellName
        /// Whether it has the other's whole directory.
        public let isKnown: Bool
        /// Whether both know the same cells.
        public let hasSameCells: Bool
        /// The time since the other's last page; absent without one.
        public let silent: Duration?

        public init(name: CellName, isKnown: Bool = false, hasSameCells: Bool = false, silent: Duration? = nil) {
            self.name = name
            self.isKnown = isKnown
            self.hasSameCells = hasSameCells
            self.silent = silent
        }
    }
}

extension CellStatus.OtherCell: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var name = ""
        var known = false
        var sameCells = false
        var silentMs: Int64?
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&name)
            case 2: try fields.read(&known)
            case 3: try fields.read(&sameCells)
            case 4: try fields.read(&silentMs)
            default: break
            }
        }
        self.init(
            name: try CellName(wire: name, field: "cell"),
            isKnown: known,
            hasSameCells: sameCells,
            silent: try silentMs.map { value throws(WireError) in try Duration(wire: value, field: "cell.silent_ms") })
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, name.wire)
        fields.put(2, isKnown)
        fields.put(3, hasSameCells)
        fields.put(4, optional: silent?.wholeMilliseconds)
    }
}

/// The fields of `AccountQuery`.
enum AccountQueryFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> AccountID? {
        var after = ""
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&after)
            default: break
            }
        }
        return try after.isEmpty ? nil : AccountID(wire: after, field: "after")
    }

    static func write(
        _ after: AccountID?, into fields: inout FieldWriter
    ) {
        if let value = after { fields.put(1, value.wire) }
    }
}

/// A part of a cell's list of accounts.
public struct AccountPage: Hashable, Sendable {
    /// At most 500, in alphabetical order.
    public let accounts: [AccountRow]
    public let isLast: Bool

    public init(accounts: [AccountRow] = [], isLast: Bool = false) {
        self.accounts = accounts
        self.isLast = isLast
    }
}

extension AccountPage: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var accounts: [AccountRow] = []
        var last = false
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&accounts)
            case 2: try fields.read(&last)
            default: break
            }
        }
        guard accounts.count <= Limits.accountPage else { throw .malformed("accounts", "at most \(Limits.accountPage)") }
        self.init(accounts: accounts, isLast: last)
    }

    func write(to fields: inout FieldWriter) {
        for value in accounts { fields.put(1, value) }
        fields.put(2, isLast)
    }
}

/// An account of a cell, for operators.
public struct AccountRow: Hashable, Sendable {
    public let account: AccountID
    public let users: UInt32
    public let devices: UInt32
    public let online: UInt32

    public init(account: AccountID, users: UInt32 = 0, devices: UInt32 = 0, online: UInt32 = 0) {
        self.account = account
        self.users = users
        self.devices = devices
        self.online = online
    }
}

extension AccountRow: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var account = ""
        var users = UInt32(0)
        var devices = UInt32(0)
        var online = UInt32(0)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&account)
            case 2: try fields.read(&users)
            case 3: try fields.read(&devices)
            case 4: try fields.read(&online)
            default: break
            }
        }
        self.init(
            account: try AccountID(wire: account, field: "account"),
            users: users,
            devices: devices,
            online: online)
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, account.wire)
        fields.put(2, users)
        fields.put(3, devices)
        fields.put(4, online)
    }
}

/// Creates an account with its first user, an owner.
public struct AccountCreation: Hashable, Sendable {
    public let account: AccountID
    public let email: Email
    /// At least 8 bytes.
    public let password: Password
    /// Whether the owner may inject faults, scale, and manage users.
    public let isOperator: Bool

    public init(account: AccountID, email: Email, password: Password, isOperator: Bool = false) {
        self.account = account
        self.email = email
        self.password = password
        self.isOperator = isOperator
    }
}

extension AccountCreation: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var account = ""
        var email = ""
        var password = ""
        var isOperator = false
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&account)
            case 2: try fields.read(&email)
            case 3: try fields.read(&password)
            case 4: try fields.read(&isOperator)
            default: break
            }
        }
        self.init(
            account: try AccountID(wire: account, field: "account.account"),
            email: try Email(wire: email, field: "account.email"),
            password: try Password(wire: password, field: "account.password"),
            isOperator: isOperator)
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, account.wire)
        fields.put(2, email.wire)
        fields.put(3, password.wire)
        fields.put(4, isOperator)
    }
}

/// The fields of `AccountCreated`.
enum AccountCreatedFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> AccountID {
        var account = ""
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&account)
            default: break
            }
        }
        return try AccountID(wire: account, field: "account")
    }

    static func write(
        _ account: AccountID, into fields: inout FieldWriter
    ) {
        fields.put(1, account.wire)
    }
}

/// Moves an account to another cell: an operator asks the cell that has it. The same order may be repeated.
public struct AccountMoveOrder: Hashable, Sendable {
    public let account: AccountID
    /// The cell that gets it.
    public let target: CellName

    public init(account: AccountID, target: CellName) {
        self.account = account
        self.target = target
    }
}

extension AccountMoveOrder: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var account = ""
        var target = ""
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&account)
            case 2: try fields.read(&target)
            default: break
            }
        }
        self.init(
            account: try AccountID(wire: account, field: "move.account"),
            target: try CellName(wire: target, field: "target"))
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, account.wire)
        fields.put(2, target.wire)
    }
}

/// The fields of `AccountMoved`.
enum AccountMovedFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> (AccountID, CellName) {
        var account = ""
        var cell = ""
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&account)
            case 2: try fields.read(&cell)
            default: break
            }
        }
        return (try AccountID(wire: account, field: "move.account"), try CellName(wire: cell, field: "cell"))
    }

    static func write(
        _ account: AccountID, _ to: CellName, into fields: inout FieldWriter
    ) {
        fields.put(1, account.wire)
        fields.put(2, to.wire)
    }
}

/// One attempt to move an account. Source, epoch and number identify it.
public struct AccountMove: Hashable, Sendable {
    public let account: AccountID
    /// The cell that had the account.
    public let source: CellName
    public let target: CellName
    /// The epoch of the source, which the target's next epoch exceeds.
    public let epoch: Epoch
    /// Counts the moves of that epoch.
    public let number: UInt64

    public init(account: AccountID, source: CellName, target: CellName, epoch: Epoch, number: UInt64 = 0) {
        self.account = account
        self.source = source
        self.target = target
        self.epoch = epoch
        self.number = number
    }
}

extension AccountMove: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var account = ""
        var source = ""
        var target = ""
        var epoch = UInt64(0)
        var number = UInt64(0)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&account)
            case 2: try fields.read(&source)
            case 3: try fields.read(&target)
            case 4: try fields.read(&epoch)
            case 5: try fields.read(&number)
            default: break
            }
        }
        self.init(
            account: try AccountID(wire: account, field: "move.account"),
            source: try CellName(wire: source, field: "source"),
            target: try CellName(wire: target, field: "target"),
            epoch: try Epoch(wire: epoch, field: "move.epoch"),
            number: number)
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, account.wire)
        fields.put(2, source.wire)
        fields.put(3, target.wire)
        fields.put(4, epoch.wire)
        fields.put(5, number)
    }
}

/// The source asks the target to copy the account, and repeats this until the status has another phase than copying.
public struct AccountMoveOffer: Hashable, Sendable {
    public let move: AccountMove
    /// The number of the account's devices.
    public let devices: UInt32

    public init(move: AccountMove, devices: UInt32 = 0) {
        self.move = move
        self.devices = devices
    }
}

extension AccountMoveOffer: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var move: FieldReader?
        var devices = UInt32(0)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&move)
            case 2: try fields.read(&devices)
            default: break
            }
        }
        self.init(move: try AccountMove(wire: move.required("move.move")), devices: devices)
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, move)
        fields.put(2, devices)
    }
}

/// The target asks the source for a part of the account's content.
public struct MoveContentQuery: Hashable, Sendable {
    public let move: AccountMove
    public let part: MoveContent.Part
    /// Where the content begins: 0, or the position that the reply before named.
    public let position: UInt64

    public init(move: AccountMove, part: MoveContent.Part = .history, position: UInt64 = 0) {
        self.move = move
        self.part = part
        self.position = position
    }
}

extension MoveContentQuery: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var move: FieldReader?
        var part = UInt32(0)
        var position = UInt64(0)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&move)
            case 2: try fields.read(&part)
            case 3: try fields.read(&position)
            default: break
            }
        }
        self.init(
            move: try AccountMove(wire: move.required("move.move")),
            part: try MoveContent.Part(wire: part, field: "move.part"),
            position: position)
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, move)
        fields.put(2, part.wire)
        fields.put(3, position)
    }
}

/// Content of an account that is moved.
public struct MoveContent: Hashable, Sendable {
    public let move: AccountMove
    public let part: MoveContent.Part
    public let position: UInt64
    /// The position after this content; the same one if the source has it later.
    public let next: UInt64
    /// Whether the part ends here.
    public let isLast: Bool
    /// Records, as the journal has them; of the rest the rows of the store first.
    public let content: [UInt8]

    public init(move: AccountMove, part: MoveContent.Part = .history, position: UInt64 = 0, next: UInt64 = 0, isLast: Bool = false, content: [UInt8] = []) {
        self.move = move
        self.part = part
        self.position = position
        self.next = next
        self.isLast = isLast
        self.content = content
    }
}

extension MoveContent: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var move: FieldReader?
        var part = UInt32(0)
        var position = UInt64(0)
        var next = UInt64(0)
        var last = false
        var content: [UInt8] = []
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&move)
            case 2: try fields.read(&part)
            case 3: try fields.read(&position)
            case 4: try fields.read(&next)
            case 5: try fields.read(&last)
            case 6: try fields.read(&content)
            default: break
            }
        }
        guard content.count <= Limits.moveContentBytes else { throw .malformed("move.content", "at most \(Limits.moveContentBytes) bytes") }
        self.init(
            move: try AccountMove(wire: move.required("move.move")),
            part: try MoveContent.Part(wire: part, field: "move.part"),
            position: position,
            next: next,
            isLast: last,
            content: content)
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, move)
        fields.put(2, part.wire)
        fields.put(3, position)
        fields.put(4, next)
        fields.put(5, isLast)
        fields.put(6, content)
    }
}

/// The fields of `AccountMoveCommit`.
enum AccountMoveCommitFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> AccountMove {
        var move: FieldReader?
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&move)
            default: break
            }
        }
        return try AccountMove(wire: move.required("move.move"))
    }

    static func write(
        _ move: AccountMove, into fields: inout FieldWriter
    ) {
        fields.put(1, move)
    }
}

/// What the target has done.
public struct AccountMoveStatus: Hashable, Sendable {
    public let move: AccountMove
    public let phase: AccountMoveStatus.Phase
    /// Why it refuses; empty otherwise.
    public let reason: String
    /// The epoch of the target.
    public let epoch: Epoch

    public init(move: AccountMove, phase: AccountMoveStatus.Phase = .unknown, reason: String = "", epoch: Epoch) {
        self.move = move
        self.phase = phase
        self.reason = reason
        self.epoch = epoch
    }
}

extension AccountMoveStatus: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var move: FieldReader?
        var phase = UInt32(0)
        var reason = ""
        var epoch = UInt64(0)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&move)
            case 2: try fields.read(&phase)
            case 3: try fields.read(&reason)
            case 4: try fields.read(&epoch)
            default: break
            }
        }
        self.init(
            move: try AccountMove(wire: move.required("move.move")),
            phase: try AccountMoveStatus.Phase(wire: phase, field: "move.phase"),
            reason: try reason.checked(bytes: Limits.explanationBytes, field: "move.reason"),
            epoch: try Epoch(wire: epoch, field: "move.epoch"))
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, move)
        fields.put(2, phase.wire)
        fields.put(3, reason.cut(toBytes: Limits.explanationBytes))
        fields.put(4, epoch.wire)
    }
}

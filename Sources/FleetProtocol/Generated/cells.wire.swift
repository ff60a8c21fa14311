// Made by protoc-gen-fleetwire from sensibus/v1/cells.proto: `make proto` makes it again.
// swift-format-ignore-file

import FleetTime

extension CellRequest: WireMessage {
    public init(wireBytes bytes: [UInt8], in range: Range<Int>) throws(WireError) {
        var fields = try FieldReader(message: bytes, in: range)
        var body: Choice?
        while let field = try fields.next() {
            switch field {
            case 1...4: try fields.read(&body)
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
        default: self = .create(try AccountCreation(wire: choice.message))
        }
    }

    /// Writes the case's message.
    func write(to fields: inout FieldWriter) {
        switch self {
        case .pull(let value): fields.put(1, value)
        case .status: fields.put(2) { _ in }
        case .accounts(let after): fields.put(3) { AccountQueryFields.write(after, into: &$0) }
        case .create(let value): fields.put(4, value)
        }
    }
}

extension CellReply: WireMessage {
    public init(wireBytes bytes: [UInt8], in range: Range<Int>) throws(WireError) {
        var fields = try FieldReader(message: bytes, in: range, limit: Limits.chunkBytes)
        var body: Choice?
        while let field = try fields.next() {
            switch field {
            case 1...4: try fields.read(&body)
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
        default: self = .created(try AccountCreatedFields.read(choice.message))
        }
    }

    /// Writes the case's message.
    func write(to fields: inout FieldWriter) {
        switch self {
        case .page(let value): fields.put(1, value)
        case .status(let value): fields.put(2, value)
        case .accounts(let value): fields.put(3, value)
        case .created(let account): fields.put(4) { AccountCreatedFields.write(account, into: &$0) }
        }
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

extension CellDirectoryPage: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var cell = ""
        var cells: FieldReader?
        var generation = UInt64(0)
        var position = UInt64(0)
        var total = UInt64(0)
        var changes: [CellDirectoryChange] = []
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&cell)
            case 2: try fields.read(&cells)
            case 3: try fields.read(&generation)
            case 4: try fields.read(&position)
            case 5: try fields.read(&total)
            case 6: try fields.read(&changes)
            default: break
            }
        }
        guard changes.count <= Limits.directoryPage else { throw .malformed("directory.changes", "at most \(Limits.directoryPage)") }
        guard total >= position && total - position >= UInt64(changes.count) else {
            throw .malformed("position", "changes up to the total")
        }
        self.init(
            cell: try CellName(wire: cell, field: "cell"),
            cells: try CellHash(wire: cells.required("directory.cells")),
            generation: generation,
            position: position,
            total: total,
            changes: changes)
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, cell.wire)
        fields.put(2, cells)
        fields.put(3, generation)
        fields.put(4, position)
        fields.put(5, total)
        for value in changes { fields.put(6, value) }
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

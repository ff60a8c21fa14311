extension NodeMessage: WireMessage {
    public init(wireBytes bytes: [UInt8]) throws(WireError) {
        var fields = try FieldReader(message: bytes, limit: Limits.chunkBytes)
        var (version, bootID, last, body) = (UInt32(0), UInt64(0), UInt64(0), Choice?.none)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&version)
            case 2: try fields.read(fixed: &bootID)
            case 3: try fields.read(&last)
            case 10...14, 30...31: try fields.read(&body)
            default: break
            }
        }
        try WireError.check(version: version)
        guard let body else { throw .missing("body: a message of a kind that this version knows") }
        self.init(
            bootID: BootID(bits: bootID), lastNumber: try ChangeNumber(wire: last, field: "last_number"),
            body: try Body(wire: body))
    }

    public var wireBytes: [UInt8] {
        FieldWriter.message { fields in
            fields.put(2, fixed: bootID.bits)
            fields.put(3, lastNumber.value)
            body.write(to: &fields)
        }
    }
}

extension NodeMessage.Body {
    fileprivate init(wire body: Choice) throws(WireError) {
        switch body.number {
        case 10:
            let hello = try Hello(wire: body.message)
            self = .hello(
                hello.node, account: hello.account, devices: hello.devices, groups: hello.groups,
                grant: hello.grant)
        case 11: self = .ping(try body.message.firstMessage().map(NodeCounters.init(wire:)))
        case 12: self = .result(try CommandResult(wire: body.message))
        case 13: self = .rows(try RowChunk(wire: body.message))
        case 14: self = .leaving
        case 31:
            let faults = try NodeFaults(wire: body.message)
            self = .faults(faults.id, faults.list)
        default:
            let done = try OrderDone(wire: body.message)
            self = .done(done.id, devices: done.devices, done.remark)
        }
    }

    fileprivate func write(to fields: inout FieldWriter) {
        switch self {
        case .hello(let node, let account, let devices, let groups, let grant):
            fields.put(
                10, Hello(node: node, account: account, devices: devices, groups: groups, grant: grant))
        case .ping(let counters):
            fields.put(11) { if let counters { $0.put(1, counters) } }
        case .result(let result): fields.put(12, result)
        case .rows(let chunk): fields.put(13, chunk)
        case .leaving: fields.put(14) { _ in }
        case .done(let id, let devices, let remark):
            fields.put(30, OrderDone(id: id, devices: devices, remark: remark))
        case .faults(let id, let list): fields.put(31, NodeFaults(id: id, list: list))
        }
    }
}

/// Who a node is.
private struct Hello: WireFields {
    let node: NodeName
    let account: AccountID
    let devices: UInt32
    let groups: [DeviceGroup]
    let grant: NodeGrant?

    init(
        node: NodeName, account: AccountID, devices: UInt32, groups: [DeviceGroup], grant: NodeGrant?
    ) {
        self.node = node
        self.account = account
        self.devices = devices
        self.groups = groups
        self.grant = grant
    }

    init(wire fields: consuming FieldReader) throws(WireError) {
        var (node, account, devices) = ("", "", UInt32(0))
        var (groups, grant) = ([DeviceGroup](), FieldReader?.none)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&node)
            case 2: try fields.read(&account)
            case 3: try fields.read(&devices)
            case 30: try fields.read(&groups)
            case 31: try fields.read(&grant)
            default: break
            }
        }
        guard groups.count <= Limits.nodeGroups else {
            throw .malformed("hello.groups", "at most \(Limits.nodeGroups)")
        }
        guard devices <= Limits.nodeDevices else {
            throw .malformed("hello.devices", "at most \(Limits.nodeDevices)")
        }
        self.init(
            node: try NodeName(wire: node), account: try AccountID(wire: account), devices: devices,
            groups: groups, grant: try grant.map(NodeGrant.init(wire:)))
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, node.text)
        fields.put(2, account.name)
        fields.put(3, devices)
        for group in groups { fields.put(30, group) }
        if let grant { fields.put(31, grant) }
    }
}

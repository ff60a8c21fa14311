extension ProductModel {
    init(wire number: UInt32) throws(WireError) {
        switch number {
        case 1: self = .sky
        case 2: self = .airPro
        case 3: self = .pure
        case 4: self = .elements
        default: throw .malformed("model", "a model")
        }
    }

    var wire: UInt32 {
        switch self {
        case .sky: 1
        case .airPro: 2
        case .pure: 3
        case .elements: 4
        }
    }
}

extension RemoteKind {
    init(wire number: UInt32) throws(WireError) {
        switch number {
        case 0: self = .discrete
        case 1: self = .toggle
        default: throw .malformed("remote", "a kind of remote")
        }
    }

    var wire: UInt32 {
        switch self {
        case .discrete: 0
        case .toggle: 1
        }
    }
}

extension AirConditionerKind {
    init(wire number: UInt32) throws(WireError) {
        switch number {
        case 0: self = .split
        case 1: self = .basic
        case 2: self = .window
        case 3: self = .fahrenheit
        default: throw .malformed("air_conditioner", "a kind of air conditioner")
        }
    }

    var wire: UInt32 {
        switch self {
        case .split: 0
        case .basic: 1
        case .window: 2
        case .fahrenheit: 3
        }
    }
}

extension DeviceGroup: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var (model, site, firmware, remote) = (UInt32(0), "", "", UInt32(0))
        var (airConditioner, climateReact) = (UInt32(0), FieldReader?.none)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&model)
            case 2: try fields.read(&site)
            case 3: try fields.read(&firmware)
            case 4: try fields.read(&remote)
            case 8: try fields.read(&climateReact)
            case 9: try fields.read(&airConditioner)
            default: break
            }
        }
        self.init(
            model: try ProductModel(wire: model),
            site: try site.checked(bytes: Limits.nameBytes, field: "site"),
            firmware: try firmware.checked(bytes: Limits.nameBytes, field: "firmware"),
            remote: try RemoteKind(wire: remote),
            airConditioner: try AirConditionerKind(wire: airConditioner),
            climateReact: try climateReact.map(ClimateReact.init(wire:)))
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, model.wire)
        fields.put(2, site)
        fields.put(3, firmware)
        fields.put(4, remote.wire)
        if let climateReact { fields.put(8, climateReact) }
        fields.put(9, airConditioner.wire)
    }
}

extension GroupNumber {
    init(wire number: UInt32) throws(WireError) {
        guard number <= Limits.accountGroups else {
            throw .malformed("group", "at most \(Limits.accountGroups)")
        }
        self.init(UInt16(number))
    }

    var wire: UInt32 { UInt32(value) }
}

extension SnapshotChunk.Group: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var (number, group) = (UInt32(0), FieldReader?.none)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&number)
            case 2: try fields.read(&group)
            default: break
            }
        }
        guard let group else { throw .missing("group.group") }
        guard number > 0 else { throw .malformed("group.number", "from 1") }
        self.init(number: try GroupNumber(wire: number), group: try DeviceGroup(wire: group))
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, number.wire)
        fields.put(2, group)
    }
}

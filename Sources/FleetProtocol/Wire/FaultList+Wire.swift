import Stepping

extension ActiveFault: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var (device, fault, remaining, delay) = (DeviceID?.none, UInt32(0), UInt32(0), UInt32(0))
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&device)
            case 2: try fields.read(&fault)
            case 3: try fields.read(&remaining)
            case 4: try fields.read(&delay)
            default: break
            }
        }
        guard let device else { throw .malformedDevice() }
        self.init(
            device: device, fault: try Fault(wire: fault),
            remaining: try Fault.duration(wireMilliseconds: remaining),
            delay: try Fault.delay(wireMilliseconds: delay))
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, device)
        fields.put(2, fault.wire)
        fields.put(3, UInt32(clamping: remaining.wholeMilliseconds))
        fields.put(4, UInt32(clamping: delay.wholeMilliseconds))
    }
}

extension FaultList: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        self.init()
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&faults)
            case 2: try fields.read(&total)
            case 3: try fields.read(&silentNodes)
            default: break
            }
        }
        guard faults.count <= Limits.listedFaults else {
            throw .malformed("faults", "at most \(Limits.listedFaults)")
        }
        guard total >= UInt32(faults.count) else {
            throw .malformed("total", "at least the number of listed faults")
        }
    }

    func write(to fields: inout FieldWriter) {
        for fault in faults { fields.put(1, fault) }
        fields.put(2, total)
        fields.put(3, silentNodes)
    }
}

/// A node's answer to the order to list its active faults.
struct NodeFaults: WireFields {
    let id: OrderID
    let list: FaultList

    init(id: OrderID, list: FaultList) {
        self.id = id
        self.list = list
    }

    init(wire fields: consuming FieldReader) throws(WireError) {
        var (bits, list) = (UInt64(0), FieldReader?.none)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(fixed: &bits)
            case 2: try fields.read(&list)
            default: break
            }
        }
        self.init(id: OrderID(bits: bits), list: try FaultList(wire: list ?? FieldReader([])))
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, fixed: id.bits)
        fields.put(2, list)
    }
}

extension CounterReport: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var (controller, nodes) = (FieldReader?.none, [Node]())
        var (nextCursor, isLast) = (UInt32(0), false)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&nextCursor)
            case 2: try fields.read(&isLast)
            case 3: try fields.read(&controller)
            case 4: try fields.read(&nodes)
            default: break
            }
        }
        guard nodes.count <= Limits.counterNodes else {
            throw .malformed("counters.nodes", "at most \(Limits.counterNodes)")
        }
        self.init(
            controller: try controller.map(Controller.init(wire:)) ?? Controller(), nodes: nodes,
            nextCursor: nextCursor, isLast: isLast)
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, nextCursor)
        fields.put(2, isLast)
        fields.put(3, controller)
        for node in nodes { fields.put(4, node) }
    }
}

extension CounterReport.Controller: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        self.init()
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&requests)
            case 2: try fields.read(&ended)
            case 3: try fields.read(&commands)
            case 4: try fields.read(&nodeMessages)
            case 5: try fields.read(&telemetryMessages)
            case 6: try fields.read(&nodeRefusals)
            default: break
            }
        }
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, requests)
        fields.put(2, ended)
        fields.put(3, commands)
        fields.put(4, nodeMessages)
        fields.put(5, telemetryMessages)
        fields.put(6, nodeRefusals)
    }
}

extension CounterReport.Node: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var (name, counters) = ("", FieldReader?.none)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&name)
            case 2: try fields.read(&counters)
            default: break
            }
        }
        guard let counters else { throw .missing("counters.nodes.counters") }
        self.init(name: try NodeName(wire: name), counters: try NodeCounters(wire: counters))
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, name.text)
        fields.put(2, counters)
    }
}

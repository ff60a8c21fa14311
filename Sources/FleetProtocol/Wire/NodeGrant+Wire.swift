extension NodeGrant: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var (seed, firstIndex, count, token) = (UInt64(0), UInt64(0), UInt32(0), [UInt8]())
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(fixed: &seed)
            case 2: try fields.read(&firstIndex)
            case 3: try fields.read(&count)
            case 4: try fields.read(&token)
            default: break
            }
        }
        guard firstIndex <= Limits.largestOrdinal else {
            throw .malformed("grant.first_index", "at most \(Limits.largestOrdinal)")
        }
        guard count <= Limits.nodeDevices else {
            throw .malformed("grant.devices", "at most \(Limits.nodeDevices)")
        }
        guard let token = Token(token) else { throw .malformed("grant.token", "\(Token.length) bytes") }
        self.init(range: DeviceRange(seed: seed, firstIndex: firstIndex, count: count), token: token)
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, fixed: range.seed)
        fields.put(2, range.firstIndex)
        fields.put(3, range.count)
        fields.put(4, token.bytes)
    }
}

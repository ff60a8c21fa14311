extension Dissection {
    /// Two parts that together are the message, whose fields alternate between them.
    ///
    /// Both parts have each inner message, with half of its fields; the second part has the repeated fields.
    var halves: (first: [UInt8], second: [UInt8]) { Self.halves(of: fields[...]) }

    private static func halves(of fields: ArraySlice<Field>) -> (first: [UInt8], second: [UInt8]) {
        var (first, second): ([UInt8], [UInt8]) = ([], [])
        var (rest, isFirst) = (fields, true)
        while let field = rest.popFirst() {
            let inside = rest.prefix { $0.depth > field.depth }
            rest = rest.dropFirst(inside.count)
            if field.isMessage, !field.isRepeated {
                let parts = halves(of: inside)
                first += field.key + varint(parts.first.count) + parts.first
                second += field.key + varint(parts.second.count) + parts.second
            } else if isFirst, !field.isRepeated {
                first += field.bytes
                isFirst = false
            } else {
                second += field.bytes + inside.flatMap(\.bytes)
                isFirst = true
            }
        }
        return (first, second)
    }

    private static func varint(_ number: Int) -> [UInt8] {
        number < 0x80 ? [UInt8(number)] : [UInt8(number & 0x7f) | 0x80] + varint(number >> 7)
    }
}

extension Dissection.Field {
    /// The number and the wire type, as they are encoded.
    fileprivate var key: [UInt8] {
        let end = bytes.firstIndex { $0 < 0x80 } ?? 0
        return Array(bytes[...end])
    }
}

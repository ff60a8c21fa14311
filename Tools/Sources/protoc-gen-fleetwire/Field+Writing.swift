/// The Swift code that writes a field.
extension Field {
    /// The statement that writes the value which an expression stands for.
    func writing(_ value: String) -> String {
        switch presence {
        case .single: writingSingle(value)
        case .optional where type == "DeviceID": "if let value = \(value) { fields.put(\(number), value) }"
        case .optional: "fields.put(\(number), optional: \(value)\(suffix(optional: true)))"
        case .repeated: writingRepeated(value)
        }
    }

    private func writingSingle(_ value: String) -> String {
        let isDevice = type == "DeviceID"
        let isAsIs = wire == .message || isDevice
        let label = wire == .fixed ? "fixed: " : ""
        let put = { (value: String) in "fields.put(\(number), \(label)\(isAsIs ? value : written(value)))" }
        return mapping.isOptional ? "if let value = \(value) { \(put("value")) }" : put(value)
    }

    private func written(_ value: String) -> String {
        if type == "Duration" {
            let whole = "\(value).wholeMilliseconds"
            return wireType == "Int64" ? whole : "\(wireType)(clamping: \(whole))"
        }
        if let cut = mapping.cut { return "\(value).cut(toBytes: \(cut))" }
        return value + suffix(optional: false)
    }

    private func writingRepeated(_ value: String) -> String {
        if type == "DeviceID" { return "fields.put(\(number), devices: \(value).count) { \(value)[$0] }" }
        switch wire {
        case .message: return "for value in \(value) { fields.put(\(number), value) }"
        case .text, .bytes:
            return "for value in \(value) { fields.put(\(number), element: value\(suffix(optional: false))) }"
        case .fixed: return "fields.put(\(number), fixedColumn: \(value).count) { \(value)[$0] }"
        case .number, .truth, .double: return "fields.put(\(number), column: \(value).count) { \(value)[$0] }"
        }
    }

    /// The statement that writes the column of the rows; `path` names the value of one row.
    func writingColumn(_ rows: String, _ path: (_ place: String) -> String) -> String {
        let put: String
        switch wire {
        case .message:
            return """
                for place in \(rows).indices {
                    guard let value = \(path("place")) else { continue }
                    fields.put(\(number), \(type)(UInt32(place), value))
                }
                """
        case .text where isDevice: put = "fields.put(\(number), devices: \(rows).count) { \(path("$0")) }"
        case .text, .bytes:
            let value = path("place") + suffix(optional: false)
            put = "for place in \(rows).indices { fields.put(\(number), element: \(value)) }"
        case .number, .truth, .fixed, .double:
            let label = wire == .fixed ? "fixedColumn" : "column"
            let value = isNarrow ? "\(wireType)(\(path("$0")))" : path("$0") + suffix(optional: false)
            put = "fields.put(\(number), \(label): \(rows).count) { \(value) }"
        }
        guard let fallback = mapping.fallback else { return put }
        return """
            if \(rows).indices.contains(where: { \(path("$0")) != \(fallback) }) {
                \(put)
            }
            """
    }

    private func suffix(optional isOptional: Bool) -> String {
        guard !isWrittenAsIs else { return "" }
        let member = type == "Duration" ? "wholeMilliseconds" : "wire"
        return isOptional ? "?.\(member)" : ".\(member)"
    }
}

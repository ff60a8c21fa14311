/// The Swift code that reads a field.
extension Field {
    /// The variable that the field is read into.
    var declaration: String {
        switch (presence, wire) {
        case (.repeated, .message): "var \(variable): [\(type)] = []"
        case (.repeated, _) where isDevice: "var \(variable): [DeviceID] = []"
        case (.repeated, _): "var \(variable): [\(wireType)] = []"
        case (.single, .message): "var \(variable): FieldReader?"
        case (.single, _) where isDevice: "var \(variable): DeviceID?"
        case (.optional, _): "var \(variable): \(wireType)?"
        case (.single, .truth): "var \(variable) = false"
        case (.single, .double): "var \(variable) = 0.0"
        case (.single, .text): "var \(variable) = \"\""
        case (.single, .bytes): "var \(variable): [UInt8] = []"
        case (.single, .number), (.single, .fixed): "var \(variable) = \(wireType)(0)"
        }
    }

    /// The statement that reads it.
    var reading: String {
        switch wire {
        case .fixed: "try fields.read(fixed: &\(variable))"
        case .text where isDevice && presence == .repeated:
            "try fields.read(&\(variable), field: \"\(errorName)\")"
        case .number, .truth, .double, .text, .bytes, .message: "try fields.read(&\(variable))"
        }
    }

    /// The value of what was read, as an expression.
    var value: String {
        switch presence {
        case .single: wire == .message ? message : single
        case .optional: isConverted ? mapped : variable
        case .repeated: isConverted && !isDevice && wire != .message ? mapped : variable
        }
    }

    /// The value of one row of a column.
    var element: String {
        let raw = "\(variable)[index]"
        if mapping.isSparse { return "\(variable)ByRow[index]" }
        if isDevice { return raw }
        if let limit = mapping.limit, wire == .text {
            return "try \(raw).checked(bytes: \(limit), field: \"\(errorName)\")"
        }
        let value = isConverted ? "try \(type)(wire: \(raw)\(context))" : raw
        return mapping.fallback.map { "\(variable).isEmpty ? \($0) : \(value)" } ?? value
    }

    /// The check of the rule that the mapping has for the value; nil without a rule.
    func guardStatement(_ value: String) -> String? {
        if let limit = mapping.limit, wire != .text || presence == .repeated {
            let count = presence == .repeated ? "\(variable).count" : variable
            return refusing(unless: "\(count) <= \(limit)", expected: "at most \\(\(limit))")
        }
        guard let condition = mapping.condition else { return nil }
        return refusing(
            unless: condition.replacing("$", with: value), expected: mapping.expected ?? "another value")
    }

    private func refusing(unless condition: String, expected: String) -> String {
        "guard \(condition) else { throw .malformed(\"\(errorName)\", \"\(expected)\") }"
    }

    private var message: String {
        if mapping.isOptional { return mapped(with: "") }
        if mapping.isEmptyByDefault { return "try \(type)(wire: \(variable) ?? FieldReader([]))" }
        if let fallback = mapping.fallback { return "\(mapped(with: "")) ?? \(fallback)" }
        return "try \(type)(wire: \(variable).required(\"\(errorName)\"))"
    }

    private var single: String {
        if isDevice { return "try \(variable).required(\"\(errorName)\")" }
        if let limit = mapping.cut ?? mapping.limit, wire == .text {
            return "try \(variable).checked(bytes: \(limit), field: \"\(errorName)\")"
        }
        let converted = isConverted ? "\(type)(wire: \(variable)\(context))" : variable
        let isNothing = wire == .text || wire == .bytes ? "\(variable).isEmpty" : "\(variable) == 0"
        let value = mapping.isOptional ? "\(isNothing) ? nil : \(converted)" : converted
        return isConverted ? "try \(value)" : value
    }

    private var mapped: String { mapped(with: context) }

    /// What an initializer needs to name the field in an error.
    private var context: String {
        let isChecked = mapping.condition != nil && !isNarrow
        let expected = isChecked ? nil : mapping.expected.map { ", expected: \"\($0)\"" }
        return ", field: \"\(errorName)\"\(expected ?? "")"
    }

    private func mapped(with arguments: String) -> String {
        "try \(variable).map { value throws(WireError) in try \(type)(wire: value\(arguments)) }"
    }
}

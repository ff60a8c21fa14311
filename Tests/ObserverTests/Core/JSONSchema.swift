import Foundation

/// As much of JSON Schema (draft 2020-12) as `docs/events.schema.json` uses.
struct JSONSchema {
    private typealias Members = [String: Any]

    private static let known: Set<String> = [
        "$schema", "$defs", "$ref", "title", "type", "required", "properties", "oneOf", "anyOf", "allOf",
        "enum",
        "const", "pattern", "minimum", "items",
    ]

    private let root: Members

    init(_ data: Data) throws {
        root = try JSONSerialization.jsonObject(with: data) as? Members ?? [:]
    }

    /// The faults of a value; empty if it is valid.
    func faults(of value: Any) throws -> [String] {
        try faults(of: value, in: root, at: "")
    }

    /// Every key of the schema's objects.
    func keys() -> Set<String> {
        var keys: Set<String> = []
        func collect(_ schema: Any) {
            guard let members = schema as? Members else { return }
            if let properties = members["properties"] as? Members {
                keys.formUnion(properties.keys)
            }
            for (_, value) in members {
                collect(value)
                for part in value as? [Any] ?? [] { collect(part) }
            }
        }
        collect(root)
        return keys
    }

    private func faults(of value: Any, in schema: Members, at path: String) throws -> [String] {
        var faults = Set(schema.keys).subtracting(Self.known).map { "\(path): the test does not know \($0)" }
        if let reference = schema["$ref"] as? String {
            let name = String(reference.split(separator: "/").last ?? "")
            let target = (root["$defs"] as? Members)?[name] as? Members
            faults +=
                try target.map { try self.faults(of: value, in: $0, at: path) } ?? [
                    "\(path): no \(reference)"
                ]
        }
        faults += ownFaults(of: value, in: schema, at: path)
        if let object = value as? Members {
            for key in schema["required"] as? [String] ?? [] where object[key] == nil {
                faults.append("\(path): \(key) is missing")
            }
            for (key, property) in schema["properties"] as? Members ?? [:] {
                guard let member = object[key], let property = property as? Members else { continue }
                faults += try self.faults(of: member, in: property, at: "\(path).\(key)")
            }
        }
        if let item = schema["items"] as? Members {
            for (place, element) in (value as? [Any] ?? []).enumerated() {
                faults += try self.faults(of: element, in: item, at: "\(path)[\(place)]")
            }
        }
        for part in schema["allOf"] as? [Members] ?? [] {
            faults += try self.faults(of: value, in: part, at: path)
        }
        if let parts = (schema["oneOf"] ?? schema["anyOf"]) as? [Members] {
            let matching = try parts.count { try self.faults(of: value, in: $0, at: path).isEmpty }
            if matching == 0 || schema["oneOf"] != nil && matching > 1 {
                faults.append("\(path): is \(matching) of the choices")
            }
        }
        return faults
    }

    private func ownFaults(of value: Any, in schema: Members, at path: String) -> [String] {
        var faults: [String] = []
        let types = schema["type"] as? [String] ?? (schema["type"] as? String).map { [$0] } ?? []
        if !types.isEmpty, !types.contains(where: { Self.type(of: value).contains($0) }) {
            faults.append("\(path): is \(Self.type(of: value)), not \(types)")
        }
        let allowed = schema["enum"] as? [Any] ?? schema["const"].map { [$0] }
        if let allowed, !allowed.contains(where: { ($0 as? NSObject) == (value as? NSObject) }) {
            faults.append("\(path): \(value) is not allowed")
        }
        if let pattern = schema["pattern"] as? String, let text = value as? String,
            text.range(of: pattern, options: .regularExpression) == nil
        {
            faults.append("\(path): \(text) does not match \(pattern)")
        }
        if let minimum = schema["minimum"] as? NSNumber, let number = value as? NSNumber,
            number.doubleValue < minimum.doubleValue
        {
            faults.append("\(path): \(number) is less than \(minimum)")
        }
        return faults
    }

    private static func type(of value: Any) -> Set<String> {
        switch value {
        case is NSNull: ["null"]
        case is String: ["string"]
        case is [Any]: ["array"]
        case is Members: ["object"]
        case let number as NSNumber:
            if CFBoolean.isBoolean(number) {
                ["boolean"]
            } else {
                number.doubleValue == number.doubleValue.rounded() ? ["integer", "number"] : ["number"]
            }
        default: []
        }
    }
}

/// Foundation represents a JSON boolean as a number.
private enum CFBoolean {
    static func isBoolean(_ number: NSNumber) -> Bool {
        number === NSNumber(value: true) || number === NSNumber(value: false)
            || String(cString: number.objCType) == "c"
    }
}

import ConformanceSupport
import Foundation

/// The contents of `proto/`: each message's fields by number, each enum's names.
struct ProtoSchema {
    struct Field {
        let name: String
        let type: String
        let isRepeated: Bool
    }

    private(set) var messages: [String: [Int: Field]] = [:]
    private(set) var enums: [String: [UInt64: String]] = [:]

    /// The schema of `proto/sensibus/v1`.
    static let shared = Result { try ProtoSchema() }

    /// Reads every file of `proto/sensibus/v1`, which have one field per line and no nested messages.
    private init() throws {
        let directory = VectorFile.repository.appending(path: "proto/sensibus/v1")
        let files = try FileManager.default.contentsOfDirectory(
            at: directory, includingPropertiesForKeys: nil)
        for file in files where file.pathExtension == "proto" {
            read(try String(contentsOf: file, encoding: .utf8))
        }
    }

    private mutating func read(_ text: String) {
        var (message, list) = ("", "")
        for line in text.split(separator: "\n") {
            if let match = line.firstMatch(of: /^message (\w+) \{/) {
                message = String(match.1)
                messages[message] = [:]
            } else if let match = line.firstMatch(of: /^enum (\w+) \{/) {
                list = String(match.1)
            } else if let match = line.firstMatch(of: /^ +(optional |repeated )?([\w.]+) (\w+) = (\d+);/),
                let number = Int(match.4)
            {
                messages[message]?[number] = Field(
                    name: String(match.3), type: String(match.2), isRepeated: match.1 == "repeated ")
            } else if let match = line.firstMatch(of: /^ +(\w+) = (\d+);/), let number = UInt64(match.2) {
                enums[list, default: [:]][number] = String(match.1)
            }
        }
    }
}

extension ProtoSchema {
    /// Each field and each value of an enum, except its first, that a message or one inside of it can have.
    ///
    /// Of the many keys of pods, vectors have one.
    func names(in message: String) -> Set<String> {
        var (names, waiting) = (Set<String>(), [message])
        while let message = waiting.popLast() {
            for field in messages[message, default: [:]].values
            where names.insert("\(message).\(field.name)").inserted {
                if messages[field.type] != nil { waiting.append(field.type) }
                let values = field.type == "PodKey" ? [:] : enums[field.type, default: [:]]
                names.formUnion(values.filter { $0.key > 0 }.values)
            }
        }
        return names
    }

    /// Each field and each value of an enum in a vector.
    func names(in entry: VectorFile.Entry, of message: String) -> Set<String> {
        var (names, around) = (Set<String>(), [message])
        for line in entry.lines {
            guard let match = line.firstMatch(of: /^ *(\w+)(?:: (.*)| \{)$/), let message = around.last else {
                around.removeLast()
                continue
            }
            names.insert("\(message).\(match.1)")
            let field = messages[message]?.values.first { $0.name == match.1 }
            if let value = match.2, enums[field?.type ?? ""] != nil {
                names.formUnion(value.matches(of: /\w+/).map { String($0.0) })
            } else if match.2 == nil {
                around.append(field?.type ?? "")
            }
        }
        return names
    }
}

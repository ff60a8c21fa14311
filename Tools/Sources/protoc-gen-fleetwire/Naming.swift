/// The conventions by which names of `proto/` become names of Swift.
enum Naming {
    /// `request_id` as `requestID`.
    static func camelCase(_ name: String) -> String {
        let words = name.lowercased().split(separator: "_")
        return words.enumerated().map { index, word in
            guard index > 0 else { return String(word) }
            return word == "id" ? "ID" : capitalized(word)
        }.joined()
    }

    /// The property that holds a value: `connected` as `isConnected`, and a time `since_ms` as `since`.
    static func property(_ name: String, of type: String) -> String {
        switch type {
        case "Bool" where !name.hasPrefix("is_"): "is" + capitalized(camelCase(name)[...])
        case "Duration", "WallTime": camelCase(name.hasSuffix("_ms") ? String(name.dropLast(3)) : name)
        default: camelCase(name)
        }
    }

    /// `FAULT_KIND_` of `FaultKind`, with which the names of its values begin.
    static func prefix(ofEnum name: String) -> String {
        var prefix = ""
        for letter in name {
            if letter.isUppercase, !prefix.isEmpty { prefix += "_" }
            prefix += letter.uppercased()
        }
        return prefix + "_"
    }

    /// `SnapshotChunk.Node` as `node`.
    static func variable(ofType type: String) -> String {
        let name = type.split(separator: ".").last ?? ""
        return name.prefix(1).lowercased() + name.dropFirst()
    }

    /// A local variable.
    static func variable(_ name: String) -> String { quoted(camelCase(name)) }

    /// A name in backticks where it is a word of the language.
    static func quoted(_ name: String) -> String {
        let keywords: Set = ["protocol", "in", "for", "case", "default", "self", "switch", "is", "as"]
        return keywords.contains(name) ? "`\(name)`" : name
    }

    /// Numbers as the patterns of a case: `10...12, 30`.
    static func patterns(_ numbers: [Int]) -> String {
        var ranges: [ClosedRange<Int>] = []
        for number in numbers.sorted() {
            if let last = ranges.last, last.upperBound + 1 == number {
                ranges[ranges.count - 1] = last.lowerBound...number
            } else {
                ranges.append(number...number)
            }
        }
        return ranges.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)...\($0.upperBound)" }
            .joined(separator: ", ")
    }

    private static func capitalized(_ word: Substring) -> String {
        word.prefix(1).uppercased() + word.dropFirst()
    }
}

import Testing

/// One term for each idea, as far as a program can check it.
@Suite("Words in names")
struct NameTests {
    /// Words that had several meanings, or for which the field has a term, each with that term.
    private static let terms = [
        "agenda": "event queue", "anew": "retry", "anybody": "user", "cable": "link", "customer": "client",
        "deed": "action", "deeds": "action", "desk": "account service", "ending": "outcome",
        "forget": "remove or expire", "happening": "event", "hear": "receive", "heard": "received",
        "keeper": "journal or store", "mirror": "replica", "mishap": "fault", "mistake": "error",
        "parcel": "packet", "patience": "timeout", "said": "sent", "shelf": "table", "somebody": "user",
        "story": "history", "tell": "send or report", "told": "sent or reported", "visitor": "caller",
        "watcher": "observer", "wish": "request", "wishes": "request",
    ]
    /// A column on disk, and a key of the previous version.
    private static let former: Set = ["heardIn", "patienceSeconds"]

    @Test(
        "identifiers have the terms of the field",
        arguments: [["Sources", "Tools/Sources"], ["Tests", "Tools/Tests"]])
    func identifiers(folders: [String]) throws {
        var findings: Set<String> = []
        var count = 0
        let files = try folders.flatMap { try Tree($0).files }
        for file in files where !file.isGenerated && !file.path.hasSuffix("NameTests.swift") {
            for (index, line) in file.lines.enumerated() {
                for name in Self.identifiers(in: line.utf8) where !Self.former.contains(name) {
                    count += 1
                    for word in Self.words(of: name) {
                        guard let term = Self.terms[word] else { continue }
                        findings.insert("\(file.path):\(index + 1): \(name): \(term)")
                    }
                }
            }
        }
        #expect(count > 100_000)
        #expect(findings.isEmpty)
    }

    /// The identifiers of a line, without those of its comment and of string literals.
    private static func identifiers(in line: String.UTF8View) -> [String] {
        var names: [String] = []
        var name: [UInt8] = []
        var (isLiteral, isEscaped, last) = (false, false, UInt8(ascii: " "))
        for byte in line {
            defer { last = byte }
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = isLiteral
            } else if byte == UInt8(ascii: "\"") {
                isLiteral.toggle()
            } else if !isLiteral, byte == UInt8(ascii: "/"), last == byte {
                break
            } else if !isLiteral, byte == UInt8(ascii: "_") || Character(Unicode.Scalar(byte)).isLetter {
                name.append(byte)
                continue
            }
            if !name.isEmpty { names.append(String(decoding: name, as: UTF8.self)) }
            name = []
        }
        return name.isEmpty ? names : names + [String(decoding: name, as: UTF8.self)]
    }

    /// The words of an identifier in camel case, in lower case.
    private static func words(of name: String) -> [String] {
        var words = [""]
        for character in name {
            if character.isUppercase || character == "_" { words.append("") }
            if character != "_" { words[words.count - 1] += character.lowercased() }
        }
        return words
    }
}

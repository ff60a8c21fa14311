/// Reads the files of a mapping: one declaration a line, and what is said of it indented beneath.
struct MappingParser {
    /// What the indented lines are about.
    private enum Subject {
        case none
        case message(String)
        case oneof(String)
    }

    private(set) var mapping = Mapping()
    private var subject = Subject.none
    /// The alternative whose cases the lines indented twice are.
    private var alternative: String?

    /// Reads one file.
    mutating func read(_ text: String, of file: String) throws(MappingError) {
        subject = .none
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let code = line.firstRange(of: "#").map { line[..<$0.lowerBound] } ?? line[...]
            guard code.contains(where: { $0 != " " }) else { continue }
            do throws(MappingError) {
                try read(String(code.reversed().drop { $0 == " " }.reversed()))
            } catch {
                throw MappingError("\(file):\(index + 1): \(error)")
            }
        }
    }

    private mutating func read(_ line: String) throws(MappingError) {
        let indentation = line.prefix { $0 == " " }.count
        var scanner = Scanner(line)
        switch (indentation, subject) {
        case (0, _): try declare(&scanner)
        case (4, .message(let name)):
            alternative = nil
            guard var message = mapping.messages[name] else { return }
            try readPart(of: &message, called: name, &scanner)
            mapping.messages[name] = message
        case (8, .message(let name)):
            guard let alternative else { throw MappingError("a case of no alternative") }
            let value = (value: try scanner.word(), name: try scanner.word())
            let arguments = scanner.isAtEnd ? [] : try scanner.arguments().arguments
            mapping.messages[name]?.alternatives[alternative]?.cases.append(
                (value.value, value.name, arguments))
        case (4, .oneof(let name)): try readMember(of: name, &scanner)
        default: throw MappingError("an indented line without a message or oneof above it")
        }
        guard scanner.isAtEnd else { throw MappingError("unexpected: \(scanner.rest)") }
    }

    private mutating func declare(_ scanner: inout Scanner) throws(MappingError) {
        let word = try scanner.word()
        switch word {
        case "written": mapping.written.formUnion(try scanner.words())
        case "mutable": mapping.mutable.formUnion(try scanner.words())
        case "value": mapping.values.append(try value(&scanner))
        case "enum":
            let name = try scanner.word()
            let type = scanner.rest.hasPrefix("\"") ? name : try scanner.word()
            mapping.enums[name] = EnumMapping(type: type, expected: try scanner.quoted())
        case "message": try declareMessage(&scanner)
        case "oneof": try declareOneof(&scanner)
        case "payload":
            while !scanner.isAtEnd {
                let (name, arguments) = (try scanner.word(), try scanner.arguments().arguments)
                try add(MessageMapping(form: .tuple(arguments), prefix: ""), name)
            }
        case "errors":
            let prefix = try scanner.quoted()
            for name in try scanner.words() { mapping.prefixes[name] = prefix }
        default: try declareFields(word, &scanner)
        }
    }

    /// Reads what fields have in common.
    private mutating func declareFields(_ word: String, _ scanner: inout Scanner) throws(MappingError) {
        switch word {
        case "type":
            let (wire, type) = (try scanner.word(), try scanner.type())
            let names = try each(&scanner) { $0.type = type }
            for name in names { mapping.types["\(wire) \(name)"] = type }
        case "property":
            let property = try scanner.word()
            for name in try each(&scanner, { $0.property = property }) { mapping.properties[name] = property }
        case "called":
            while !scanner.isAtEnd {
                let field = try scanner.word()
                mapping.fields[field, default: FieldMapping()].name = try scanner.quoted()
            }
        case "bare": try each(&scanner) { $0.isBare = true }
        case "optional": try each(&scanner) { $0.isOptional = true }
        case "empty": try each(&scanner) { $0.isEmptyByDefault = true }
        case "cut":
            try scanner.expect("to ")
            let limit = try scanner.word()
            try each(&scanner) { $0.cut = limit }
        case "at":
            try scanner.expect("most ")
            let limit = try scanner.word()
            try each(&scanner) { $0.limit = limit }
        case "1":
            try scanner.expect("to ")
            let limit = try scanner.word()
            try each(&scanner) { $0.range = limit }
        case "where", "expected": try rule(&scanner, isConditional: word == "where")
        default: throw MappingError("unexpected: \(word)")
        }
    }

    /// Changes the mapping of the fields that the rest of a line names, and returns the names of no message.
    @discardableResult
    private mutating func each(
        _ scanner: inout Scanner, _ change: (inout FieldMapping) -> Void
    ) throws(MappingError) -> [String] {
        let names = try scanner.words()
        for name in names where name.contains(".") { change(&mapping.fields[name, default: FieldMapping()]) }
        return names.filter { !$0.contains(".") }
    }

    /// Reads a rule: `where $ > 0 expected "1 or more" for Page.number`.
    private mutating func rule(_ scanner: inout Scanner, isConditional: Bool) throws(MappingError) {
        let condition = isConditional ? scanner.expression() : nil
        if isConditional { try scanner.expect("expected ") }
        let expected = try scanner.quoted()
        try scanner.expect("for ")
        try each(&scanner) { ($0.condition, $0.expected) = (condition, expected) }
    }

    private func value(_ scanner: inout Scanner) throws(MappingError) -> ValueMapping {
        let (type, wireType) = (try scanner.word(), try scanner.type())
        let label = scanner.accept("labelled ") ? try scanner.word() : nil
        let written = scanner.expression()
        guard scanner.accept("expected") else {
            return ValueMapping(
                type: type, wireType: wireType, label: label, written: written, expected: nil,
                isExpectedGiven: false)
        }
        let isGiven = scanner.accept("by fields")
        return ValueMapping(
            type: type, wireType: wireType, label: label, written: written,
            expected: isGiven ? "\\(expected())" : try scanner.quoted(), isExpectedGiven: isGiven)
    }

    private mutating func declareMessage(_ scanner: inout Scanner) throws(MappingError) {
        let name = try scanner.word()
        var message = MessageMapping(form: .manual([]), prefix: "")
        if scanner.accept("by hand") {
            if scanner.accept("as ") { message.type = try scanner.word() }
            if scanner.rest.hasPrefix("(") { message.form = .manual(try scanner.arguments().arguments) }
        } else if scanner.accept("by ") {
            message.form = .alternative(try scanner.word())
        } else if scanner.rest.hasPrefix("(") {
            message.form = .tuple(try scanner.arguments().arguments)
        } else {
            let type = scanner.rest.first?.isUppercase == true ? try scanner.word() : name
            let isFailable = scanner.accept("?")
            var arguments: [Argument] = []
            if scanner.rest.hasPrefix("(") { (arguments, message.assignsRest) = try scanner.arguments() }
            message.form = .value(type: type, arguments: arguments)
            if isFailable { message.expected = "" }
        }
        try readDetails(of: &message, &scanner)
        try add(message, name)
        subject = .message(name)
    }

    private mutating func add(_ message: MessageMapping, _ name: String) throws(MappingError) {
        guard mapping.messages[name] == nil else { throw MappingError("\(name) is mapped twice") }
        mapping.messages[name] = message
    }

    /// What follows the arguments of a message.
    private func readDetails(
        of message: inout MessageMapping, _ scanner: inout Scanner
    ) throws(MappingError) {
        while !scanner.isAtEnd {
            if scanner.accept("errors ") {
                message.prefix = try scanner.quoted()
            } else if scanner.accept("throws ") {
                message.thrownError = try scanner.word()
            } else if scanner.accept("expected ") {
                message.expected = try scanner.quoted()
            } else if scanner.accept("verified") {
                message.isVerified = true
            } else if scanner.accept("envelope") {
                message.envelope = message.envelope ?? MessageMapping.Envelope()
            } else if scanner.accept("limit ") {
                message.envelope?.limit = try scanner.word()
            } else if scanner.accept("answers ") {
                message.envelope?.correlation = try scanner.word()
            } else {
                throw MappingError("unexpected: \(scanner.rest)")
            }
        }
    }

    private mutating func declareOneof(_ scanner: inout Scanner) throws(MappingError) {
        let name = try scanner.word()
        var oneof = OneofMapping(type: try scanner.word(), name: try scanner.quoted())
        oneof.isShared = scanner.accept("shared")
        if scanner.accept("with ") {
            let label = try scanner.word()
            oneof.context = (label, try scanner.word(), try scanner.word())
        }
        mapping.oneofs[name] = oneof
        subject = .oneof(name)
    }

    private mutating func readMember(of oneof: String, _ scanner: inout Scanner) throws(MappingError) {
        let name = try scanner.word()
        if name == "group" {
            let numbers = try numbers(&scanner)
            let group = OneofMapping.Group(
                numbers: numbers, name: try scanner.word(), type: try scanner.word())
            mapping.oneofs[oneof]?.groups.append(group)
        } else if scanner.accept("by hand") {
            let needsContext = scanner.accept("with context")
            let cases = try scanner.words()
            mapping.oneofs[oneof]?.members[name] = .manual(cases: cases, needsContext: needsContext)
        } else {
            mapping.oneofs[oneof]?.members[name] = .named(try scanner.word())
        }
    }

    private func numbers(_ scanner: inout Scanner) throws(MappingError) -> ClosedRange<Int> {
        let low = Int(try scanner.word())
        try scanner.expect("to ")
        guard let low, let high = Int(try scanner.word()), low <= high else {
            throw MappingError("expected two numbers of fields")
        }
        return low...high
    }

    private mutating func readPart(
        of message: inout MessageMapping, called place: String, _ scanner: inout Scanner
    ) throws(MappingError) {
        let name = try scanner.word()
        if name == "check" {
            let field = try scanner.quoted()
            let condition = scanner.expression()
            try scanner.expect("expected ")
            message.checks.append(
                MessageMapping.Check(field: field, condition: condition, expected: try scanner.quoted()))
        } else if scanner.accept("columns ") {
            message.columns[name] = try columns(&scanner)
        } else if scanner.accept("block ") {
            let (isRequired, type) = (scanner.accept("required "), try scanner.word())
            message.blocks[name] = Block(type: type, fields: try scanner.words(), isRequired: isRequired)
        } else if scanner.accept("decides ") {
            message.alternatives[name] = Alternative(type: try scanner.word())
            alternative = name
        } else {
            try readDetail(of: "\(place).\(name)", &scanner)
        }
    }

    private func columns(_ scanner: inout Scanner) throws(MappingError) -> Columns {
        let (type, arguments) = (try scanner.word(), try scanner.arguments().arguments)
        let reserved = scanner.accept("reserving ") ? try scanner.word() : nil
        let name = try scanner.quoted()
        let limit = scanner.accept("at most ") ? try scanner.word() : nil
        let lengthName = scanner.rest.hasPrefix("\"") ? try scanner.quoted() : name
        try scanner.expect("expected ")
        return Columns(
            type: type, arguments: arguments, name: name, limit: limit, lengthName: lengthName,
            expected: try scanner.quoted(), reserved: reserved)
    }

    /// The default of a field, or its form.
    private mutating func readDetail(of field: String, _ scanner: inout Scanner) throws(MappingError) {
        if scanner.accept("sparse") {
            mapping.fields[field, default: FieldMapping()].isSparse = true
        } else {
            try scanner.expect("or ")
            mapping.fields[field, default: FieldMapping()].fallback = scanner.expression()
        }
    }
}

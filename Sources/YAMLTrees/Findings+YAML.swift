import CommandQueueFiles
import Yams

extension Findings {
    /// Adds the problem of an error of the YAML parser.
    mutating func add(_ error: any Error, in text: String) {
        let yaml = "valid YAML, indented by spaces, not by tabs"
        switch error as? YamlError {
        case .scanner(let context, let problem, let mark, _), .parser(let context, let problem, let mark, _),
            .composer(let context, let problem, let mark, _):
            let about = context.map { "\($0.text), " } ?? ""
            add(
                Place(line: mark.line, column: mark.column, path: ""),
                found: "invalid YAML (\(about)\(problem))", allowed: yaml)
        case .duplicatedKeysInMapping(let duplicates, let context):
            let names = duplicates.map(Entry.repeated).joined(separator: ", ")
            add(
                Place(line: context.mark.line, column: context.mark.column, path: ""),
                found: "the key \(names) more than once", allowed: "each key once")
        case .reader(let problem, let offset, _, _):
            let before = text.prefix(offset ?? 0)
            add(
                Place(line: 1 + before.count(where: \.isNewline), column: nil, path: ""),
                found: "invalid characters (\(problem))", allowed: "printable characters of UTF-8")
        case .no, .memory, .writer, .emitter, .representer, .dataCouldNotBeDecoded, nil:
            add(.file, found: "a text that the parser cannot read (\(error))", allowed: yaml)
        }
    }
}

extension Findings {
    /// Adds the problem of a text that is not YAML.
    mutating func add(_ error: SyntaxError) {
        let place = Place(line: error.line, column: error.column, path: "")
        guard !error.isForbiddenCharacter else {
            add(
                place, found: "invalid characters (\(error.problem))",
                allowed: "printable characters of UTF-8")
            return
        }
        let about = error.context.map { "\($0), " } ?? ""
        add(
            place, found: "invalid YAML (\(about)\(error.problem))",
            allowed: "valid YAML, indented by spaces, not by tabs")
    }
}

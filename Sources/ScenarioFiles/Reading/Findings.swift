/// What is wrong in a file, as far as it has been read.
struct Findings {
    private var problems: [ScenarioProblem] = []

    var isEmpty: Bool { problems.isEmpty }

    /// Notes a wrong place.
    mutating func add(_ place: Place, found: String, allowed: String) {
        problems.append(
            ScenarioProblem(
                line: place.line, column: place.column, path: place.path, found: found, allowed: allowed))
    }

    /// The error of all that was noted.
    ///
    /// - Precondition: Something was.
    func error(in file: String) -> ScenarioFileError {
        precondition(!problems.isEmpty, "nothing is wrong in \(file)")
        let sorted = problems.enumerated().sorted {
            ($0.element.line ?? 0, $0.element.column ?? 0, $0.offset)
                < ($1.element.line ?? 0, $1.element.column ?? 0, $1.offset)
        }
        return ScenarioFileError(
            file: file, problems: sorted.prefix(ScenarioLimits.problems).map(\.element),
            untold: max(0, problems.count - ScenarioLimits.problems))
    }
}

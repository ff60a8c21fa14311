import Wording

/// A scenario file that cannot be used, with all that is wrong in it.
public struct ScenarioFileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file, as it was named.
    public let file: String
    /// What is wrong, in the order of the lines: at least one place, at most ``ScenarioLimits/problems``.
    public let problems: [ScenarioProblem]
    /// How many more places are wrong.
    public let untold: Int

    /// A line for each place: `office.yaml:12:9: people.hand-remotes-per-hour: found …; allowed: …`; of
    /// several, how many there are on a line before.
    public var description: String {
        let name = SafeText.of(file)
        let lines = problems.map { problem in
            problem.line == nil ? "\(name): \(problem)" : "\(name):\(problem)"
        }
        guard lines.count > 1 else { return lines[0] }
        let told = untold > 0 ? ", the first \(lines.count) of them" : ""
        return (["\(lines.count + untold) places are wrong\(told):"] + lines).joined(separator: "\n")
    }
}

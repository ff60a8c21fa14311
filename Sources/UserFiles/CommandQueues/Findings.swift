import UserText

package struct Findings {
    private var problems: [FileProblem] = []

    package init() {}

    package var isEmpty: Bool { problems.isEmpty }

    package mutating func add(_ place: Place, found: String, allowed: String) {
        problems.append(
            FileProblem(
                line: place.line, column: place.column, path: place.path, found: found, allowed: allowed))
    }

    /// Adds the reason why the file cannot be read, such as `no such file`, and what to name instead.
    package mutating func add(unreadable reason: String, advice: String) {
        problems.append(
            FileProblem(
                line: nil, column: nil, path: "", found: reason, allowed: advice, isUnreadable: true))
    }

    /// Returns the error with all problems, of which there is one at least, in order of their lines.
    package func error(in file: String) -> InvalidFile {
        precondition(!problems.isEmpty, "no problem was found in \(file)")
        let sorted = problems.enumerated().sorted {
            ($0.element.line ?? 0, $0.element.column ?? 0, $0.offset)
                < ($1.element.line ?? 0, $1.element.column ?? 0, $1.offset)
        }
        return InvalidFile(
            file: file, problems: sorted.prefix(FileLimits.problems).map(\.element),
            omitted: max(0, problems.count - FileLimits.problems))
    }
}

package enum NearestWord {
    /// Returns the first word with the smallest edit distance to another; nil if none is near. A word is near
    /// if the distance is at most a third of the misspelled word's length, or 1 for a short word.
    package static func to(_ word: String, among words: [String]) -> String? {
        // Longer words match no key; the comparison costs the product of both lengths.
        guard word.utf8.count <= 64 else { return nil }
        let nearest = words.map { (word: $0, distance: distance(word, $0)) }.min { $0.distance < $1.distance }
        guard let nearest, nearest.distance * 3 <= max(word.utf8.count, 3) else { return nil }
        return nearest.word
    }

    /// Returns the question for a misspelled word, to be added to a message; empty if no word is near.
    static func hint(for word: String, among words: [String]) -> String {
        to(word, among: words).map { "; did you mean \($0)?" } ?? ""
    }

    /// Returns the number of insertions, deletions and replacements between two words (Levenshtein distance).
    private static func distance(_ first: String, _ second: String) -> Int {
        let second = Array(second.utf8)
        var row = Array(0...second.count)
        for (index, letter) in first.utf8.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for place in second.indices {
                let changed = diagonal + (letter == second[place] ? 0 : 1)
                diagonal = row[place + 1]
                row[place + 1] = min(changed, diagonal + 1, row[place] + 1)
            }
        }
        return row[second.count]
    }
}

/// A problem at a place of a scenario file.
public struct FileProblem: Hashable, Sendable, CustomStringConvertible {
    /// The line, from 1; nil for a problem of the whole file.
    public let line: Int?
    /// The character in the line, from 1.
    let column: Int?
    /// The path of keys, such as `people.hand-remotes-per-hour[0].rate`; empty for the whole file.
    public let path: String
    /// The value that was found, or the reason why the file cannot be read.
    public let found: String
    /// The values that are allowed, or what to name in place of the file.
    public let allowed: String
    var isUnreadable = false

    /// The place and the problem, without the file's name.
    public var description: String {
        if isUnreadable { return "\(found); \(allowed)" }
        let place = [line, column].compactMap { $0.map { "\($0):" } }.joined()
        let key = path.isEmpty ? "" : "\(path): "
        return "\(place)\(place.isEmpty ? "" : " ")\(key)found \(found); allowed: \(allowed)"
    }
}

/// A file that cannot be used, with all its problems.
public struct InvalidFile: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file, under the name that was given.
    public let file: String
    /// The problems, in order of their lines: at least one, at most ``ScenarioLimits/problems``.
    public let problems: [FileProblem]
    public let omitted: Int

    /// A line for each problem: `office.yaml:12:9: people.hand-remotes-per-hour: found …; allowed: …`;
    /// several follow a line with their number.
    public var description: String {
        let name = SafeText.of(file)
        let lines = problems.map { problem in
            problem.line == nil ? "\(name): \(problem)" : "\(name):\(problem)"
        }
        guard lines.count > 1 else { return lines[0] }
        let shown = omitted > 0 ? ", first \(lines.count) shown" : ""
        return (["\(lines.count + omitted) problems\(shown):"] + lines).joined(separator: "\n")
    }
}

public enum FileLimits {
    public static let bytes = 64 * 1_024
    /// The problems listed for one file; further problems are only counted.
    public static let problems = 20
    /// The depth of nested lists and mappings; the format itself needs five.
    static let depth = 8
}

/// The display format of numbers in messages about files.
enum NumberText {
    /// Returns a number with thousands separators and the fewest decimals that are exact: `3,600`, `0.05`.
    static func of(_ number: Double) -> String {
        guard number == number.rounded(), abs(number) < 1e15 else { return "\(number)" }
        return FigureText.count(Int(number))
    }
}

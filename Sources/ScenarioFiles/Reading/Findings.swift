import Yams

/// The problems found in a file so far.
struct Findings {
    private var problems: [ScenarioProblem] = []

    var isEmpty: Bool { problems.isEmpty }

    /// Adds a problem at a place.
    mutating func add(_ place: Place, found: String, allowed: String) {
        problems.append(
            ScenarioProblem(
                line: place.line, column: place.column, path: place.path, found: found, allowed: allowed))
    }

    /// Returns the error with all problems, in order of their lines.
    ///
    /// - Precondition: There is at least one problem.
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

extension Findings {
    /// Adds the problem of an error of the YAML parser.
    mutating func add(_ error: any Error, in text: String) {
        let yaml = "valid YAML"
        switch error as? YamlError {
        case .scanner(let context, let problem, let mark, _), .parser(let context, let problem, let mark, _),
            .composer(let context, let problem, let mark, _):
            let about = context.map { "\($0.text), " } ?? ""
            add(
                Place(line: mark.line, column: mark.column, path: ""),
                found: "what is no YAML (\(about)\(problem))", allowed: yaml)
        case .duplicatedKeysInMapping(let duplicates, let context):
            let names = duplicates.map(Entry.repeated).joined(separator: ", ")
            add(
                Place(line: context.mark.line, column: context.mark.column, path: ""),
                found: "the key \(names) here and again further down", allowed: "each key once")
        case .reader(let problem, let offset, _, _):
            let before = text.prefix(offset ?? 0)
            add(
                Place(line: 1 + before.count(where: \.isNewline), column: nil, path: ""),
                found: "what is no text (\(problem))", allowed: "printable characters of UTF-8")
        case .no, .memory, .writer, .emitter, .representer, .dataCouldNotBeDecoded, nil:
            add(.file, found: "what the parser cannot read (\(error))", allowed: yaml)
        }
    }
}

/// The closest match of a misspelled word.
enum NearestWord {
    /// Returns the first word with the smallest edit distance to another; nil if none is near.
    ///
    /// A word is near if the distance is at most a third of the misspelled word's length, or 1 for a short
    /// word.
    static func to(_ word: String, among words: [String]) -> String? {
        // Longer words match no key; the comparison costs the product of both lengths.
        guard word.utf8.count <= 64 else { return nil }
        let nearest = words.map { (word: $0, distance: distance(word, $0)) }.min { $0.distance < $1.distance }
        guard let nearest, nearest.distance * 3 <= max(word.utf8.count, 3) else { return nil }
        return nearest.word
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
public struct ScenarioProblem: Hashable, Sendable, CustomStringConvertible {
    /// The line, from 1; nil for a problem of the whole file.
    public let line: Int?
    /// The character in the line, from 1.
    public let column: Int?
    /// The path of keys, such as `people.hand-remotes-per-hour[0].rate`; empty for the whole file.
    public let path: String
    /// The value that was found.
    public let found: String
    /// The values that are allowed.
    public let allowed: String

    /// The place and the problem, without the file's name.
    public var description: String {
        let place = [line, column].compactMap { $0.map { "\($0):" } }.joined()
        let key = path.isEmpty ? "" : "\(path): "
        return "\(place)\(place.isEmpty ? "" : " ")\(key)found \(found); allowed: \(allowed)"
    }
}

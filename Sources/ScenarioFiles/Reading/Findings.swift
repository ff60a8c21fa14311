import Yams

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

extension Findings {
    /// Notes what the YAML parser says of a text.
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

/// Which word somebody may have meant.
enum NearestWord {
    /// The first of the words with the fewest letters between it and another; nil when none is near.
    ///
    /// Near means that at most a third of the letters differ.
    static func to(_ word: String, among words: [String]) -> String? {
        // No key is so long; comparing takes the product of both lengths.
        guard word.utf8.count <= 64 else { return nil }
        let nearest = words.map { (word: $0, distance: distance(word, $0)) }.min { $0.distance < $1.distance }
        guard let nearest, nearest.distance * 3 <= max(word.utf8.count, 3) else { return nil }
        return nearest.word
    }

    /// How many letters must be put in, taken out or changed (Levenshtein's distance).
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

/// A place in a scenario file that is wrong.
public struct ScenarioProblem: Hashable, Sendable, CustomStringConvertible {
    /// The line, from 1; nil when the file as a whole is wrong.
    public let line: Int?
    /// The character in the line, from 1.
    public let column: Int?
    /// The keys that lead there, such as `people.hand-remotes-per-hour[0].rate`; empty for the whole file.
    public let path: String
    /// What stands there.
    public let found: String
    /// What may stand there.
    public let allowed: String

    /// The place and what is wrong, without the file's name.
    public var description: String {
        let place = [line, column].compactMap { $0.map { "\($0):" } }.joined()
        let key = path.isEmpty ? "" : "\(path): "
        return "\(place)\(place.isEmpty ? "" : " ")\(key)found \(found); allowed: \(allowed)"
    }
}

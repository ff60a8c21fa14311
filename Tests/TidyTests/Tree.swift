import Foundation

/// The sources as text, independent of the clone's path.
struct Tree {
    /// One Swift file.
    struct File {
        /// The path from the clone's root: `Sources/Bus/Loop/Loop.swift`.
        let path: String
        let lines: [String]

        /// `Bus`, for a file in `Sources/Bus` or in `Tools/Sources/Bus`.
        var module: String { String(folders[1]) }
        /// The module, and the folders in it with the module: `Bus` and `Bus/Loop`.
        var places: Set<String> {
            let inner = folders.dropFirst().dropLast()
            return Set(inner.indices.map { inner[...$0].joined(separator: "/") })
        }
        /// Whether it is in a folder `Sources`.
        var isSource: Bool { folders[0] == "Sources" }
        /// Whether it was generated.
        var isGenerated: Bool { path.hasSuffix(".pb.swift") || path.hasSuffix(".wire.swift") }
        /// Whether it is the outermost file of a process, which may use clock, environment and randomness.
        var isOutermost: Bool { path.hasSuffix("/Main.swift") }

        /// The number and text of each line that has code, without its comment.
        var code: [(number: Int, text: Substring)] {
            lines.enumerated().compactMap { index, line in
                let text = line.firstRange(of: "//").map { line[..<$0.lowerBound] } ?? line[...]
                return text.allSatisfy(\.isWhitespace) ? nil : (index + 1, text)
            }
        }

        /// The folders in the package, from `Sources` or `Tests`.
        private var folders: [Substring] {
            let folders = path.split(separator: "/")
            return folders[0] == "Tools" ? Array(folders[1...]) : folders
        }

        /// The types that it declares, and whether outside others.
        var types: [(name: String, isOuter: Bool)] {
            let declaration =
                /\s*(?:(?:public|package|private|fileprivate|final|indirect) )*(?:struct|class|enum|actor|protocol) (\w+)/
            return code.compactMap { _, text in
                text.prefixMatch(of: declaration).map { (String($0.1), text.first != " ") }
            }
        }

        private static let access: Set<String> = ["public", "package", "internal", "fileprivate", "private"]

        /// The imported modules.
        var imports: [(number: Int, module: String)] {
            code.compactMap { number, text in
                let words = text.split(separator: " ")
                // Only modifiers precede the word import; a command of an example has other words before it.
                guard let place = words.firstIndex(of: "import"), words.count > place + 1,
                    words[..<place].allSatisfy({ $0.hasPrefix("@") || Self.access.contains(String($0)) })
                else { return nil }
                return (number, String(words[place + 1].prefix { $0 != "." }))
            }
        }
    }

    /// The modules that each target of this package may import: those that `Package.swift` names.
    static func dependencies() throws -> [String: Set<String>] {
        let text = try lines(of: "Package.swift").joined(separator: "\n")
        let products = Dictionary(
            uniqueKeysWithValues: text.matches(of: /let (\w+) = Target.Dependency.product\(\s*name: "(\w+)"/)
                .map {
                    (String($0.1), String($0.2))
                })
        let targets = text.matches(of: /arget\(\s*name: "([\w-]+)"(?:,\s*dependencies: \[([^\]]*)\])?/)
        return Dictionary(
            uniqueKeysWithValues: targets.map { target in
                let words = (target.2 ?? "").split { " \n,\"".contains($0) }.map(String.init)
                return (String(target.1), Set(words.map { products[$0] ?? $0 }))
            })
    }

    private static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().path(percentEncoded: false)

    let files: [File]

    /// Every Swift file below a folder of the clone, in the order of their paths.
    init(_ folder: String) throws {
        let root = Self.root
        let names = try FileManager.default.subpathsOfDirectory(atPath: root + folder).filter {
            $0.hasSuffix(".swift")
        }
        files = try names.sorted().map { name in
            File(path: "\(folder)/\(name)", lines: try Self.lines(of: "\(folder)/\(name)"))
        }
    }

    /// The Markdown files of the clone's root and of `docs`.
    static func documents() throws -> [String] {
        let manager = FileManager.default
        let own = try manager.contentsOfDirectory(atPath: root)
        let docs = try manager.subpathsOfDirectory(atPath: root + "docs").map { "docs/\($0)" }
        return (own + docs).filter { $0.hasSuffix(".md") }.sorted()
    }

    /// The pages of the documentation catalog of a module.
    static func pages(of module: String) throws -> [String] {
        let folder = "Sources/\(module)/\(module).docc"
        let names = try FileManager.default.subpathsOfDirectory(atPath: root + folder)
        return names.filter { $0.hasSuffix(".md") }.sorted().map { "\(folder)/\($0)" }
    }

    /// The lines of a file of the clone.
    static func lines(of path: String) throws -> [String] {
        let text = try String(contentsOfFile: root + path, encoding: .utf8)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        return lines.last == "" ? lines.dropLast() : lines
    }
}

import Testing

/// The style, as far as a program can check it.
///
/// Each finding is `path:line: what, and what to use instead`.
@Suite("Style of the source tree")
struct TidyTests {
    /// Folders that could be modules, each with the folders of its module whose types it may name.
    private static let folders: [String: Set<String>] = [
        "FleetProtocol/FileFraming": [], "FleetProtocol/PlantedBugs": [], "FleetProtocol/Time": [],
        "UserText/Plots": ["UserText/Text"],
        "UserFiles/CommandQueues": [], "UserFiles/TimeZones": [],
        "UserFiles/Shifts": ["UserFiles/TimeZones"], "UserFiles/YAML": ["UserFiles/CommandQueues"],
        "controller/SQLite": [], "observer/Core": [],
    ]
    /// Modules and folders without clock, files, sockets and threads; and those of them that may import
    /// FoundationEssentials.
    private static let pure: Set<String> = [
        "ControllerCore", "DeviceCore", "FleetProtocol", "FleetReplica", "GatewayCore", "LoadCore",
        "Simulation", "UserFiles/CommandQueues", "UserText", "VirtualFleet", "observer/Core",
    ]
    private static let formatting: Set<String> = ["GatewayCore", "LoadCore", "observer/Core"]
    /// The only places with unsafe code: what wraps a C library.
    private static let unsafe: Set<String> = ["Bus", "UserFiles/YAML", "controller/SQLite"]
    /// Modules of the language and the system, which only places with I/O may import.
    ///
    /// No module may import Foundation, which takes 50 MB more where it is linked statically, and then knows
    /// no time zones.
    private static let system: Set<String> = [
        "Dispatch", "FoundationEssentials", "Glibc", "Synchronization", "_Concurrency",
    ]

    private static let linesAtMost = 300
    private static let columnsAtMost = 110

    private let sources: [Tree.File]
    private let tests: [Tree.File]

    init() throws {
        sources = try Tree("Sources").files + Tree("Tools/Sources").files
        tests = try Tree("Tests").files + Tree("Tools/Tests").files
        try #require(sources.count > 100)
    }

    private func expectNone(_ findings: [String]) {
        #expect(findings.isEmpty, "\(findings.joined(separator: "\n"))")
    }

    @Test("each module imports what Package.swift names, and no file below a pure place uses the system")
    func imports() throws {
        let named = try Tree.dependencies()
        try #require(named.count > 30)
        expectNone(
            sources.filter { !$0.path.hasPrefix("Tools") }.flatMap { file in
                let isFormatting = !file.places.isDisjoint(with: Self.formatting)
                let system: Set =
                    if file.places.isDisjoint(with: Self.pure) { Self.system } else {
                        isFormatting ? ["FoundationEssentials"] : []
                    }
                let allowed = named[file.module, default: []].union(system)
                return file.imports.filter { !allowed.contains($0.module) }.map {
                    "\(file.path):\($0.number): imports \($0.module), which \(file.module) may not know"
                }
            })
    }

    @Test("folders that could be modules name no types of the rest of their module")
    func foldersOfModules() {
        var findings: [String] = []
        for (folder, others) in Self.folders {
            let module = folder.prefix { $0 != "/" }
            let files = sources.filter { $0.module == module }
            let own = files.filter { $0.places.contains(folder) }
            #expect(!own.isEmpty, "\(folder) does not exist")
            let foreign = files.filter { $0.places.isDisjoint(with: others.union([folder])) }
            let names = Set(foreign.flatMap { $0.types.filter(\.isOuter).map(\.name) })
                .subtracting(own.flatMap { $0.types.map(\.name) })
            for file in own {
                for (number, text) in file.code {
                    let words = text.split { !$0.isLetter && !$0.isNumber && $0 != "_" && $0 != "." }
                    findings += words.map { String($0.prefix { $0 != "." }) }.filter(names.contains).map {
                        "\(file.path):\(number): \($0), which is above \(folder)"
                    }
                }
            }
        }
        expectNone(findings)
    }

    @Test("the machines of the controller do not name each other")
    func machines() {
        let others = [
            "RequestEngine": [
                "AccessControl", "AccountServices", "LogbookService", "RosterService", "SiteService",
            ],
            "AccessControl": ["RequestEngine", "AccountServices", "CommandQueueService", "AccountMoves"],
            "AccountServices": ["RequestEngine", "AccessControl", "Placement", "AccountMoves"],
        ]
        expectNone(
            sources.flatMap { file in
                let folders = file.path.split(separator: "/").map(String.init)
                guard folders[1] == "ControllerCore" else { return [String]() }
                let foreign = others[folders[2], default: []]
                return file.code.flatMap { number, text in
                    foreign.filter { text.contains("\($0)(") || text.contains(": \($0)") }
                        .map { "\(file.path):\(number): \($0), let the router hand in what is needed" }
                }
            })
    }

    @Test("documents name only Swift files that exist")
    func namedFiles() throws {
        let others = try Tree("Benchmarks/Sources").files + Tree("Snippets").files
        let all = sources + tests + others
        let names = Set(all.map { $0.path.split(separator: "/").last.map(String.init) ?? "" })
        let named = /`([\w\/+-]+\.swift)`/
        expectNone(
            try Tree.documents().flatMap { path in
                try Tree.lines(of: path).enumerated().flatMap { index, line in
                    line.matches(of: named).compactMap { match in
                        let name = match.1.split(separator: "/").last.map(String.init) ?? ""
                        guard !names.contains(name), !["main.swift", "Package.swift"].contains(name) else {
                            return nil
                        }
                        return "\(path):\(index + 1): \(match.1) does not exist"
                    }
                }
            })
    }

    @Test("each mark of speed names a heading of the page that says why, and each heading is named")
    func speed() throws {
        let page = try Tree.lines(of: "docs/explanation/performance.md").drop { $0 != "## Marks in the code" }
        let headings = page.dropFirst().prefix { !$0.hasPrefix("## ") }.filter { $0.hasPrefix("### ") }
            .map { $0.dropFirst("### ".count).lowercased() }
        var named: Set<String> = []
        var findings: [String] = []
        for file in sources {
            for (index, line) in file.lines.enumerated() where line.contains("// Speed:") {
                let mark = line.wholeMatch(of: /\s*\/\/ Speed: see performance\.md, "([a-z ]+)"\./)
                if let name = mark.map({ String($0.1) }), headings.contains(name) {
                    named.insert(name)
                } else {
                    findings.append("\(file.path):\(index + 1): names no heading of performance.md")
                }
            }
        }
        findings += headings.filter { !named.contains($0) }.map { "performance.md: no code has \($0)" }
        expectNone(findings)
        #expect(!headings.isEmpty)
    }

    @Test("source files have at most 300 lines, and comments fit into the line width")
    func lengths() {
        expectNone(
            (sources + tests).filter { !$0.isGenerated }.flatMap { file in
                let long = file.lines.count > Self.linesAtMost && file.isSource
                return (long ? ["\(file.path):\(file.lines.count): too many lines, split it by topic"] : [])
                    + file.lines.enumerated().filter { isLongComment($0.element) }.map {
                        "\(file.path):\($0.offset + 1): more than \(Self.columnsAtMost) columns"
                    }
            })
    }

    @Test("clock, randomness, environment and output are passed in")
    func injection() {
        let banned = [
            ("Date()", "a WallTime that is handed in"), ("ContinuousClock()", "a Moment that is handed in"),
            ("Task.sle" + "ep", "a timer of the core, or an event"),
            ("UUID()", "a RequestID made with a generator"),
            ("print(", "a log line, or the output that is handed in"),
            ("ProcessInfo", "ProcessSupport's Environment"),
        ]
        let exempt = ["Sources/ProcessSupport/Process/Environment.swift": "ProcessInfo"]
        expectNone(
            sources.filter { !$0.isOutermost && !$0.isGenerated }.flatMap { file in
                file.code.flatMap { number, text in
                    banned.filter { call, _ in contains(text, call) && exempt[file.path] != call }.map {
                        "\(file.path):\(number): \($0.0), use \($0.1)"
                    }
                }
            })
    }

    @Test("every program reads its variables through ProcessSupport's Environment, which drops empty ones")
    func variables() {
        let exempt = "Sources/ProcessSupport/Process/Environment.swift"
        expectNone(
            sources.filter { $0.path != exempt }.flatMap { file in
                file.code.filter {
                    $0.text.contains("processInfo.environment") || $0.text.contains("getenv(")
                }
                .map { "\(file.path):\($0.number): use Environment.current" }
            })
    }

    @Test("every random number names its generator")
    func chance() {
        expectNone(
            sources.filter { !$0.isOutermost }.flatMap { file in
                file.code.filter { $0.text.contains(".random(") && !$0.text.contains("using:") }.map {
                    "\(file.path):\($0.number): a random number without `using:`"
                }
            })
    }

    @Test("unsafe code is only in what wraps a C library")
    func unsafety() {
        let marks = [
            "@unchecked Sendable", "nonisolated(unsafe)", "UnsafeMutable", "UnsafeRaw", "UnsafePointer",
            "unsafeBitCast",
        ]
        expectNone(
            sources.filter { $0.places.isDisjoint(with: Self.unsafe) && !$0.isGenerated }.flatMap { file in
                file.code.flatMap { number, text in
                    marks.filter { text.contains($0) }.map {
                        "\(file.path):\(number): \($0) outside \(Self.unsafe.sorted())"
                    }
                }
            })
    }

    @Test("the code has no forced tries, leftovers or disabled tests")
    func leftovers() {
        let marks = ["try" + "!", "TO" + "DO", "FIX" + "ME", ".dis" + "abled(", "withKnown" + "Issue"]
        expectNone(
            (sources + tests).filter { !$0.isGenerated }.flatMap { file in
                file.lines.enumerated().flatMap { index, line in
                    marks.filter { line.contains($0) }.map { "\(file.path):\(index + 1): \($0)" }
                }
            })
    }

    @Test("tests do not sleep")
    func sleeps() {
        expectNone(
            tests.flatMap { file in
                file.code.filter { $0.text.contains("sle" + "ep(") }.map {
                    "\(file.path):\($0.number): sleeps; wait for an event, or move a clock"
                }
            })
    }

    @Test("every target of the Makefile is in its list .PHONY and in `make help`, in one order")
    func targets() throws {
        let lines = try Tree.lines(of: "Makefile")
        let targets = lines.compactMap { line in
            line.first?.isLowercase == true ? line.firstIndex(of: ":").map { String(line[..<$0]) } : nil
        }
        let start = try #require(lines.firstIndex { $0.hasPrefix(".PHONY:") })
        let end = try #require(lines[start...].firstIndex { !$0.hasSuffix("\\") })
        let phony = lines[start...end].flatMap { $0.split(separator: " ") }.map(String.init)
            .filter { ![".PHONY:", "\\"].contains($0) }
        let help = lines.filter { $0.hasPrefix("\t@echo 'make ") }.map {
            String($0.dropFirst("\t@echo 'make ".count).prefix { $0 != " " })
        }
        #expect(lines.count { $0.hasPrefix(".PHONY:") } == 1)
        #expect(phony == help)
        #expect(help.count <= 20, "others are scripts beside what they measure or check")
        #expect(help.sorted() == targets.sorted())
    }

    @Test("the README shows the compiled snippet of the client")
    func readme() throws {
        let fromFence = try Tree.lines(of: "README.md").drop { $0 != "```swift" }.dropFirst()
        #expect(try Array(fromFence.prefix { $0 != "```" }) == Tree.lines(of: "Snippets/ToggleDevice.swift"))
    }

    /// The formatter checks code, and leaves comments unchanged.
    private func isLongComment(_ line: String) -> Bool {
        line.utf8.count > Self.columnsAtMost && line.count > Self.columnsAtMost
            && line.trimmingPrefix(while: \.isWhitespace).hasPrefix("//")
    }

    /// Whether a line contains a call as a separate word: `print(` is not in `fingerprint(`.
    private func contains(_ text: Substring, _ call: String) -> Bool {
        guard let range = text.firstRange(of: call) else { return false }
        guard range.lowerBound > text.startIndex else { return true }
        let before = text[text.index(before: range.lowerBound)]
        return !before.isLetter && before != "." && before != "_"
    }
}

import Testing

/// The style, as far as a program can check it.
///
/// Each finding is `path:line: what, and what to use instead`.
@Suite("Style of the source tree")
struct TidyTests {
    /// The modules that each module may import, including libraries that only some may use.
    private static let arrows: [String: Set<String>] = [
        "Bus": ["CGuard", "CZMQ"],
        "SQLite": ["CSQLite"],
        "YAML": ["CYAML"],
        "PlantedBugs": [],
        "FleetTime": ["CMath"],
        "FileFraming": [],
        "FleetProtocol": ["FileFraming", "FleetTime"],
        "DeviceCore": ["CMath", "FileFraming", "FleetProtocol", "FleetTime", "PlantedBugs"],
        "ControllerCore": ["FileFraming", "FleetProtocol", "FleetTime", "PlantedBugs", "UserText"],
        "FleetReplica": ["FileFraming", "FleetProtocol", "FleetTime", "PlantedBugs"],
        "ObserverCore": [
            "FoundationEssentials", "FileFraming", "FleetProtocol", "FleetReplica", "FleetTime", "UserText",
        ],
        "GatewayCore": [
            "FoundationEssentials", "CMath", "FleetProtocol", "FleetReplica", "FleetTime", "UserText",
        ],
        "LoadCore": [
            "CMath", "FoundationEssentials", "FleetProtocol", "FleetTime", "Histogram", "SVGPlots",
            "UserText",
        ],
        "Simulation": [
            "ControllerCore", "DeviceCore", "FileFraming", "FleetProtocol", "FleetReplica", "FleetTime",
            "PlantedBugs",
        ],
        "UserText": ["CMath", "FleetProtocol", "FleetTime"],
        "SVGPlots": ["CMath", "UserText"],
        "CommandQueueFiles": ["FleetProtocol", "FleetTime", "UserText"],
        "YAMLTrees": ["CommandQueueFiles", "UserText", "YAML"],
        "ScenarioFiles": [
            "CommandQueueFiles", "DeviceCore", "FleetProtocol", "FleetTime", "UserText", "YAMLTrees",
        ],
        "TimeZones": ["FleetProtocol", "FleetTime"],
        "ShiftFiles": ["FleetProtocol", "FleetTime", "TimeZones", "UserText"],
        "ProcessSupport": [
            "ArgumentParser", "Bus", "CFiles", "CMemory", "CProcess", "CSignals", "CSodium", "FileFraming",
            "FleetProtocol",
            "FleetTime", "Logging", "TimeZones", "UserText",
        ],
        "CellFiles": [
            "ArgumentParser", "Bus", "CommandQueueFiles", "CSodium", "FleetProtocol", "ProcessSupport",
            "YAMLTrees",
        ],
        "FleetClient": ["Bus", "FleetProtocol", "FleetReplica", "FleetTime", "UserText"],
        "FleetAccess": ["CellFiles", "FleetClient", "ProcessSupport"],
        "device-sim": [
            "ArgumentParser", "Bus", "CellFiles", "DeviceCore", "FileFraming", "FleetProtocol", "FleetTime",
            "Logging", "ProcessSupport", "ScenarioFiles", "SVGPlots", "TimeZones", "UserText",
        ],
        "controller": [
            "ArgumentParser", "Bus", "CellFiles", "ControllerCore", "CSodium", "FileFraming",
            "FleetProtocol", "FleetTime", "Logging", "ProcessSupport", "SQLite", "Subprocess",
            "SystemPackage", "UserText",
        ],
        "observer": [
            "ArgumentParser", "Bus", "CellFiles", "FleetAccess", "FleetClient", "FleetProtocol",
            "FleetReplica", "FleetTime", "ObserverCore", "ProcessSupport", "Subprocess", "SystemPackage",
            "UnixSignals", "UserText",
        ],
        "gateway": [
            "ArgumentParser", "Bus", "CellFiles", "CommandQueueFiles", "CSodium", "FleetAccess",
            "FleetClient", "FleetProtocol", "FleetReplica", "FleetTime", "GatewayCore", "HTTPTypes",
            "Hummingbird", "HummingbirdCore",
            "Logging", "NIOCore", "NIOHTTP1", "NIOHTTPCompression", "NIOHTTPTypes", "NIOHTTPTypesHTTP1",
            "NIOSSL", "ProcessSupport", "ServiceLifecycle", "UnixSignals", "UserText", "YAMLTrees",
        ],
        "http-load": [
            "ArgumentParser", "FleetProtocol", "FleetTime", "LoadCore", "NIOCore", "NIOHTTP1", "NIOPosix",
            "NIOSSL", "NIOTLS", "ProcessSupport", "UserText",
        ],
        "fleet": [
            "ArgumentParser", "Bus", "CellFiles", "CommandQueueFiles", "CSodium", "FleetAccess",
            "FleetClient", "FleetProtocol", "FleetReplica", "FleetTime", "LoadCore", "ObserverCore",
            "PlantedBugs", "ProcessSupport", "ScenarioFiles", "ShiftFiles",
            "Simulation", "Subprocess", "SystemPackage", "TimeZones", "UnixSignals", "UserText",
        ],
        "protoc-gen-fleetwire": ["Foundation", "SwiftProtobuf", "SwiftProtobufPluginLibrary"],
    ]
    /// Data structures, which every module may import.
    private static let collections: Set<String> = ["DequeModule", "HeapModule"]
    /// Modules of the language and the system, which only modules with I/O may import.
    ///
    /// No module may import Foundation, which takes 50 MB more where it is linked statically, and then knows
    /// no time zones.
    private static let system: Set<String> = [
        "Dispatch", "FoundationEssentials", "Glibc", "Synchronization", "_Concurrency",
    ]
    /// Modules without clock, files, sockets and threads.
    private static let pure: Set<String> = [
        "CommandQueueFiles", "ControllerCore", "DeviceCore", "FileFraming", "FleetProtocol", "FleetReplica",
        "FleetTime", "GatewayCore", "LoadCore", "ObserverCore", "PlantedBugs", "SVGPlots", "Simulation",
        "UserText",
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

    @Test("imports follow the arrows of docs/ARCHITECTURE.md")
    func imports() {
        expectNone(
            sources.flatMap { file in
                file.imports.compactMap { number, module in
                    let allowed = Self.arrows[file.module, default: []].union(Self.collections)
                        .union(Self.pure.contains(file.module) ? [] : Self.system)
                    guard !allowed.contains(module) else { return nil }
                    return "\(file.path):\(number): imports \(module), which \(file.module) may not know"
                }
            })
    }

    @Test("the import table of docs/ARCHITECTURE.md has what each module may import")
    func importTable() throws {
        let lines = try Tree.lines(of: "docs/ARCHITECTURE.md")
        let start = try #require(lines.firstIndex(of: "| module | imports |"))
        let rows = lines[(start + 2)...].prefix { $0.hasPrefix("|") }
        let table = rows.map { row in
            row.split(separator: "`").enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
        }
        let written = Dictionary(
            table.map { (String($0[0]), Set($0.dropFirst().map(String.init))) },
            uniquingKeysWith: { $0.union($1) })
        #expect(written == Self.arrows)
    }

    @Test("the machines of the controller do not name each other")
    func machines() {
        let others = [
            "RequestEngine": [
                "AccessControl", "AccountServices", "LogbookService", "RosterService", "SiteService",
            ],
            "AccessControl": ["RequestEngine", "AccountServices", "CommandQueueService"],
            "AccountServices": ["RequestEngine", "AccessControl"],
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
                        guard !names.contains(name), name != "main.swift" else { return nil }
                        return "\(path):\(index + 1): \(match.1) does not exist"
                    }
                }
            })
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

    @Test("unsafe code is in Bus, SQLite and YAML only")
    func unsafety() {
        let marks = [
            "@unchecked Sendable", "nonisolated(unsafe)", "UnsafeMutable", "UnsafeRaw", "UnsafePointer",
            "unsafeBitCast",
        ]
        expectNone(
            sources.filter { !["Bus", "SQLite", "YAML"].contains($0.module) && !$0.isGenerated }.flatMap {
                file in
                file.code.flatMap { number, text in
                    marks.filter { text.contains($0) }.map {
                        "\(file.path):\(number): \($0) outside Bus, SQLite and YAML"
                    }
                }
            })
    }

    @Test("the code has no forced tries, leftovers or disabled tests")
    func leftovers() {
        let marks = [
            "try" + "!", "TO" + "DO", "FIX" + "ME", ".dis" + "abled(", "withKnown" + "Issue",
        ]
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

import FleetProtocol
import Foundation
import ProcessSupport
import TestSupport
import Testing
import UserFiles

@Suite("The file that lists all cells")
struct CellListTests {
    private static let key = String(repeating: "0a", count: 32)

    private func list(_ text: String) throws(InvalidFile) -> CellList {
        try CellList(Array(text.utf8), file: "cells.yaml", in: "/srv")
    }

    @Test("a list has cells in run directories, and cells at addresses with their server keys")
    func whole() throws {
        let list = try list(
            """
            cells:
              - name: c1
                run-directory: sensibus/c1
              - name: c2
                run-directory: /var/lib/c2
              - name: 3
                connect: tcp://[::1]:7600
                key: "\(Self.key)"
            """)
        #expect(list.cells.map(\.name.text) == ["c1", "c2", "3"])
        #expect(list.cells[0].location == .directory("/srv/sensibus/c1"))
        #expect(list.cells[1].location == .directory("/var/lib/c2"))
        guard case .network(let address, let key) = list.cells[2].location else {
            Issue.record("the third cell is on the network")
            return
        }
        #expect("\(address)" == "tcp://[::1]:7600")
        #expect("\(key)" == Self.key)
        #expect(list[try #require(CellName("c2"))] == list.cells[1])
        #expect(list[try #require(CellName("c4"))] == nil)
    }

    @Test(
        "all problems are named with their lines",
        arguments: [
            ("cells: []", "cells.yaml:1:8: cells: found an empty list"),
            ("cell: x", "did you mean cells?"),
            ("cells:\n  - run-directory: x", "a name, and a run-directory"),
            ("cells:\n  - name: C1\n    run-directory: x", "cells.yaml:2:11: cells[0].name: found 'C1'"),
            ("cells:\n  - name: c1", "run-directory: DIRECTORY, or connect"),
            ("cells:\n  - name: c1\n    connect: tcp://h:1", "run-directory: DIRECTORY, or connect"),
            (
                "cells:\n  - name: c1\n    connect: h:1\n    key: 12",
                "an address, such as tcp://fleet.example.org:7600"
            ),
            (
                "cells:\n  - name: c1\n    connect: tcp://h:1\n    key: 12",
                "the server key, 64 hexadecimal digits"
            ),
            (
                "cells:\n  - name: c1\n    run-directory: x\n  - name: c1\n    run-directory: y",
                "cells.yaml:4:5: cells[1]: found a mapping of 2; allowed: each name once"
            ),
        ])
    func problems(text: String, message: String) {
        let error = #expect(throws: InvalidFile.self) { try list(text) }
        #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
    }

    @Test("adding a cell leaves all other lines unchanged")
    func added() throws {
        let place = try TemporaryDirectory()
        defer { withExtendedLifetime(place) {} }
        let file = CellListFile(path: "\(place.path)/cells.yaml")
        let first = CellList.Cell(name: try #require(CellName("c1")), location: .directory("/srv/a \"b\""))
        #expect(try file.add(first) == 1)
        let text = try String(contentsOfFile: file.path, encoding: .utf8) + "  # the second one:"
        try Data(text.utf8).write(to: URL(filePath: file.path))
        let second = CellList.Cell(name: try #require(CellName("c2")), location: .directory("/srv/c2"))
        #expect(try file.add(second) == 2)
        #expect(try String(contentsOfFile: file.path, encoding: .utf8).hasPrefix(text + "\n"))
        #expect(try CellList(file.path, relativeTo: "/").cells == [first, second])
        #expect(
            try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int == 0o644)
        // A name that is in the list is refused, and changes nothing.
        let before = try String(contentsOfFile: file.path, encoding: .utf8)
        #expect(throws: InvalidFile.self) { try file.add(first) }
        #expect(try String(contentsOfFile: file.path, encoding: .utf8) == before)
    }

    @Test(
        "a list and a secret are read alike with a byte order mark and with line ends of Windows",
        arguments: ["", "\u{feff}"], ["\n", "\r\n"])
    func editors(mark: String, end: String) throws {
        let place = try TemporaryDirectory()
        defer { withExtendedLifetime(place) {} }
        let file = CellListFile(path: "\(place.path)/cells.yaml")
        let lines = ["cells:", "    - name: c1", "      run-directory: /srv/c1"]
        try Data((mark + lines.map { $0 + end }.joined()).utf8).write(to: URL(filePath: file.path))
        let added = CellList.Cell(name: try #require(CellName("c2")), location: .directory("/srv/c2"))
        #expect(try file.add(added) == 2)
        #expect(try CellList(file.path, relativeTo: "/").cells.map(\.name.text) == ["c1", "c2"])
        let secret = CellSecret.file(beside: file.path, environment: [:])
        try Data((mark + Self.key + end).utf8).write(to: URL(filePath: secret))
        try #require(chmod(secret, 0o600) == 0)
        #expect(try CellSecret.read(from: secret) != nil)
    }

    @Test("the secret is made once, mode 0600, and yields the same token and hash for all who have it")
    func secret() throws {
        let place = try TemporaryDirectory()
        defer { withExtendedLifetime(place) {} }
        let path = CellSecret.file(beside: "\(place.path)/cells.yaml", environment: [:])
        #expect(path == "\(place.path)/cells.secret")
        #expect(CellSecret.file(beside: path, environment: [CellSecret.variable: "/run/s"]) == "/run/s")
        #expect(try CellSecret.read(from: path) == nil)
        try CellSecret.make(at: path)
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        let one = try #require(try CellSecret.read(from: path))
        try CellSecret.make(at: path)
        let other = try CellSecret.read(from: path)
        #expect(one == other)
        #expect(one.token == other?.token)
        #expect(one.hash([1, 2]) == other?.hash([1, 2]))
        #expect(one.hash([1, 2]) != one.hash([1, 3]))
        #expect("\(one)" == "cell secret")
    }
}

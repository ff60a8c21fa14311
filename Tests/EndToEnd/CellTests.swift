import Foundation
import Glibc
import TestSupport
import Testing

extension EndToEnd {
    /// Several fleets of this machine as cells of one installation.
    @Suite("Cells")
    struct CellTests {
        /// The objects that commands print.
        private struct Cell: Decodable {
            struct Other: Decodable {
                let known: Bool
                let sameCells: Bool
            }

            let cell: String
            let accounts: Int?
            let others: [Other]?
            let error: String?
        }

        struct Account: Decodable {
            let account: String
            let cell: String
        }

        private struct User: Decodable {
            let account: String
        }

        static let secret = "open sesame\n"

        /// Starts cells that are fleets of the lab, each with its own run directory and a few devices.
        ///
        /// - Parameters:
        ///   - isOnNetwork: Whether they reach each other over tcp.
        ///   - gateway: The cell with a gateway; nil for none.
        static func withCells(
            _ names: [String], onNetwork isOnNetwork: Bool = false, gatewayAt gateway: String? = nil,
            _ body: (Lab) async throws -> Void
        ) async throws {
            try await Lab.withLab { lab in
                let result: Result<Void, any Error>
                do {
                    var ports: [String: Int] = [:]
                    for name in names {
                        if isOnNetwork { ports[name] = try Lab.freePort() }
                        try await add(name, listeningAt: ports[name], in: lab)
                    }
                    for name in names {
                        try await up(name, listeningAt: ports[name], hasGateway: name == gateway, in: lab)
                    }
                    result = .success(try await body(lab))
                } catch {
                    result = .failure(error)
                }
                for name in try FileManager.default.contentsOfDirectory(atPath: lab.directory)
                where name.hasPrefix("c") && !name.contains(".") {
                    _ = try await lab.fleet("down", "--run-dir", name)
                }
                try result.get()
            }
        }

        private static func add(_ name: String, listeningAt port: Int?, in lab: Lab) async throws {
            var place = ["--run-directory", name]
            if let port {
                let shown = try await lab.fleet("key", "show", "--run-dir", name)
                try #require(shown.status == 0, "\(shown.talk)")
                let key = shown.output.trimmingCharacters(in: .whitespacesAndNewlines)
                place = ["--connect", "tcp://127.0.0.1:\(port)", "--key", key]
            }
            let added = try await lab.fleet(["cell", "add", name] + place)
            try #require(added.status == 0, "\(added.talk)")
        }

        private static func up(
            _ name: String, listeningAt port: Int?, hasGateway: Bool = false, in lab: Lab
        ) async throws {
            let listen = port.map { ["--listen", "tcp://127.0.0.1:\($0)"] } ?? []
            let up = try await lab.fleet(
                [
                    "up", "--detach", "--json", "--devices", "5", "--run-dir", name, "--cells", "cells.yaml",
                    "--cell", name, "--allow-signup",
                ] + listen + (hasGateway ? ["--gateway-port", "0"] : ["--no-gateway"]))
            try #require(up.status == 0, "\(name): \(up.talk)")
        }

        /// Waits until all cells know each other.
        static func awaitKnowledge(in lab: Lab) async throws {
            try await lab.eventually("all cells know each other", within: .seconds(10)) {
                let cells = try await lab.fleet("cell", "list", "--cells", "cells.yaml", "--json").lines(
                    Cell.self)
                return cells.allSatisfy { cell in
                    cell.others?.allSatisfy { $0.known && $0.sameCells } ?? false
                }
            }
        }

        static func login(_ email: String, at place: String, in lab: Lab) async throws -> Lab.Ended {
            try await lab.fleet(
                ["login", email, "--run-dir", place, "--cells", "cells.yaml", "--password-stdin"],
                input: Self.secret)
        }

        private static func create(
            _ account: String, for email: String, in cell: String, _ lab: Lab
        ) async throws -> Lab.Ended {
            try await lab.fleet(
                [
                    "account", "create", account, "--email", email, "--cell", cell, "--cells", "cells.yaml",
                    "--password-stdin",
                ], input: Self.secret)
        }

        @Test("a user logs in at any cell, and works in their own", .timeLimit(.minutes(2)))
        func anyCell() async throws {
            try await Self.withCells(["c1", "c2"]) { lab in
                try await Self.awaitKnowledge(in: lab)
                for (number, cell) in ["c1", "c2"].enumerated() {
                    let email = "owner\(number)@example.org"
                    let created = try await Self.create("hotel-\(number)", for: email, in: cell, lab)
                    #expect(created.status == 0, "\(created.talk)")
                    for place in ["c1", "c2", "user"] {
                        let ended = try await Self.login(email, at: place, in: lab)
                        #expect(ended.status == 0, "\(email) at \(place): \(ended.talk)")
                        let user = try await lab.fleet(
                            "whoami", "--json", "--run-dir", place, "--cells", "cells.yaml")
                        #expect(try user.line(User.self).account == "hotel-\(number)")
                    }
                    let file = "\(lab.directory)/user/session.json"
                    #expect(try String(contentsOfFile: file, encoding: .utf8).contains("sb_\(cell)_"))
                }
                // Taken in another cell, and refused in any with a wrong password.
                #expect(try await Self.create("hotel-0", for: "x@example.org", in: "c2", lab).status == 64)
                #expect(
                    try await Self.create("hotel-2", for: "owner1@example.org", in: "c1", lab).status == 64)
                for place in ["c1", "c2"] {
                    let ended = try await lab.fleet(
                        ["login", "owner1@example.org", "--run-dir", place, "--password-stdin"],
                        input: "wrong\n")
                    #expect(ended.status == 77, "\(ended.talk)")
                }
                let accounts = try await lab.fleet("account", "list", "--cells", "cells.yaml", "--json")
                    .lines(Account.self)
                #expect(
                    accounts.map { "\($0.account) \($0.cell)" } == [
                        "demo-c1 c1", "demo-c2 c2", "hotel-0 c1", "hotel-1 c2",
                    ])
            }
        }

        @Test("a controller waits for the list, which needs its key", .timeLimit(.minutes(1)))
        func waiting() async throws {
            try await Lab.withLab { lab in
                let words = [
                    "serve", "--run-dir", "c1", "--cells", "cells.yaml", "--cell", "c1", "--demo-account",
                ]
                let refused = try await lab.run("controller", words)
                #expect(refused.status != 0 && refused.talk.contains("cells"), "\(refused.talk)")
                for isListed in [false, true] {
                    try await lab.whileRunning("controller", words + ["--wait-for-cells"], log: "\(isListed)")
                    {
                        log in
                        try await lab.eventually("it waits", within: .seconds(10)) {
                            log().contains("waiting for the list")
                        }
                        let key = try await lab.fleet("key", "show", "--run-dir", "c1").output
                        #expect(log().contains(key.trimmingCharacters(in: .whitespacesAndNewlines)))
                        guard isListed else { return }
                        let added = try await lab.fleet("cell", "add", "c1", "--run-directory", "c1")
                        #expect(added.status == 0, "\(added.talk)")
                        try await lab.eventually("it serves", within: .seconds(10)) {
                            try await lab.fleet("cell", "list", "--cells", "cells.yaml").status == 0
                        }
                    }
                }
            }
        }

        @Test("users sign up at any cell, and each ends in one", .timeLimit(.minutes(2)))
        func signUp() async throws {
            try await Self.withCells(["c1", "c2"]) { lab in
                try await Self.awaitKnowledge(in: lab)
                for number in 0..<4 {
                    let email = "guest\(number)@example.org"
                    let place = number % 2 == 0 ? "c1" : "c2"
                    let signedUp = try await lab.fleet(
                        ["signup", email, "--run-dir", place, "--password-stdin"], input: Self.secret)
                    #expect(signedUp.status == 0, "\(signedUp.talk)")
                    for other in ["c1", "c2"] {
                        #expect(try await Self.login(email, at: other, in: lab).status == 0)
                    }
                }
                let cells = try await lab.fleet("cell", "list", "--run-dir", "c1", "--json").lines(Cell.self)
                #expect(cells.compactMap(\.accounts).reduce(0, +) == 6, "two, and four guests")
            }
        }

        @Test("a cell is added to running ones, and one that is down is named", .timeLimit(.minutes(2)))
        func added() async throws {
            try await Self.withCells(["c1", "c2"]) { lab in
                try await Self.awaitKnowledge(in: lab)
                #expect(try await Self.create("old", for: "old@example.org", in: "c1", lab).status == 0)
                try await Self.add("c3", listeningAt: nil, in: lab)
                try await Self.up("c3", listeningAt: nil, in: lab)
                try await Self.awaitKnowledge(in: lab)
                #expect(try await Self.create("new", for: "new@example.org", in: "c3", lab).status == 0)
                for email in ["old@example.org", "new@example.org"] {
                    for place in ["c1", "c2", "c3"] {
                        #expect(
                            try await Self.login(email, at: place, in: lab).status == 0,
                            "\(email) at \(place)")
                    }
                }
                #expect(try await lab.fleet("down", "--run-dir", "c2").status == 0)
                let list = try await lab.fleet("cell", "list", "--run-dir", "c1", "--json")
                #expect(list.status == 69)
                #expect(try list.lines(Cell.self).filter { $0.error != nil }.map(\.cell) == ["c2"])
                // Users of the others notice nothing.
                #expect(try await Self.login("new@example.org", at: "c1", in: lab).status == 0)
                #expect(try await Self.login("old@example.org", at: "c3", in: lab).status == 0)
            }
        }

        private struct Pods: Decodable {
            struct Pod: Decodable {
                let id: String
            }

            let result: [Pod]
        }

        /// Sends a request to the gateway of a cell; the status 200 or another, and the body.
        static func curl(
            _ arguments: [String], _ path: String, of cell: String, in lab: Lab
        ) async throws -> (status: Int, body: String) {
            let url = try String(contentsOfFile: "\(lab.directory)/\(cell)/gateway-url", encoding: .utf8)
                .trimmingCharacters(in: .whitespacesAndNewlines)
            let options = ["-s", "-w", "\n%{http_code}", "-H", "Origin: \(url.dropLast())"]
            let asked = try await lab.run("/usr/bin/curl", options + arguments + [url + path])
            let lines = asked.output.split(separator: "\n", omittingEmptySubsequences: false)
            return (Int(lines.last ?? "") ?? 0, lines.dropLast().joined(separator: "\n"))
        }

        @Test("one gateway serves the users and API keys of all cells", .timeLimit(.minutes(2)))
        func gateway() async throws {
            try await Self.withCells(["c1", "c2"], gatewayAt: "c1") { lab in
                try await Self.awaitKnowledge(in: lab)
                var keys: [String: String] = [:]
                for cell in ["c1", "c2"] {
                    let made = try await lab.fleet("apikey", "create", "script", "--run-dir", cell)
                    let key = made.output.trimmingCharacters(in: .whitespacesAndNewlines)
                    try #require(key.hasPrefix("sb_\(cell)_"))
                    let devices = try await lab.fleet("devices", "--json", "--run-dir", cell)
                        .lines(DeviceLine.self)
                    let (status, body) = try await Self.curl(
                        [], "api/v2/users/me/pods?fields=id&apiKey=\(key)", of: "c1", in: lab)
                    #expect(status == 200)
                    let pods = try JSONDecoder().decode(Pods.self, from: Data(body.utf8)).result
                    #expect(Set(pods.map(\.id)) == Set(devices.map(\.id)))
                    keys[cell] = key
                }
                // A key is known in its own cell only.
                let digits = try #require(keys["c2"]).dropFirst("sb_c2_".count)
                for name in ["sb_c1_", "sb_c9_", ""] {
                    let path = "api/v2/users/me/pods?fields=id&apiKey=\(name)\(digits)"
                    #expect(try await Self.curl([], path, of: "c1", in: lab).status == 403)
                }
                let login = { (cell: String) in
                    let file = "\(lab.directory)/\(cell)/demo-password"
                    let password = try String(contentsOfFile: file, encoding: .utf8)
                        .trimmingCharacters(in: .whitespacesAndNewlines)
                    let form = #"{"email":"demo@\#(cell).sensibus.local","password":"\#(password)"}"#
                    return try await Self.curl(["-d", form], "page/session", of: "c1", in: lab)
                }
                for cell in ["c1", "c2"] {
                    let (status, body) = try await login(cell)
                    #expect(status == 200)
                    #expect(body.contains(#""account":"demo-\#(cell)""#))
                }
                // A cell that is down concerns its own users only.
                #expect(try await lab.fleet("down", "--run-dir", "c2").status == 0)
                #expect(try await login("c2").status == 503)
                #expect(try await login("c1").status == 200)
                #expect(try await Self.curl([], "readyz", of: "c1", in: lab).status == 200)
            }
        }

        @Test("cells know each other over tcp, by the keys in their list", .timeLimit(.minutes(2)))
        func network() async throws {
            try await Self.withCells(["c1", "c2", "c3"], onNetwork: true) { lab in
                try await lab.eventually("all cells know each other", within: .seconds(10)) {
                    for name in ["c1", "c2", "c3"] {
                        let cells = try await lab.fleet("cell", "list", "--run-dir", name, "--json").lines(
                            Cell.self)
                        let own = try #require(cells.first { $0.cell == name })
                        guard own.others?.allSatisfy({ $0.known && $0.sameCells }) ?? false else {
                            return false
                        }
                    }
                    return true
                }
                let created = try await lab.fleet(
                    [
                        "account", "create", "hotel", "--email", "ann@example.org", "--cell", "c1",
                        "--run-dir",
                        "c1", "--password-stdin",
                    ], input: Self.secret)
                #expect(created.status == 0, "\(created.talk)")
                #expect(
                    try await lab.fleet(
                        ["login", "ann@example.org", "--run-dir", "c1", "--password-stdin"],
                        input: Self.secret
                    ).status == 0)
                // A cell's own key also leads its users to other cells.
                let moved = try await lab.fleet(
                    ["login", "ann@example.org", "--run-dir", "c2", "--password-stdin"], input: Self.secret)
                #expect(moved.status == 0, "\(moved.talk)")
                let user = try await lab.fleet("whoami", "--json", "--run-dir", "c2")
                #expect(try user.line(User.self).account == "hotel")
                // A machine without a key gets an error that names the key.
                let outside = try await lab.fleet(
                    [
                        "login", "ann@example.org", "--run-dir", "user", "--cells", "cells.yaml",
                        "--password-stdin",
                    ], input: Self.secret)
                #expect(outside.status == 77, "\(outside.talk)")
                #expect(outside.talk.contains("no key of this machine"), "\(outside.talk)")
            }
        }
    }
}

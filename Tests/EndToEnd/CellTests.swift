import Foundation
import Glibc
import TestSupport
import Testing

extension EndToEnd {
    /// Several fleets of this machine as cells of one installation.
    @Suite("Cells", .timeLimit(.minutes(2)))
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

            var knowsOthers: Bool { others?.allSatisfy { $0.known && $0.sameCells } ?? false }
        }

        struct Account: Decodable {
            let account: String
            let cell: String
        }

        private struct User: Decodable {
            let account: String
        }

        static let secret = "open sesame\n"
        private static let list = ["--cells", "cells.yaml"]

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
                try await withCleanup {
                    var ports: [String: Int] = [:]
                    for name in names {
                        if isOnNetwork { ports[name] = try Lab.freePort() }
                        try await add(name, listeningAt: ports[name], in: lab)
                    }
                    for name in names {
                        try await up(name, listeningAt: ports[name], hasGateway: name == gateway, in: lab)
                    }
                    try await body(lab)
                } cleanup: {
                    for name in try FileManager.default.contentsOfDirectory(atPath: lab.directory)
                    where name.hasPrefix("c") && !name.contains(".") {
                        _ = try await lab.fleet("down", "--run-dir", name)
                    }
                }
            }
        }

        private static func add(_ name: String, listeningAt port: Int?, in lab: Lab) async throws {
            var place = ["--run-directory", name]
            if let port {
                place = ["--connect", "tcp://127.0.0.1:\(port)", "--key", try await key(of: name, in: lab)]
            }
            try await lab.succeed(["cell", "add", name] + place)
        }

        private static func key(of name: String, in lab: Lab) async throws -> String {
            try await lab.at(name).succeed("key", "show").output
                .trimmingCharacters(in: .whitespacesAndNewlines)
        }

        private static func up(
            _ name: String, listeningAt port: Int?, hasGateway: Bool = false, in lab: Lab
        ) async throws {
            let listen = port.map { ["--listen", "tcp://127.0.0.1:\($0)"] } ?? []
            try await lab.at(name).up(
                devices: 5, gateway: hasGateway, list + ["--cell", name, "--allow-signup"] + listen)
        }

        /// Waits until all cells know each other.
        static func awaitKnowledge(in lab: Lab) async throws {
            try await lab.eventually("all cells know each other", within: .seconds(10)) {
                try await lab.fleet(["cell", "list", "--json"] + list).lines(Cell.self)
                    .allSatisfy(\.knowsOthers)
            }
        }

        static func logIn(_ email: String, at place: String, in lab: Lab) async throws {
            try await lab.at(place).succeed(["login", email, "--password-stdin"] + list, input: secret)
        }

        /// Creates an account with its owner, and expects an exit status.
        private static func create(
            _ account: String, for email: String, in cell: String, _ lab: Lab, status: Int32 = 0
        ) async throws {
            try await lab.expect(
                status,
                ["account", "create", account, "--email", email, "--cell", cell] + list
                    + ["--password-stdin"], input: secret)
        }

        @Test("a user logs in at any cell, and works in their own")
        func anyCell() async throws {
            try await Self.withCells(["c1", "c2"]) { lab in
                try await Self.awaitKnowledge(in: lab)
                for (number, cell) in ["c1", "c2"].enumerated() {
                    let email = "owner\(number)@example.org"
                    try await Self.create("hotel-\(number)", for: email, in: cell, lab)
                    for place in ["c1", "c2", "user"] {
                        try await Self.logIn(email, at: place, in: lab)
                        let user = try await lab.at(place).fleet(["whoami", "--json"] + Self.list)
                        #expect(try user.line(User.self).account == "hotel-\(number)", "at \(place)")
                    }
                    #expect(try lab.at("user").text("session.json").contains("sb_\(cell)_"))
                }
                // Taken in another cell, and refused in any with a wrong password.
                try await Self.create("hotel-0", for: "x@example.org", in: "c2", lab, status: 64)
                try await Self.create("hotel-2", for: "owner1@example.org", in: "c1", lab, status: 64)
                for place in ["c1", "c2"] {
                    try await lab.at(place).expect(
                        77, "login", "owner1@example.org", "--password-stdin", input: "wrong\n")
                }
                let accounts = try await lab.fleet(["account", "list", "--json"] + Self.list)
                    .lines(Account.self)
                #expect(
                    accounts.map { "\($0.account) \($0.cell)" } == [
                        "demo-c1 c1", "demo-c2 c2", "hotel-0 c1", "hotel-1 c2",
                    ])
            }
        }

        @Test("a controller waits for the list, which needs its key")
        func waiting() async throws {
            try await Lab.withLab { lab in
                let words = ["serve", "--run-dir", "c1"] + Self.list + ["--cell", "c1", "--demo-account"]
                let refused = try await lab.run("controller", words)
                #expect(refused.status != 0 && refused.talk.contains("cells"), "\(refused.talk)")
                for isListed in [false, true] {
                    try await lab.whileRunning("controller", words + ["--wait-for-cells"], log: "\(isListed)")
                    {
                        log in
                        try await lab.eventually("it waits", within: .seconds(10)) {
                            log().contains("waiting for the list")
                        }
                        #expect(log().contains(try await Self.key(of: "c1", in: lab)))
                        guard isListed else { return }
                        try await lab.succeed("cell", "add", "c1", "--run-directory", "c1")
                        try await lab.eventually("it serves", within: .seconds(10)) {
                            try await lab.fleet(["cell", "list"] + Self.list).status == 0
                        }
                    }
                }
            }
        }

        @Test(
            "users sign up at any cell, and each ends in one; a cell is added, and one that is down is named")
        func signUp() async throws {
            try await Self.withCells(["c1", "c2"]) { lab in
                let c1 = lab.at("c1")
                try await Self.awaitKnowledge(in: lab)
                for number in 0..<4 {
                    let email = "guest\(number)@example.org"
                    try await lab.at(number % 2 == 0 ? "c1" : "c2").succeed(
                        "signup", email, "--password-stdin", input: Self.secret)
                    for other in ["c1", "c2"] { try await Self.logIn(email, at: other, in: lab) }
                }
                let cells = try await c1.fleet("cell", "list", "--json").lines(Cell.self)
                #expect(cells.compactMap(\.accounts).reduce(0, +) == 6, "two, and four guests")

                try await Self.create("old", for: "old@example.org", in: "c1", lab)
                try await Self.add("c3", listeningAt: nil, in: lab)
                try await Self.up("c3", listeningAt: nil, in: lab)
                try await Self.awaitKnowledge(in: lab)
                try await Self.create("new", for: "new@example.org", in: "c3", lab)
                for email in ["old@example.org", "new@example.org"] {
                    for place in ["c1", "c2", "c3"] { try await Self.logIn(email, at: place, in: lab) }
                }
                try await lab.at("c2").succeed("down")
                let list = try await c1.expect(69, "cell", "list", "--json")
                #expect(try list.lines(Cell.self).filter { $0.error != nil }.map(\.cell) == ["c2"])
                // Users of the others notice nothing.
                try await Self.logIn("new@example.org", at: "c1", in: lab)
                try await Self.logIn("old@example.org", at: "c3", in: lab)
            }
        }

        private struct Pods: Decodable {
            struct Pod: Decodable {
                let id: String
            }

            let result: [Pod]
        }

        @Test("one gateway serves the users and API keys of all cells")
        func gateway() async throws {
            try await Self.withCells(["c1", "c2"], gatewayAt: "c1") { lab in
                let c1 = lab.at("c1")
                try await Self.awaitKnowledge(in: lab)
                var keys: [String: String] = [:]
                for cell in ["c1", "c2"] {
                    let key = try await lab.at(cell).apiKey("script")
                    try #require(key.hasPrefix("sb_\(cell)_"))
                    let (status, body) = try await c1.curl("api/v2/users/me/pods?fields=id&apiKey=\(key)")
                    #expect(status == 200)
                    let pods = try JSONDecoder().decode(Pods.self, from: Data(body.utf8)).result
                    #expect(Set(pods.map(\.id)) == Set(try await lab.at(cell).devices().map(\.id)))
                    keys[cell] = key
                }
                // A key is known in its own cell only.
                let digits = try #require(keys["c2"]).dropFirst("sb_c2_".count)
                for name in ["sb_c1_", "sb_c9_", ""] {
                    let path = "api/v2/users/me/pods?fields=id&apiKey=\(name)\(digits)"
                    #expect(try await c1.curl(path).status == 403, "\(name)")
                }
                let login = { (cell: String) in
                    let password = try lab.at(cell).word("demo-password")
                    let form = #"{"email":"demo@\#(cell).sensibus.local","password":"\#(password)"}"#
                    return try await c1.curl("page/session", ["-d", form])
                }
                for cell in ["c1", "c2"] {
                    let (status, body) = try await login(cell)
                    #expect(status == 200 && body.contains(#""account":"demo-\#(cell)""#), "\(body)")
                }
                // A cell that is down concerns its own users only.
                try await lab.at("c2").succeed("down")
                #expect(try await login("c2").status == 503)
                #expect(try await login("c1").status == 200)
                #expect(try await c1.curl("readyz").status == 200)
            }
        }

        @Test("cells know each other over tcp, by the keys in their list")
        func network() async throws {
            try await Self.withCells(["c1", "c2", "c3"], onNetwork: true) { lab in
                let c2 = lab.at("c2")
                try await lab.eventually("all cells know each other", within: .seconds(10)) {
                    for name in ["c1", "c2", "c3"] {
                        let cells = try await lab.at(name).fleet("cell", "list", "--json").lines(Cell.self)
                        guard try #require(cells.first { $0.cell == name }).knowsOthers else { return false }
                    }
                    return true
                }
                let (email, input) = ("ann@example.org", Self.secret)
                try await lab.at("c1").succeed(
                    "account", "create", "hotel", "--email", email, "--cell", "c1", "--password-stdin",
                    input: input)
                // A cell's own key also leads its users to other cells.
                for place in ["c1", "c2"] {
                    try await lab.at(place).succeed("login", email, "--password-stdin", input: input)
                }
                #expect(try await c2.fleet("whoami", "--json").line(User.self).account == "hotel")
                // A machine without a key gets an error that names the key.
                try await lab.at("user").expect(
                    77, ["login", email, "--password-stdin"] + Self.list, input: input,
                    saying: ["no key of this machine"])
            }
        }
    }
}

import Foundation
import Testing

extension EndToEnd.CellTests {
    /// The cell of an account, as an operator in the run directory of c1 sees it.
    private static func cell(of name: String, in c1: Lab) async throws -> String? {
        try await c1.fleet("account", "list", "--json").lines(Account.self).first { $0.account == name }?.cell
    }

    @Test("an account moves under load with its session, key, posts, devices and outcomes")
    func moved() async throws {
        try await Self.withCells(["c1", "c2"], gatewayAt: "c1") { lab in
            let c1 = lab.at("c1")
            try await Self.awaitKnowledge(in: lab)
            let device = try #require(try await c1.devices().first?.id)
            let key = try await c1.apiKey("script")
            try await c1.succeed("post", "write", "before the move")
            let first = try await c1.toggle(device)
            try await c1.whileRunning(
                "observer", ["--json", "--cells", "cells.yaml"], log: "observer.log"
            ) { log in
                async let load = c1.fleet(
                    "load", "--rate", "50", "--duration", "6s", "--json", "-", "--cells", "cells.yaml")
                try await lab.eventually("devices are toggled", within: .seconds(20)) {
                    try await c1.devices().allSatisfy { $0.version > 3 }
                }
                try await lab.succeed("account", "move", "demo-c1", "--to", "c2", "--cells", "cells.yaml")
                _ = try await load
                #expect(try await Self.cell(of: "demo-c1", in: c1) == "c2")

                // The command follows the account, and so do later ones.
                try await c1.succeed("whoami", "--json")
                #expect(try c1.text("session.json").contains("sb_c2_"))
                try await lab.eventually("the devices are online in the other cell", within: .seconds(10)) {
                    try await c1.devices().contains { $0.presence == "online" }
                }
                let again = try await c1.fleet("outcome", first.requestID, "--json").line(ToggleLine.self)
                #expect(again.outcome == first.outcome)
                let posts = try await c1.fleet("post", "list")
                #expect(posts.output.contains("before the move"), "\(posts.talk)")
                let toggled = try await c1.toggle(device)
                #expect(toggled.outcome == "applied")
                try await lab.eventually(
                    "the observer shows a toggle in the other cell", within: .seconds(10)
                ) { log().contains(toggled.requestID) }
                try await lab.eventually("the gateway follows the key", within: .seconds(10)) {
                    let pods = try await c1.curl("api/v2/users/me/pods?fields=id&apiKey=\(key)")
                    return pods.status == 200 && pods.body.contains(device)
                }

                try await lab.succeed("account", "move", "demo-c1", "--to", "c1", "--cells", "cells.yaml")
                #expect(try await Self.cell(of: "demo-c1", in: c1) == "c1")
                try await lab.expect(77, "account", "move", "nobody", "--to", "c2", "--cells", "cells.yaml")
            }
        }
    }

    @Test("a node on the network follows its account with its key")
    func movedOnNetwork() async throws {
        try await Self.withCells(["c1", "c2"], onNetwork: true) { lab in
            let c1 = lab.at("c1")
            try await Self.awaitKnowledge(in: lab)
            try await c1.succeed(
                "account", "create", "inn", "--email", "inn@example.org", "--cell", "c1", "--password-stdin",
                input: Self.secret)
            try await Self.logIn("inn@example.org", at: "c1", in: lab)
            let role = ["node", "--devices", "3", "--name", "attic", "--account", "inn"]
            try await lab.at("attic").join(c1, as: role, ["--no-start"])
            try await lab.whileRunning(
                "device-sim", ["run", "--run-dir", "attic", "--cells", "cells.yaml"], log: "attic.log"
            ) { _ in
                for cell in ["c1", "c2", "c1"] {
                    if try await Self.cell(of: "inn", in: c1) != cell {
                        try await c1.succeed("account", "move", "inn", "--to", cell)
                    }
                    try await lab.eventually("its devices are online in \(cell)", within: .seconds(10)) {
                        try await c1.devices().count { $0.presence == "online" } == 3
                    }
                    try await c1.succeed("toggle", try #require(try await c1.devices().first).id)
                }
            }
        }
    }
}

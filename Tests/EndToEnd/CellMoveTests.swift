import Foundation
import Testing

extension EndToEnd.CellTests {
    /// The cell of an account, as an operator in the run directory of c1 sees it.
    private static func account(_ name: String, in lab: Lab) async throws -> String? {
        try await lab.fleet("account", "list", "--run-dir", "c1", "--json").lines(Account.self)
            .first { $0.account == name }?.cell
    }

    @Test(
        "an account moves under load with its session, key, posts, devices and outcomes",
        .timeLimit(.minutes(2)))
    func moved() async throws {
        try await Self.withCells(["c1", "c2"], gatewayAt: "c1") { lab in
            try await Self.awaitKnowledge(in: lab)
            let device = try #require(
                try await lab.fleet("devices", "--json", "--run-dir", "c1").lines(DeviceLine.self).first?.id)
            let made = try await lab.fleet("apikey", "create", "script", "--run-dir", "c1")
            let key = made.output.trimmingCharacters(in: .whitespacesAndNewlines)
            #expect(try await lab.fleet("post", "write", "before the move", "--run-dir", "c1").status == 0)
            let first = try await lab.fleet("toggle", device, "--json", "--run-dir", "c1").line(
                ToggleLine.self)
            let id = first.requestID

            try await lab.whileRunning(
                "observer", ["--json", "--run-dir", "c1", "--cells", "cells.yaml"], log: "observer.log"
            ) { log in
                async let load = lab.fleet(
                    "load", "--rate", "50", "--duration", "6s", "--json", "-", "--run-dir", "c1", "--cells",
                    "cells.yaml")
                try await lab.eventually("devices are toggled", within: .seconds(20)) {
                    try await lab.fleet("devices", "--json", "--run-dir", "c1").lines(DeviceLine.self)
                        .allSatisfy { $0.version > 3 }
                }
                let moved = try await lab.fleet(
                    "account", "move", "demo-c1", "--to", "c2", "--cells", "cells.yaml")
                #expect(moved.status == 0, "\(moved.talk)")
                _ = try await load
                #expect(try await Self.account("demo-c1", in: lab) == "c2")

                // The command follows the account, and so do later ones.
                let followed = try await lab.fleet("whoami", "--json", "--run-dir", "c1")
                #expect(followed.status == 0, "\(followed.talk)")
                #expect(
                    try String(contentsOfFile: "\(lab.directory)/c1/session.json", encoding: .utf8)
                        .contains("sb_c2_"))
                try await lab.eventually("the devices are online in the other cell", within: .seconds(10)) {
                    try await lab.fleet("devices", "--json", "--run-dir", "c1").output
                        .contains(#""presence":"online""#)
                }
                let again = try await lab.fleet("outcome", id, "--json", "--run-dir", "c1").line(
                    ToggleLine.self)
                #expect(again.outcome == first.outcome)
                let posts = try await lab.fleet("post", "list", "--run-dir", "c1")
                #expect(posts.output.contains("before the move"), "\(posts.talk)")
                let toggled = try await lab.fleet("toggle", device, "--json", "--run-dir", "c1").line(
                    ToggleLine.self)
                #expect(toggled.outcome == "applied")
                try await lab.eventually(
                    "the observer shows a toggle in the other cell", within: .seconds(10)
                ) {
                    log().contains(toggled.requestID)
                }
                let path = "api/v2/users/me/pods?fields=id&apiKey=\(key)"
                try await lab.eventually("the gateway follows the key", within: .seconds(10)) {
                    let (status, body) = try await Self.curl([], path, of: "c1", in: lab)
                    return status == 200 && body.contains(device)
                }

                let back = try await lab.fleet(
                    "account", "move", "demo-c1", "--to", "c1", "--cells", "cells.yaml")
                #expect(back.status == 0, "\(back.talk)")
                #expect(try await Self.account("demo-c1", in: lab) == "c1")
                let unknown = try await lab.fleet(
                    "account", "move", "nobody", "--to", "c2", "--cells", "cells.yaml")
                #expect(unknown.status == 77, "\(unknown.talk)")
            }
        }
    }

    @Test("a node on the network follows its account with its key", .timeLimit(.minutes(2)))
    func movedOnNetwork() async throws {
        try await Self.withCells(["c1", "c2"], onNetwork: true) { lab in
            try await Self.awaitKnowledge(in: lab)
            let words = [
                "account", "create", "inn", "--email", "inn@example.org", "--cell", "c1", "--run-dir", "c1",
            ]
            let inn = try await lab.fleet(words + ["--password-stdin"], input: Self.secret)
            #expect(inn.status == 0, "\(inn.talk)")
            let loggedIn = try await Self.login("inn@example.org", at: "c1", in: lab)
            #expect(loggedIn.status == 0, "\(loggedIn.talk)")
            let invitation = try await lab.fleet(
                "join-command", "node", "--devices", "3", "--name", "attic", "--account", "inn", "--run-dir",
                "c1")
            let command = invitation.output.split { $0 == " " || $0 == "\n" }.map(String.init)
            try #require(command.first == "fleet", "\(invitation.talk)")
            let joined = try await lab.fleet(command.dropFirst() + ["--run-dir", "attic", "--no-start"])
            #expect(joined.status == 0, "\(joined.talk)")
            try await lab.whileRunning(
                "device-sim", ["run", "--run-dir", "attic", "--cells", "cells.yaml"], log: "attic.log"
            ) { _ in
                for cell in ["c1", "c2", "c1"] {
                    if try await Self.account("inn", in: lab) != cell {
                        let moved = try await lab.fleet(
                            "account", "move", "inn", "--to", cell, "--run-dir", "c1")
                        #expect(moved.status == 0, "\(moved.talk)")
                    }
                    try await lab.eventually("its devices are online in \(cell)", within: .seconds(10)) {
                        try await lab.fleet("devices", "--json", "--run-dir", "c1").lines(DeviceLine.self)
                            .count { $0.presence == "online" } == 3
                    }
                    let device = try #require(
                        try await lab.fleet("devices", "--json", "--run-dir", "c1").lines(DeviceLine.self)
                            .first)
                    let toggled = try await lab.fleet("toggle", device.id, "--run-dir", "c1")
                    #expect(toggled.status == 0, "\(toggled.talk)")
                }
            }
        }
    }
}

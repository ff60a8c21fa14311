import Foundation
import Glibc
import Testing

extension EndToEnd {
    @Suite("Renamed and removed devices")
    struct DeviceChangeTests {
        private struct RenameLine: Decodable, Equatable {
            let id: String
            let name: String
            let before: String
        }

        private struct DeviceLine: Decodable {
            let id: String
            let name: String
        }

        private func restart(_ lab: Lab, devices: String) async throws {
            #expect(try await lab.fleet("down").status == 0)
            let up = try await lab.fleet("up", "--detach", "--devices", devices, "--no-gateway")
            try #require(up.status == 0, "\(up.talk)")
        }

        private func names(_ lab: Lab) async throws -> [String] { try await lab.devices().map(\.name) }

        @Test(
            "a device is renamed at once, and keeps its name and state when its node and the fleet restart",
            .timeLimit(.minutes(2)))
        func renamed() async throws {
            try await Lab.withFleet(devices: 10) { lab in
                #expect(try await lab.fleet("toggle", "Kitchen 1").status == 0)
                let before = try await lab.device("Kitchen 1")
                let renamed = try await lab.fleet("device", "rename", "kitchen 1", "Salon", "--json")
                #expect(renamed.status == 0, "\(renamed.talk)")
                #expect(
                    try renamed.line(RenameLine.self)
                        == RenameLine(id: before.id, name: "Salon", before: "Kitchen 1"))
                #expect(try await names(lab).contains("Kitchen 1") == false)
                let after = try await lab.device("Salon")
                #expect(after.id == before.id && after.version == before.version)
                #expect(try await lab.fleet("toggle", "salon").status == 0)
                #expect(try await lab.fleet("device", "rename", "Salon", "bedroom 1").status == 64)
                #expect(try await lab.fleet("device", "rename", "Salon", " ").status == 64)

                #expect(try await lab.fleet("restart", "node-1").status == 0)
                try await lab.eventually("all are online", within: .seconds(10)) {
                    try await lab.status().online == 10
                }
                #expect(try await lab.device("Salon").version == before.version + 1)
                try await restart(lab, devices: "10")
                #expect(try await lab.device("Salon").version == before.version + 1)
                #expect(try await names(lab).count == 10)
            }
        }

        @Test(
            "removed devices leave, and do not return when their node and the fleet restart",
            .timeLimit(.minutes(2)))
        func removed() async throws {
            try await Lab.withFleet(devices: 10) { lab in
                let node = try await lab.processID("node-1")
                #expect(try await lab.fleet("toggle", "Office 1").status == 0)
                let office = try await lab.device("Office 1")
                let kitchen = try await lab.device("Kitchen 1")
                #expect(try await lab.fleet("device", "remove", "Kitchen 1").status == 1)
                #expect(try await names(lab).count == 10, "it was not confirmed")

                let removed = try await lab.fleet(
                    "device", "remove", "Kitchen 1", "Hall 1", "--yes", "--json")
                #expect(removed.status == 0, "\(removed.talk)")
                #expect(try removed.lines(DeviceLine.self).map(\.name) == ["Kitchen 1", "Hall 1"])
                #expect(try await lab.status().devices == 8)
                #expect(try await lab.fleet("toggle", kitchen.id).status == 77)
                #expect(try await lab.processID("node-1") == node)
                #expect(try await lab.device("Office 1").version == office.version)

                kill(try await lab.processID("controller"), SIGKILL)
                try await lab.eventually("the controller is back", within: .seconds(10)) {
                    try await lab.status().online == 8
                }
                #expect(try await lab.fleet("restart", "node-1").status == 0)
                try await lab.eventually("all are online", within: .seconds(10)) {
                    try await lab.status().online == 8
                }
                try await restart(lab, devices: "10")
                #expect(
                    try await names(lab).sorted() == [
                        "Attic 1", "Bedroom 1", "Dining Room 1", "Guest Room 1", "Living Room 1", "Nursery 1",
                        "Office 1", "Studio 1",
                    ])
                #expect(try await lab.device("Office 1").version == office.version)

                for size in ["12", "5", "9"] {
                    let scaled = try await lab.fleet("scale", size)
                    #expect(scaled.status == 0, "\(scaled.talk)")
                    #expect(try await names(lab).count == Int(size))
                    #expect(try await names(lab).contains("Kitchen 1") == false)
                }
            }
        }

        @Test(
            "added devices have their names and site, and start again with the fleet, also after a removal",
            .timeLimit(.minutes(2)))
        func added() async throws {
            try await Lab.withFleet(devices: 5) { lab in
                #expect(try await lab.fleet("site", "add", "Annex").status == 0)
                let named = try await lab.fleet(
                    "device", "add", "--name", "Salon", "--site", "annex", "--json")
                #expect(named.status == 0, "\(named.talk)")
                let salon = try named.line(DeviceLine.self)
                #expect(salon.name == "Salon")
                #expect(try await lab.fleet("site", "show", "Annex").output.contains("Salon"))
                let two = try await lab.fleet("device", "add", "--count", "2", "--json")
                #expect(try two.lines(DeviceLine.self).map(\.name) == ["Dining Room 1", "Hall 1"])
                #expect(try await lab.fleet("device", "add", "--name", "salon").status == 64)
                #expect(try await lab.fleet("toggle", "Salon", "Hall 1").status == 0)
                #expect(try await lab.fleet("device", "remove", "Dining Room 1", "--yes").status == 0)
                let before = try await names(lab).sorted()
                #expect(before.count == 7)

                try await restart(lab, devices: "5")
                #expect(try await names(lab).sorted() == before)
                #expect(try await lab.device("Salon").id == salon.id)
                #expect(try await lab.device("Hall 1").version == 2)
                let third = try await lab.fleet("device", "add", "--json")
                #expect(third.status == 0, "\(third.talk)")
                #expect(try await lab.status().devices == 8)

                #expect(try await lab.fleet("scale", "4").status == 0)
                #expect(try await lab.fleet("device", "add").status == 1)
                try await restart(lab, devices: "4")
                #expect(try await names(lab).count == 4)
            }
        }

        @Test("a user without the right to operate the fleet cannot rename or remove devices")
        func forbidden() async throws {
            try await Lab.withFleet(devices: 5) { lab in
                let added = try await lab.fleet(
                    ["user", "add", "ann@example.com", "--role", "member", "--password-stdin"],
                    input: "secret of ann\n")
                try #require(added.status == 0, "\(added.talk)")
                let login = try await lab.fleet(
                    ["login", "ann@example.com", "--password-stdin"], input: "secret of ann\n")
                try #require(login.status == 0, "\(login.talk)")
                #expect(try await lab.fleet("device", "rename", "Bedroom 1", "Salon").status == 77)
                #expect(try await lab.fleet("device", "remove", "Bedroom 1", "--yes").status == 77)
                #expect(try await names(lab).count == 5)
                #expect(try await lab.device("Bedroom 1").name == "Bedroom 1")
            }
        }
    }
}

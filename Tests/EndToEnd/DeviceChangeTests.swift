import Foundation
import Glibc
import Testing

extension EndToEnd {
    @Suite("Renamed and removed devices", .timeLimit(.minutes(2)))
    struct DeviceChangeTests {
        private struct RenameLine: Decodable, Equatable {
            let id: String
            let name: String
            let before: String
        }

        private struct NamedLine: Decodable {
            let id: String
            let name: String
        }

        private func restart(_ lab: Lab, devices: Int) async throws {
            try await lab.succeed("down")
            try await lab.up(devices: devices)
        }

        private func names(_ lab: Lab) async throws -> [String] { try await lab.devices().map(\.name) }

        @Test("a device is renamed at once, and keeps its name and state when its node and the fleet restart")
        func renamed() async throws {
            try await Lab.withFleet(devices: 10) { lab in
                try await lab.succeed("toggle", "Kitchen 1")
                let before = try await lab.device("Kitchen 1")
                let renamed = try await lab.succeed("device", "rename", "kitchen 1", "Salon", "--json")
                #expect(
                    try renamed.line(RenameLine.self)
                        == RenameLine(id: before.id, name: "Salon", before: "Kitchen 1"))
                #expect(try await names(lab).contains("Kitchen 1") == false)
                let after = try await lab.device("Salon")
                #expect(after.id == before.id && after.version == before.version)
                try await lab.succeed("toggle", "salon")
                try await lab.expect(64, "device", "rename", "Salon", "bedroom 1")
                try await lab.expect(64, "device", "rename", "Salon", " ")

                try await lab.succeed("restart", "node-1")
                try await lab.awaitOnline(10)
                #expect(try await lab.device("Salon").version == before.version + 1)
                try await restart(lab, devices: 10)
                #expect(try await lab.device("Salon").version == before.version + 1)
                #expect(try await names(lab).count == 10)

                // A user without the right to operate the fleet changes no device.
                try await lab.addUser("ann@example.com", role: "member")
                try await lab.logIn("ann@example.com")
                try await lab.expect(77, "device", "rename", "Salon", "Kitchen 1")
                try await lab.expect(77, "device", "remove", "Salon", "--yes")
                #expect(try await lab.device("Salon").id == before.id)
            }
        }

        @Test("removed devices leave, and do not return when their node and the fleet restart")
        func removed() async throws {
            try await Lab.withFleet(devices: 10) { lab in
                let node = try await lab.processID("node-1")
                try await lab.succeed("toggle", "Office 1")
                let office = try await lab.device("Office 1")
                let kitchen = try await lab.device("Kitchen 1")
                try await lab.expect(1, "device", "remove", "Kitchen 1")
                #expect(try await names(lab).count == 10, "it was not confirmed")

                let removed = try await lab.succeed(
                    "device", "remove", "Kitchen 1", "Hall 1", "--yes", "--json")
                #expect(try removed.lines(NamedLine.self).map(\.name) == ["Kitchen 1", "Hall 1"])
                #expect(try await lab.status().devices == 8)
                try await lab.expect(77, "toggle", kitchen.id)
                #expect(try await lab.processID("node-1") == node)
                #expect(try await lab.device("Office 1").version == office.version)

                try await lab.kill("controller")
                try await lab.awaitOnline(8)
                try await lab.succeed("restart", "node-1")
                try await lab.awaitOnline(8)
                try await restart(lab, devices: 10)
                #expect(
                    try await names(lab).sorted() == [
                        "Attic 1", "Bedroom 1", "Dining Room 1", "Guest Room 1", "Living Room 1", "Nursery 1",
                        "Office 1", "Studio 1",
                    ])
                #expect(try await lab.device("Office 1").version == office.version)

                for size in ["12", "5", "9"] {
                    try await lab.succeed("scale", size)
                    #expect(try await names(lab).count == Int(size))
                    #expect(try await names(lab).contains("Kitchen 1") == false)
                }
            }
        }

        @Test("added devices have their names and site, and start again with the fleet, also after a removal")
        func added() async throws {
            try await Lab.withFleet(devices: 5) { lab in
                try await lab.succeed("site", "add", "Annex")
                let named = try await lab.succeed(
                    "device", "add", "--name", "Salon", "--site", "annex", "--json")
                let salon = try named.line(NamedLine.self)
                #expect(salon.name == "Salon")
                #expect(try await lab.fleet("site", "show", "Annex").output.contains("Salon"))
                let two = try await lab.fleet("device", "add", "--count", "2", "--json")
                #expect(try two.lines(NamedLine.self).map(\.name) == ["Dining Room 1", "Hall 1"])
                try await lab.expect(64, "device", "add", "--name", "salon")
                try await lab.succeed("toggle", "Salon", "Hall 1")
                try await lab.succeed("device", "remove", "Dining Room 1", "--yes")
                let before = try await names(lab).sorted()
                #expect(before.count == 7)

                try await restart(lab, devices: 5)
                #expect(try await names(lab).sorted() == before)
                #expect(try await lab.device("Salon").id == salon.id)
                #expect(try await lab.device("Hall 1").version == 2)
                try await lab.succeed("device", "add", "--json")
                #expect(try await lab.status().devices == 8)

                try await lab.succeed("scale", "4")
                try await lab.expect(1, "device", "add")
                try await restart(lab, devices: 4)
                #expect(try await names(lab).count == 4)
            }
        }
    }
}

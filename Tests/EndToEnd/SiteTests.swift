import Foundation
import Glibc
import Testing

extension EndToEnd {
    @Suite("Sites", .timeLimit(.minutes(3)))
    struct SiteTests {
        private struct SiteLine: Decodable, Equatable {
            let id: String
            let name: String
            let version: Int
            let devices: Int
            let latitude: Double?
            let description: String?
        }

        private struct PodList: Decodable {
            struct Location: Decodable {
                let id: String
                let name: String
                let latLon: [Double]
                let country: String?
            }

            struct Pod: Decodable {
                let id: String
                let location: Location
            }

            let result: [Pod]
        }

        private func sites(_ lab: Lab) async throws -> [SiteLine] {
            try await lab.fleet("sites", "--json").lines(SiteLine.self)
        }

        @Test("sites have their last acknowledged values after their controller was killed")
        func killed() async throws {
            try await Lab.withFleet { lab in
                let device = try await lab.device("Bedroom 1")
                for number in 1...9 {
                    let killing = Task {
                        guard number % 3 == 0 else { return }
                        try await lab.kill("controller")
                    }
                    try await lab.eventually("site \(number) exists", within: .seconds(20)) {
                        try await lab.fleet("site", "add", "Site \(number)", "--city", "Oslo").status == 0
                    }
                    try await killing.value
                }
                // Until its nodes are back the controller does not know whose device it is.
                try await lab.eventually("a device is assigned", within: .seconds(20)) {
                    try await lab.fleet("site", "assign", "site 3", device.id).status == 0
                }
                try await lab.kill("controller")
                try await lab.eventually("the controller is back and has the sites", within: .seconds(20)) {
                    let made = try await sites(lab).filter { $0.name.hasPrefix("Site ") }
                    return made.map(\.name) == (1...9).map { "Site \($0)" }
                        && made.map(\.devices) == [0, 0, 1, 0, 0, 0, 0, 0, 0]
                        && made.allSatisfy { $0.version == 1 }
                }
            }
        }

        @Test("sites are as the nodes report them, and a pod's location is the site of its device")
        func locations() async throws {
            try await Lab.withFleet(gateway: true) { lab in
                let reported = try await sites(lab)
                #expect(reported.map(\.name) == ["Home"])
                #expect(reported.map(\.version) == [0])
                try await lab.succeed(
                    "site", "set", "home", "--coordinates", "59.9139,10.7522", "--country", "no")
                try await lab.succeed("site", "add", "Attic")
                let device = try await lab.device("Bedroom 1")
                try await lab.succeed("site", "assign", "Attic", device.id)
                let path = "api/v2/users/me/pods?fields=id,location&apiKey=\(try await lab.apiKey("script"))"
                try await lab.eventually("pods have their locations", within: .seconds(20)) {
                    let body = Data(try await lab.curl(path).body.utf8)
                    guard let list = try? JSONDecoder().decode(PodList.self, from: body) else { return false }
                    let moved = list.result.filter { $0.id == device.id }
                    let others = list.result.filter { $0.id != device.id }
                    return moved.map(\.location.name) == ["Attic"]
                        && !others.isEmpty
                        && others.allSatisfy {
                            $0.location.id == reported.first?.id && $0.location.latLon == [59.9139, 10.7522]
                                && $0.location.country == "Norway"
                        }
                }
                let shown = try await lab.fleet("site", "Home", "--json").output
                #expect(shown.contains(#""latitude":59.9139"#), "\(shown)")
            }
        }
    }
}

import Foundation
import Glibc
import Testing

extension EndToEnd {
    @Suite("Sites")
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

        @Test(
            "sites have their last acknowledged values after their controller was killed",
            .timeLimit(.minutes(3)))
        func killed() async throws {
            try await Lab.withFleet { lab in
                let device = try await lab.device("Bedroom 1")
                for number in 1...9 {
                    let killing = Task {
                        guard number % 3 == 0 else { return }
                        kill(try await lab.processID("controller"), SIGKILL)
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
                kill(try await lab.processID("controller"), SIGKILL)
                try await lab.eventually("the controller is back and has the sites", within: .seconds(20)) {
                    let made = try await sites(lab).filter { $0.name.hasPrefix("Site ") }
                    return made.map(\.name) == (1...9).map { "Site \($0)" }
                        && made.map(\.devices) == [0, 0, 1, 0, 0, 0, 0, 0, 0]
                        && made.allSatisfy { $0.version == 1 }
                }
            }
        }

        @Test(
            "sites are as the nodes report them, and a pod's location is the site of its device",
            .timeLimit(.minutes(2)))
        func locations() async throws {
            try await Lab.withFleet(gateway: true) { lab in
                let reported = try await sites(lab)
                #expect(reported.map(\.name) == ["Home"])
                #expect(reported.map(\.version) == [0])
                let described = try await lab.fleet(
                    "site", "set", "home", "--coordinates", "59.9139,10.7522", "--country", "no")
                #expect(described.status == 0, "\(described.talk)")
                #expect(try await lab.fleet("site", "add", "Attic").status == 0)
                let device = try await lab.device("Bedroom 1")
                #expect(try await lab.fleet("site", "assign", "Attic", device.id).status == 0)
                let key = try await lab.fleet("apikey", "create", "script").output
                    .trimmingCharacters(in: .newlines)
                let url = try String(contentsOfFile: lab.file("gateway-url"), encoding: .utf8)
                    .trimmingCharacters(in: .newlines)
                try await lab.eventually("pods have their locations", within: .seconds(20)) {
                    let answer = try await lab.run(
                        "/usr/bin/curl",
                        ["-sS", "-m", "20", "\(url)api/v2/users/me/pods?fields=id,location&apiKey=\(key)"])
                    guard let list = try? JSONDecoder().decode(PodList.self, from: Data(answer.output.utf8))
                    else { return false }
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

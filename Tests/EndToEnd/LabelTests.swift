import Foundation
import Glibc
import Testing

extension EndToEnd {
    @Suite("Labels", .timeLimit(.minutes(2)))
    struct LabelTests {
        private struct LabelLine: Decodable, Equatable {
            let id: String
            let labels: [String]
        }

        @Test("Labels set with fleet are listed after a kill of the controller, and observers print an event")
        func labels() async throws {
            try await Lab.withFleet { lab in
                let device = try await lab.device("Bedroom 1").id
                try await TestObserver.with(lab) { observer in
                    try await lab.succeed("label", "set", device, "Night", "floor-2")
                    await observer.sees { $0.kind == "service" }
                }
                try await lab.succeed("label", "set", "Bedroom*", "upstairs")
                try await lab.succeed("label", "set", device, "night", "floor-2")
                try await lab.kill("controller")
                try await lab.eventually("the labels are listed again", within: .seconds(20)) {
                    try await lab.fleet("label", "list", "--label", "night", "--json").lines(LabelLine.self)
                        == [LabelLine(id: device, labels: ["floor-2", "night"])]
                }
                let table = try await lab.fleet("label", "list")
                #expect(table.output.contains("floor-2 night"))
                try await lab.expect(64, "label", "set", device, "two words")
            }
        }
    }
}

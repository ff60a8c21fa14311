import Foundation
import Glibc
import Testing

extension EndToEnd {
    @Suite("Labels")
    struct LabelTests {
        private struct LabelLine: Decodable, Equatable {
            let id: String
            let labels: [String]
        }

        @Test(
            "Labels set with fleet are listed after a kill of the controller, and observers print an event",
            .timeLimit(.minutes(2)))
        func labels() async throws {
            try await Lab.withFleet { lab in
                let device = try await lab.device("Bedroom 1").id
                try await TestObserver.with(lab) { observer in
                    await observer.sees { $0.kind == "resync" }
                    let set = try await lab.fleet("label", "set", device, "Night", "floor-2")
                    #expect(set.status == 0, "\(set.talk)")
                    await observer.sees { $0.kind == "service" }
                }
                let all = try await lab.fleet("label", "set", "Bedroom*", "upstairs")
                #expect(all.status == 0, "\(all.talk)")
                #expect(try await lab.fleet("label", "set", device, "night", "floor-2").status == 0)
                kill(try await lab.processID("controller"), SIGKILL)
                try await lab.eventually("the labels are listed again", within: .seconds(20)) {
                    try await lab.fleet("label", "list", "--label", "night", "--json").lines(LabelLine.self)
                        == [LabelLine(id: device, labels: ["floor-2", "night"])]
                }
                let table = try await lab.fleet("label", "list")
                #expect(table.output.contains("floor-2 night"))
                let wrong = try await lab.fleet("label", "set", device, "two words")
                #expect(wrong.status == 64)
            }
        }
    }
}

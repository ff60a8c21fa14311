import FleetProtocol
import Testing

@testable import fleet

@Suite("Labels and outcomes with device names", .timeLimit(.minutes(1)))
struct LabelCommandTests {
    private static let office = DeviceID(fleetSeed: 1, index: 2)

    private func run(_ line: [String]) async throws -> Transcript {
        let labels = ["night", "upstairs"].compactMap { Label($0) }
        return try await ScriptedController.run(line) { body in
            switch body {
            case .snapshot: .snapshot(.sample())
            case .service:
                .service(
                    ServiceMessage(
                        LabelReply.list([LabelledDevice(device: Self.office, labels: labels)], isLast: true),
                        to: LabelRequest.self))
            case .outcome: .outcome(.sample(.unchanged(.sample)))
            default: nil
            }
        }
    }

    @Test("a list of labels has the names of the devices")
    func list() async throws {
        let output = try await run(["label"])
        #expect(output.results == ["DEVICE    NAME    LABELS", "\(Self.office)  Office  night upstairs"])
    }

    @Test("a list of a label that no device has names the label")
    func none() async throws {
        let output = try await run(["label", "list", "--label", "nope"])
        #expect(output.results == ["no device has the label nope"])
    }

    @Test("an outcome has the name of the device")
    func outcome() async throws {
        let output = try await run(["outcome", RequestID.sample.description])
        #expect(output.results.first?.hasPrefix("Bedroom 1: unchanged") == true)
    }
}

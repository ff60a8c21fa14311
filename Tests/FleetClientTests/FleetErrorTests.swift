import Bus
import FleetClient
import FleetProtocol
import Testing

@Suite("FleetError")
struct FleetErrorTests {
    private static let refusals: [Refusal] = [
        .offline(lastSeen: nil), .busy(retryAfter: .seconds(1)), .storageFull(retryAfter: .seconds(1)),
        .unauthenticated, .notFound, .invalid("what"), .idMismatch, .idTooOld(behind: .seconds(1)),
        .notAllowed("why"), .offDuty(.others),
    ]

    @Test("an error names its cause, without commands or options of a program")
    func text() throws {
        let others: [FleetError] = [
            .noReply(waited: .seconds(5)), .noController(try Samples.endpoint()), .unexpectedReply,
            .tooManyRequests, .closed, .cancelled,
        ]
        for error in others + Self.refusals.map(FleetError.refused) {
            let text = error.description
            #expect(!text.isEmpty && !text.contains("`") && !text.contains("--"), "\(text)")
        }
        #expect(others[0].description == "no answer from the controller within 5.0 seconds")
    }
}

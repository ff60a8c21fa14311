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
    func words() throws {
        let others: [FleetError] = [
            .noAnswer(waited: .seconds(5)), .noController(try Samples.endpoint()), .unexpectedReply,
            .tooManyRequests, .closed, .cancelled,
        ]
        for error in others + Self.refusals.map(FleetError.refused) {
            let words = error.description
            #expect(!words.isEmpty && !words.contains("`") && !words.contains("--"), "\(words)")
        }
        #expect(others[0].description == "no answer from the controller within 5.0 seconds")
    }
}

import FleetProtocol
import GatewayCore
import Testing

@Suite("Refusals on the page")
struct RefusalPageTextTests {
    private static let refusals: [Refusal] = [
        .offline(lastSeen: nil), .busy(retryAfter: .seconds(1)),
        .storageFull(retryAfter: .seconds(1)), .unauthenticated, .notFound,
        .invalid("the title is empty"), .idMismatch, .idTooOld(behind: .seconds(90)),
        .notAllowed("viewers are read-only"), .offDuty(.noRoster), .offDuty(.noShift), .offDuty(.others),
    ]

    @Test("refusals on the page are sentences without commands of a terminal", arguments: refusals)
    func sentences(refusal: Refusal) {
        let text = refusal.pageText
        #expect(text.first?.isUppercase == true && text.hasSuffix("."), "\(text)")
        #expect(!text.contains("`") && !text.contains("fleet ") && !text.contains("--"), "\(text)")
    }

    @Test("refusals of off-duty users say who can switch devices")
    func offDuty() {
        let rule = "Only people on duty and owners can switch devices."
        #expect(Refusal.offDuty(.others).pageText == "You’re not on duty. \(rule)")
        #expect(Refusal.offDuty(.noShift).pageText == "No one is on duty now. \(rule)")
        #expect(Refusal.offDuty(.noRoster).pageText == "The account has no roster yet. \(rule)")
    }
}

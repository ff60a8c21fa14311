import FleetClient
import FleetProtocol
import Testing
import UserText

@testable import fleet

@Suite("Text output")
struct OutcomeTextTests {
    private func text(_ completion: OutcomeLine.Completion, _ wording: StateWording = .power) -> String {
        OutcomeLine(requestID: .sample, device: .sample("Bedroom 7"), completion: completion).text(wording)
    }

    @Test("an applied toggle prints the state, its version and the latency")
    func applied() {
        #expect(text(.report(.sample(.applied(.sample)))) == "Bedroom 7: on (version 4) in 0.21 ms")
        #expect(
            text(.report(.sample(.applied(.sample), totalUs: 12_345)), .everything)
                == "Bedroom 7: on, cool, 22 °C, fan auto (version 4) in 12.3 ms")
    }

    @Test("a change of settings prints the settings instead of the state, even if those are unknown")
    func settings() {
        let report = OutcomeReport.sample(.applied(.sample), of: .configure)
        #expect(
            text(.report(report), .everything) == "Bedroom 7: settings as requested (version 4) in 0.21 ms")
        #expect(text(.report(report), .setting("no timer")) == "Bedroom 7: no timer (version 4) in 0.21 ms")
        let conflict = OutcomeReport.sample(.conflict(.sample), of: .configure)
        #expect(text(.report(conflict)).hasPrefix("Bedroom 7: conflict: it is now on (version 4)"))
    }

    @Test(
        "a request that was not applied prints what to do next",
        arguments: [
            (OutcomeLine.Completion.report(.sample(.conflict(.sample))), "--expect-version 4"),
            (.report(.sample(.rejected("40 °C: cool allows 16 to 30 °C"))), "cool allows 16 to 30 °C"),
            (.report(.sample(.cancelled)), "send it again"), (.report(.sample(.expired)), "--timeout"),
            (.report(.sample(.undetermined(.deviceReset))), "`fleet devices`"),
            (.report(.sample(.unknown)), "`fleet outcome \(RequestID.sample)`"),
            (.refusal(.offline(lastSeen: nil)), "`fleet status`"),
            (.refusal(.busy(retryAfter: .milliseconds(250))), "250 ms"),
            (.refusal(.storageFull(retryAfter: .milliseconds(250))), "disk is full"),
            (.refusal(.unauthenticated), "`fleet login EMAIL`"), (.refusal(.notFound), "`fleet devices`"),
            (.refusal(.invalid("id")), "not accepted: id"), (.refusal(.idMismatch), "--request-id"),
            (.refusal(.idTooOld(behind: .seconds(2))), "2000 ms"),
            (.refusal(.notAllowed("viewer")), "not allowed: viewer"),
            (.ownCancel(.cancelled), "cancelled: nothing was changed"),
            (.ownCancel(.pending), "`fleet outcome \(RequestID.sample)`"),
            (.ownCancel(.tooLate(.sample(.applied(.sample)))), "too late to cancel: on (version 4)"),
            (OutcomeLine.Completion(FleetError.noReply(waited: .seconds(5))), "try again"),
        ])
    func advice(completion: OutcomeLine.Completion, expected: String) {
        #expect(text(completion).contains(expected))
        #expect(text(completion).hasPrefix("Bedroom 7: "))
    }

    @Test("a request cancelled in time needs no look-up")
    func cancelledInTime() {
        #expect(text(.ownCancel(.cancelled)) == "Bedroom 7: cancelled: nothing was changed")
    }

    @Test("a request that ended before its cancel is not reported as failed")
    func tooLate() {
        let line = OutcomeLine(
            requestID: .sample, device: .sample("Den"),
            completion: .ownCancel(.tooLate(.sample(.applied(.sample)))))
        #expect(line.status == .refused)
        #expect(!line.text().contains("fail"))
    }

    @Test(
        "names and reasons are printed without control characters",
        arguments: ["\u{1b}[2J", "\u{202e}", "\u{2066}", "\u{9b}31m", "\u{7}", "\n", "\u{2028}", "\u{200b}"])
    func safety(part: String) {
        let device = ListedDevice.sample("A\(part)B")
        let line = OutcomeLine(
            requestID: .sample, device: device, completion: .refusal(.invalid("no \(part)")))
        #expect(!line.text().unicodeScalars.contains { !SafeText.isSafe($0) })
        var writer = DeviceWriter(.table, CSVText())
        let table = writer.lines(of: [DeviceLine(device: device)]).joined()
        #expect(!table.unicodeScalars.contains { !SafeText.isSafe($0) })
        for scalar in part.unicodeScalars where !scalar.isASCII || scalar.value < 0x20 {
            #expect(!line.text().unicodeScalars.contains(scalar))
        }
    }

    @Test("a table's columns are aligned, with numbers to the right")
    func table() {
        var table = TextTable([("NAME", .left), ("COUNT", .right), ("NOTE", .left)])
        table.add(["a", "1", ""])
        table.add(["longer", "12345678", "x"])
        #expect(table.lines == ["NAME       COUNT  NOTE", "a              1", "longer  12345678  x"])
    }

    @Test("a table's columns are aligned by terminal width, not by characters")
    func wideTable() {
        var table = TextTable([("NAME", .left), ("ON", .left)])
        table.add(["寝室", "1"])
        table.add(["Bedroom", "2"])
        #expect(table.lines == ["NAME     ON", "寝室     1", "Bedroom  2"])
    }

    @Test("the last lines of a log begin with a whole line and contain no control characters")
    func logTail() {
        let text = (1...20).map { "line \($0)\u{1b}[31m" }.joined(separator: "\n")
        #expect(FileTail.last(of: text, isCut: true) == (13...20).map { "line \($0)\u{fffd}[31m" })
        #expect(FileTail.last(of: "cut off\nwhole\n", isCut: true) == ["whole"])
        #expect(FileTail.last(of: "only\n", isCut: false) == ["only"])
    }
}

import FleetProtocol
import GatewayCore
import Testing
import UserText

@Suite("The roster over HTTP")
struct RosterTests {
    private let now = WallTime(unixMilliseconds: 1_800_000_000_000)

    private func shift(_ who: String, _ from: Int64, _ to: Int64) throws -> Shift {
        try Shift(
            who: who, email: Email(who), from: now.advanced(by: .seconds(from)),
            to: now.advanced(by: .seconds(to)))
    }

    @Test("the roster's JSON has the heading, who is on duty, the next change, and the shifts")
    func answer() throws {
        let heading = try RosterHeading(name: "Hotel", message: "Mind the \"step\".\n")
        let roster = Roster(
            version: RosterVersion(3), heading: heading, timeZone: try #require(TimeZoneName("Europe/Oslo")),
            shifts: 7, isEnforced: true)
        let plan = ShiftPlan([try shift("kari@example.com", -60, 60)])
        #expect(
            RosterResponse.json(roster, plan, at: now).line
                == #"{"version":3,"name":"Hotel","message":"Mind the \"step\".\n","timeZone":"Europe/Oslo","#
                + #""shiftCount":7,"isEnforced":true,"atMs":1800000000000,"#
                + #""onDuty":[{"who":"kari@example.com","email":"kari@example.com","fromMs":1799999940000,"#
                + #""toMs":1800000060000}],"nextChangeMs":1800000060000,"#
                + #""shifts":[{"who":"kari@example.com","email":"kari@example.com","fromMs":1799999940000,"#
                + #""toMs":1800000060000}]}"#)
    }

    @Test("an empty roster has empty lists and null")
    func empty() {
        let json = RosterResponse.json(
            Roster(version: .zero, shifts: 0, isEnforced: false), ShiftPlan(), at: now
        ).line
        #expect(json.contains(#""onDuty":[],"nextChangeMs":null,"shifts":[]"#))
    }

    @Test("the roster has 31 days by default, or the number in the query")
    func window() throws {
        #expect(try RosterWindow(FormFields("")).end(from: now) == now.advanced(by: .seconds(31 * 86_400)))
        #expect(try RosterWindow(FormFields("days=366")).days == 366)
        for query in ["days=0", "days=-1", "days=3661", "days=1e3", "days=", "days=%C2%B2"] {
            #expect(throws: APIError.self, "\(query)") { try RosterWindow(FormFields(query)) }
        }
    }

    @Test(
        "the refusal of an off-duty user has Sensibo's status 403 and the reason", arguments: OffDuty.allCases
    )
    func offDuty(reason: OffDuty) throws {
        let error = try #require(APIError(.offDuty(reason), to: .nothing))
        #expect(error.status == 403)
        #expect(error.message.contains("(offDuty)"))
    }
}

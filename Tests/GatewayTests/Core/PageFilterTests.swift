import FleetProtocol
import FleetReplica
import Testing
import UserText

@testable import GatewayCore

@Suite("The search field of the page")
struct PageFilterTests {
    private let testReplica: TestReplica

    init() throws {
        var testReplica = try TestReplica(["Hall", "Attic (old)", "Kitchen"])
        testReplica.receive(.reported(TestReplica.device(2), TestReplica.state(on: true, version: 2)))
        self.testReplica = testReplica
    }

    private func line(_ text: String, among devices: [DeviceID]? = nil) -> String {
        PageFilter(text).json(of: testReplica.replica, among: devices).line
    }

    private func line(of numbers: [Int]) -> String {
        let ids = numbers.map { "\"\(TestReplica.device($0))\"" }.joined(separator: ",")
        return #"{"devices":[\#(ids)],"problem":null}"#
    }

    @Test(
        "a text is a condition",
        arguments: [
            ("on", [2]), ("off and not hall", [1]), ("", [0, 1, 2]), ("kitch", [2]), ("temperature > 0", []),
        ])
    func condition(text: String, shown: [Int]) {
        #expect(line(text) == line(of: shown))
    }

    @Test("a malformed condition is a part of a name, and has the column of its error")
    func malformed() {
        let problem = "column 8: unexpected “(”; allowed: and, or, or the end"
        let devices = #"{"devices":["\#(TestReplica.device(1))"],"#
        #expect(line("attic  (OLD)") == devices + #""problem":"\#(problem)"}"#)
    }

    @Test("only the devices of a question are decided, and unknown ones are not shown")
    func question() {
        let devices = [TestReplica.device(1), TestReplica.device(7), TestReplica.device(2)]
        #expect(line("off", among: devices) == line(of: [1]))
        #expect(line("off", among: []) == line(of: []))
    }
}

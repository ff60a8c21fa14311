import FleetProtocol

/// The requests that controller processes have received, and their replies. Invariants: each request gets one
/// reply from the process that received it, unless the process ends.
struct ExchangeHistory {
    private struct Exchange {
        var controller = 0
        /// How often the request was received, minus its replies.
        var balance = 0
        var device: DeviceID?
    }

    /// By correlation; clients number their requests from 1.
    private var exchanges: [Exchange] = []

    private mutating func index(of correlation: UInt64) -> Int {
        let index = Int(correlation)
        while exchanges.count <= index { exchanges.append(Exchange()) }
        return index
    }

    mutating func received(_ request: ClientRequest, by controller: Int) {
        let index = index(of: request.correlation)
        exchanges[index].controller = controller
        exchanges[index].balance += 1
        if case .command(let command) = request.body { exchanges[index].device = command.device }
    }

    /// Records that a reply leaves; returns the device of the command that it answers.
    mutating func replied(
        _ correlation: UInt64, by controller: Int, _ findings: inout Findings
    ) -> DeviceID? {
        let index = index(of: correlation)
        exchanges[index].balance -= 1
        if exchanges[index].balance < 0 { findings.violate("\(correlation) has a second reply") }
        return exchanges[index].device
    }

    /// Records the end of a controller process, whose other requests get no reply.
    mutating func ended(_ controller: Int) {
        for index in exchanges.indices where exchanges[index].controller == controller {
            exchanges[index].balance = 0
        }
    }

    mutating func close(_ findings: inout Findings) {
        for correlation in exchanges.indices where exchanges[correlation].balance > 0 {
            findings.violate("message \(correlation) has no reply")
        }
    }
}

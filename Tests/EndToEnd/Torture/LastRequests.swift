import FleetClient
import FleetProtocol
import TestSupport

/// The requests after the last fault: unknown outcomes are queried until they are resolved, new toggles must
/// succeed, and every request of the run is queried again.
final class LastRequests {
    private static let clock = ContinuousClock()
    private static let resolvedWithin = Duration.seconds(5)
    private static let toggledWithin = Duration.seconds(1)
    private static let rounds = 5

    private let clients: [TortureClient]
    private let history: History
    /// The state that the controller showed at the end.
    private var shown: [DeviceID: DeviceState] = [:]
    /// The time to the resolution of the last unknown outcome, and the number of these.
    private(set) var resolved: (after: Duration, count: Int) = (.zero, 0)
    private(set) var violations: [Violation] = []

    /// - Parameter clients: Clients of one controller, which have one history.
    init(of clients: [TortureClient]) {
        (self.clients, history) = (clients, clients[0].history)
    }

    /// Queries every request without a final answer.
    ///
    /// - Parameter ended: Requests with a final answer that the history does not have.
    func resolve(except ended: some Sequence<RequestID>) async {
        var open: [RequestID: DeviceID] = [:]
        for one in history.all { open[one.requestID] = one.device }
        for one in history.all where one.end != nil { open[one.requestID] = nil }
        for requestID in ended { open[requestID] = nil }
        resolved.count =
            open.count - Set(history.all.filter(\.isRefused).map(\.requestID)).count { open[$0] != nil }
        let took = await Pace.look(for: Self.resolvedWithin.slowed) {
            for (requestID, device) in open.sorted(by: { $0.key < $1.key }) {
                switch await clients[0].ask(about: requestID, of: device) {
                case .outcome(let outcome) where outcome.isFinal: open[requestID] = nil
                // It never reached the controller.
                case .refused(.notFound): open[requestID] = nil
                case .outcome, .cancel, .refused, .unsent, .nothing: break
                }
            }
            return open.isEmpty
        }
        resolved.after = took ?? Self.resolvedWithin.slowed
        if took == nil {
            fail(.resolved, "\(open.count) are not, \(open.keys.sorted().prefix(3)) among them")
        }
    }

    /// Toggles each device, then queries every request again.
    func finish(seed: UInt64) async throws {
        var generator = SeededGenerator.derived(seed: seed, purpose: 2)
        var times: [Duration] = []
        for _ in 0..<Self.rounds {
            for device in clients[0].devices {
                let start = Self.clock.now
                let command = clients[0].command(to: device, timeout: .seconds(10), using: &generator)
                let answer = await clients[0].perform(command, as: .toggle)
                times.append(Self.clock.now - start)
                guard case .outcome(.applied) = answer else {
                    fail(.recovery, "a new toggle ended after \(times[times.count - 1]): \(answer)")
                    continue
                }
            }
        }
        if let most = TortureReport.quantile(0.95, of: times), most > Self.toggledWithin.slowed {
            fail(.recovery, "one in twenty new toggles took \(most), or longer")
        }
        for row in try await clients[0].client.devices().rows { shown[row.device] = row.reported }
        var asked: [RequestID: DeviceID] = [:]
        for one in history.all { asked[one.requestID] = one.device }
        let all = asked.sorted { $0.key < $1.key }
        await withTaskGroup(of: Void.self) { group in
            for (index, client) in clients.enumerated() {
                group.addTask { [count = clients.count] in
                    for place in stride(from: index, to: all.count, by: count) {
                        await client.ask(about: all[place].key, of: all[place].value)
                    }
                }
            }
        }
    }

    /// Compares the state that the controller showed with the devices' memories.
    func judgeShown(_ states: [DeviceID: DeviceState]) {
        for (device, state) in states.sorted(by: { $0.key < $1.key }) {
            guard shown[device] != state else { continue }
            fail(.shown, "\(device): \(String(describing: shown[device])), and it is \(state)")
        }
    }

    private func fail(_ promise: Violation.Promise, _ text: String) {
        violations.append(Violation(promise: promise, text: text))
    }
}

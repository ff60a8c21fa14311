import FleetProtocol
import Testing

@testable import DeviceCore

@Suite("The judged requests in a node's hello")
struct JudgedRequestsTests {
    private static let start = Moment(monotonic: .zero, wall: WallTime(unixMilliseconds: 1_800_000_000_000))

    /// A node that stores what it must remember.
    private struct Hosted {
        private(set) var node: Node
        private(set) var memory: NodeMemory

        init(memory: NodeMemory = NodeMemory()) throws {
            let configuration = NodeConfiguration(
                name: try #require(NodeName("node-1")), account: try #require(AccountID("demo")), devices: 3,
                seed: 1, scenario: .quiet)
            self.memory = memory
            node = Node(
                configuration, bootID: BootID(bits: 1), memory: memory,
                incarnations: SeededGenerator(seed: 9), at: JudgedRequestsTests.start)
        }

        @discardableResult
        mutating func step(_ input: Node.Input) -> [Node.Effect] {
            var effects: [Node.Effect] = []
            node.step(input, at: JudgedRequestsTests.start, into: &effects)
            for case .remember(let entry) in effects { memory.apply(entry) }
            return effects
        }

        mutating func toggle(_ slot: Int, number: UInt64 = 1, _ request: RequestID) {
            let row = node.truth[slot]
            let identity = CommandIdentity(
                device: row.device, incarnation: row.reported.incarnation,
                commandNumber: CommandNumber(number), requestID: request)
            let command = DeviceCommand(
                identity: identity, change: ACStateChange(isOn: !row.reported.state.isOn),
                base: row.reported.version, timeToLive: .seconds(5))
            step(.controller(ControllerMessage(epoch: Epoch(1), body: .command(command))))
        }

        /// The requests of the hello, by the first halves of their IDs.
        var judged: [UInt64] {
            mutating get {
                for case .send(let message) in step(.connected) {
                    if case .hello(let hello) = message.body { return hello.judgedRequests.map(\.high) }
                }
                return []
            }
        }
    }

    @Test("they are the one that a device judged last, and the one with the newest ID")
    func latest() throws {
        var hosted = try Hosted()
        #expect(hosted.judged.isEmpty)
        hosted.toggle(0, RequestID(high: 9, low: 0))
        #expect(hosted.judged == [9])
        hosted.toggle(1, RequestID(high: 5, low: 0))
        #expect(hosted.judged == [5, 9])
        // The number is used, so the device does not judge it.
        hosted.toggle(1, RequestID(high: 7, low: 0))
        #expect(hosted.judged == [5, 9])
        hosted.toggle(2, RequestID(high: 10, low: 0))
        #expect(hosted.judged == [10])
    }

    @Test("after a restart it is the newest that a device remembers")
    func restarted() throws {
        var hosted = try Hosted()
        hosted.toggle(0, RequestID(high: 9, low: 0))
        hosted.toggle(1, RequestID(high: 5, low: 0))
        hosted.toggle(0, number: 2, RequestID(high: 7, low: 0))
        var restarted = try Hosted(memory: hosted.memory)
        #expect(restarted.judged == [7])
    }
}

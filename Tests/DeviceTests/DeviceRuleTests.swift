import FleetProtocol
import Testing

@testable import DeviceCore

/// The rules of a device: the table of the contract, line by line.
@Suite("Device rules")
struct DeviceRuleTests {
    private static let on = ACStateChange(isOn: true)
    private let incarnation = Incarnation(bits: 7)
    private var device: Device

    init() {
        device = Device(
            memory: DeviceMemory(newborn: .asBuilt, incarnation: Incarnation(bits: 7)),
            number: ChangeNumber(1))
    }

    /// The state after a press of a hand remote's button.
    private var flipped: ACState {
        var state = device.memory.state
        state.isOn.toggle()
        return state
    }

    private func identity(_ number: UInt64, request: UInt64 = 1, incarnation: UInt64 = 7) -> CommandIdentity {
        CommandIdentity(
            device: DeviceID(fleetSeed: 1, index: 0), incarnation: Incarnation(bits: incarnation),
            commandNumber: CommandNumber(number), requestID: RequestID(high: 0, low: request))
    }

    private mutating func judge(
        _ number: UInt64, request: UInt64 = 1, incarnation: UInt64 = 7, epoch: UInt64 = 1,
        change: ACStateChange = on, base: UInt64? = nil, age: Duration = .zero
    ) -> Verdict {
        let command = DeviceCommand(
            identity: identity(number, request: request, incarnation: incarnation), change: change,
            base: base.map(Version.init), timeToLive: .seconds(1))
        return device.judge(command, epoch: Epoch(epoch), age: age, capabilities: .splitUnit).judgement
            .verdict
    }

    @Test("a new command is applied once, and its repeats get the same verdict")
    mutating func appliedOnce() {
        #expect(judge(1) == .applied)
        #expect(device.memory.version == Version(2))
        #expect(judge(1) == .applied)
        #expect(judge(1, age: .seconds(9)) == .applied)
        #expect(device.memory.version == Version(2))
        #expect(device.memory.state.isOn)
    }

    @Test("a command for another incarnation is stale and changes nothing, not even the epoch")
    mutating func otherIncarnation() {
        #expect(judge(1, incarnation: 8, epoch: 9) == .staleIncarnation)
        #expect(device.memory.epoch == .zero)
        #expect(!device.memory.state.isOn)
    }

    @Test("a command with a lower epoch is refused, and a higher epoch is adopted")
    mutating func epochs() {
        #expect(judge(1, epoch: 5) == .applied)
        #expect(judge(2, request: 2, epoch: 4) == .staleEpoch)
        #expect(judge(2, request: 2, epoch: 6) == .unchanged)
        #expect(device.memory.epoch == Epoch(6))
    }

    @Test("a lower command number is stale, and an equal one of another request is taken")
    mutating func commandNumbers() {
        #expect(judge(5) == .applied)
        #expect(judge(4, request: 2) == .staleCommandNumber)
        #expect(judge(5, request: 2) == .commandNumberTaken)
        #expect(device.memory.lastCommandNumber == CommandNumber(5))
    }

    @Test("a command older than its time to live expires, also when repeated")
    mutating func expires() {
        #expect(judge(1, age: .seconds(1)) == .expired)
        #expect(judge(1) == .expired)
        #expect(device.memory.version == Version(1))
    }

    @Test("a command with another base version is a conflict with the current state")
    mutating func conflicts() {
        #expect(judge(1, base: 3) == .conflict)
        #expect(judge(2, request: 2, base: 1) == .applied)
        #expect(device.memory.version == Version(2))
    }

    @Test("an unsupported value is rejected with the value and the allowed ones")
    mutating func rejects() {
        let verdict = judge(1, change: ACStateChange(targetTemperature: 99))
        #expect(verdict == .rejected("target temperature 99 °C: mode cool allows 16 to 30 °C"))
        let fan = judge(2, request: 2, change: ACStateChange(mode: .fan, targetTemperature: 20))
        #expect(fan == .rejected("target temperature 20 °C: mode fan has none"))
        #expect(device.memory.version == Version(1))
    }

    @Test("an abort before its command makes the command aborted permanently")
    mutating func abortFirst() {
        #expect(device.abort(identity(1), epoch: Epoch(1)).judgement.verdict == .aborted)
        #expect(judge(1) == .aborted)
        #expect(!device.memory.state.isOn)
        #expect(judge(2, request: 2) == .applied)
    }

    @Test("an abort after its command gets the command's verdict")
    mutating func abortLate() {
        #expect(judge(1) == .applied)
        let answer = device.abort(identity(1), epoch: Epoch(1))
        #expect(answer.judgement.verdict == .applied)
        #expect(!answer.isFresh)
        #expect(device.memory.state.isOn)
    }

    @Test("a hand remote raises the version and uses no command number")
    mutating func handRemote() {
        let didChange = [
            device.change(to: flipped, by: .handRemote),
            device.change(to: device.memory.state, by: .handRemote),
        ]
        #expect(didChange == [true, false])
        #expect(device.memory.version == Version(2))
        #expect(device.memory.lastCommandNumber == .zero)
        #expect(judge(1, base: 1) == .conflict)
    }

    @Test("a repeat gets the state of its verdict, not the current one")
    mutating func repeatedState() {
        #expect(judge(1) == .applied)
        _ = device.change(to: flipped, by: .handRemote)
        let command = DeviceCommand(
            identity: identity(1), change: Self.on, base: nil, timeToLive: .seconds(1))
        let answer = device.judge(command, epoch: Epoch(1), age: .zero, capabilities: .splitUnit)
        #expect(answer.judgement.state.isOn)
        #expect(answer.judgement.version == Version(2))
        #expect(device.memory.version == Version(3))
    }
}

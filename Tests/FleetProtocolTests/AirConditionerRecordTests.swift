import FleetProtocol
import Testing

@Suite("Records of air conditioners")
struct AirConditionerRecordTests {
    private static let built = ACState(isOn: true, mode: .heat, targetTemperature: -5, fanLevel: .high)

    private func written(_ value: some Recordable) -> [UInt8] {
        var writer = RecordWriter()
        writer.put(value)
        return writer.bytes
    }

    private func read<Value: Recordable>(_ bytes: [UInt8]) throws -> Value {
        var reader = RecordReader(bytes[...])
        return try reader.read(Value.self)
    }

    @Test("a state with the initial values of newer properties is stored in the original four bytes")
    func short() throws {
        #expect(written(Self.built) == [1, 1, 0xfb, 3])
        #expect(try read([1, 1, 0xfb, 3]) == Self.built)
        #expect(
            try read([0, 0, 22, 4])
                == ACState(isOn: false, mode: .cool, targetTemperature: 22, fanLevel: .auto))
    }

    @Test("every fan level has its number in a stored state, which never changes")
    func fanLevels() throws {
        let numbers =
            [
                "quiet": 0, "low": 1, "medium": 2, "high": 3, "auto": 4, "medium_low": 5, "medium_high": 6,
                "strong": 7,
            ] as [String: UInt8]
        #expect(FanLevel.allCases.map(\.name).sorted() == numbers.keys.sorted())
        for level in FanLevel.allCases {
            var state = Self.built
            state.fanLevel = level
            #expect(written(state).last == numbers[level.name])
            #expect(try read(written(state)) == state)
            #expect(FanLevel(name: level.name) == level)
        }
    }

    private static let others: [ACState] = {
        var states = [Self.built, Self.built, Self.built, Self.built]
        states[0].swing = .both
        states[1].horizontalSwing = .both
        states[2].light = .off
        states[3].temperatureUnit = .fahrenheit
        return states
    }()

    @Test("any other state is stored in eight bytes and read back unchanged", arguments: others)
    func long(state: ACState) throws {
        #expect(written(state).count == 8)
        #expect(try read(written(state)) == state)
    }

    @Test("a state with an invalid byte is malformed", arguments: 0..<8)
    func malformed(place: Int) {
        var bytes = written(Self.others[3])
        guard place != 2 else { return }
        bytes[place] = 0xff
        #expect(throws: RecordError.self) { try read(bytes) as ACState }
    }

    @Test("a stored change has exactly its properties")
    func changes() throws {
        let all = ACStateChange(
            isOn: false, mode: .dry, targetTemperature: 72, temperatureUnit: .fahrenheit, fanLevel: .low,
            swing: .rangeFull, horizontalSwing: .fixedLeft, light: .off)
        #expect(try read(written(all)) == all)
        let some = ACStateChange(temperatureUnit: .celsius, swing: .stopped)
        #expect(try read(written(some)) == some)
        #expect(written(some).count == 3)
    }
}

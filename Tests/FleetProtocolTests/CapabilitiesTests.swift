import FleetProtocol
import Testing

@Suite("Capabilities of air conditioners")
struct CapabilitiesTests {
    private static let cooling = ACState(
        isOn: true, mode: .cool, targetTemperature: 22, fanLevel: .auto, swing: .rangeFull)

    private static let fahrenheit = "61, 63, 64, 66, 68, 70, 72, 73, 75, 77, 79, 81, 82, 84, 86"

    private static let ofSplitUnit: [(ACStateChange, String)] = [
        (ACStateChange(targetTemperature: 31), "target temperature 31 °C: mode cool allows 16 to 30 °C"),
        (ACStateChange(targetTemperature: 15), "target temperature 15 °C: mode cool allows 16 to 30 °C"),
        (
            ACStateChange(targetTemperature: 22, temperatureUnit: .fahrenheit),
            "target temperature 22 °F: mode cool allows \(fahrenheit) °F"
        ),
        (
            ACStateChange(targetTemperature: 65, temperatureUnit: .fahrenheit),
            "target temperature 65 °F: mode cool allows \(fahrenheit) °F"
        ),
        (ACStateChange(mode: .fan, targetTemperature: 20), "target temperature 20 °C: mode fan has none"),
        (
            ACStateChange(mode: .dry, fanLevel: .quiet),
            "fan level quiet: mode dry allows low, medium, high, auto"
        ),
        (
            ACStateChange(swing: .both),
            "swing both: mode cool allows stopped, fixedTop, fixedMiddle, fixedBottom, rangeFull"
        ),
        (
            ACStateChange(horizontalSwing: .rangeLeft),
            "horizontal swing rangeLeft: mode cool allows stopped, fixedLeft, fixedCenter, "
                + "fixedRight, rangeFull"
        ),
    ]

    private static let ofWindowUnit: [(ACStateChange, String)] = [
        (ACStateChange(mode: .heat), "mode heat: allowed are cool, fan, dry"),
        (ACStateChange(targetTemperature: 16), "target temperature 16 °C: mode cool allows 17 to 30 °C"),
        (ACStateChange(mode: .dry, targetTemperature: 20), "target temperature 20 °C: mode dry has none"),
        (ACStateChange(fanLevel: .quiet), "fan level quiet: mode cool allows low, medium, high, auto"),
        (ACStateChange(swing: .fixedTop), "swing fixedTop: mode cool has none"),
        (ACStateChange(horizontalSwing: .stopped), "horizontal swing stopped: mode cool has none"),
        (ACStateChange(light: .off), "light off: mode cool has none"),
    ]

    @Test("a split unit refuses an unsupported value with the allowed ones", arguments: ofSplitUnit)
    func splitUnit(change: ACStateChange, text: String) {
        #expect(Capabilities.splitUnit.objection(to: change, of: Self.cooling) == text)
    }

    @Test("a window unit refuses an unsupported value with the allowed ones", arguments: ofWindowUnit)
    func windowUnit(change: ACStateChange, text: String) {
        #expect(Capabilities.windowUnit.objection(to: change, of: Self.cooling) == text)
    }

    @Test(
        "a Pure and an Elements accept fan and light only",
        arguments: [
            (ACStateChange(mode: .cool), "mode cool: allowed are fan"),
            (ACStateChange(fanLevel: .medium), "fan level medium: mode fan allows low, high"),
            (ACStateChange(targetTemperature: 22), "target temperature 22 °C: mode fan has none"),
            (ACStateChange(swing: .both), "swing both: mode fan has none"),
        ] as [(ACStateChange, String)])
    func purifier(change: ACStateChange, text: String) {
        let blowing = ACState(isOn: true, mode: .fan, targetTemperature: 22, fanLevel: .low)
        for capabilities in [ProductModel.pure.capabilities(), ProductModel.elements.capabilities()] {
            #expect(capabilities.objection(to: change, of: blowing) == text)
            let allowed = ACStateChange(fanLevel: .high, light: .off)
            #expect(capabilities.objection(to: allowed, of: blowing) == nil)
        }
    }

    @Test("a property that an air conditioner lacks is refused only if a change names it")
    func absent() {
        #expect(Capabilities.windowUnit.objection(to: ACStateChange(isOn: false), of: Self.cooling) == nil)
    }

    @Test("a mode is refused if it lacks the current fan level")
    func retainedLevel() {
        var state = Self.cooling
        state.fanLevel = .quiet
        #expect(
            Capabilities.splitUnit.objection(to: ACStateChange(mode: .dry), of: state)
                == "fan level quiet: mode dry allows low, medium, high, auto")
    }

    @Test("a mode without the requested temperature unit is refused with its own unit")
    func otherUnit() {
        let mode = Capabilities.ModeCapabilities(temperatures: [.celsius: Array(16...30)], fanLevels: [.auto])
        let capabilities = Capabilities(modes: [.cool: mode])
        #expect(
            capabilities.objection(to: ACStateChange(temperatureUnit: .fahrenheit), of: Self.cooling)
                == "target temperature 72 °F: mode cool allows °C only")
    }

    @Test("changing the temperature unit only converts the target to the nearest degree, and back")
    func changedUnit() {
        for degrees: Int8 in 16...30 {
            var state = Self.cooling
            state.targetTemperature = degrees
            let change = ACStateChange(temperatureUnit: .fahrenheit)
            #expect(Capabilities.splitUnit.objection(to: change, of: state) == nil)
            let fahrenheit = state.applying(change)
            #expect(fahrenheit.temperatureUnit == .fahrenheit)
            #expect(fahrenheit.applying(ACStateChange(temperatureUnit: .celsius)) == state)
        }
        #expect(Self.cooling.applying(ACStateChange(temperatureUnit: .fahrenheit)).targetTemperature == 72)
    }

    @Test("each allowed degree Fahrenheit is sent as a different degree Celsius, without gaps")
    func fahrenheitIsSent() throws {
        for capabilities in [Capabilities.splitUnit, .basicSplitUnit, .windowUnit] {
            let degrees = try #require(capabilities[.cool]).temperatures
            let sent = degrees[.fahrenheit]?.map {
                TemperatureUnit.celsius.degrees(from: $0, in: .fahrenheit)
            }
            #expect(sent == degrees[.celsius])
        }
    }

    @Test("a Fahrenheit remote allows each of its degrees, and the nearest ones in Celsius")
    func fahrenheitIsNative() throws {
        let capabilities = Capabilities.fahrenheitUnit
        #expect(capabilities.nativeUnit == .fahrenheit)
        let degrees = try #require(capabilities[.cool]).temperatures
        #expect(degrees[.fahrenheit] == Array(61...86))
        #expect(degrees[.celsius] == Array(16...30))
        var state = Self.cooling
        state.temperatureUnit = .fahrenheit
        #expect(capabilities.objection(to: ACStateChange(targetTemperature: 65), of: state) == nil)
        #expect(Capabilities.splitUnit.objection(to: ACStateChange(targetTemperature: 65), of: state) != nil)
    }

    @Test(
        "each kind of air conditioner refuses modes that its remote has no codes for",
        arguments: [
            (.split, []), (.basic, [.auto, .dry]), (.window, [.heat, .auto]), (.fahrenheit, []),
        ] as [(AirConditionerKind, Set<ACMode>)])
    func kinds(kind: AirConditionerKind, missing: Set<ACMode>) {
        for model in [ProductModel.sky, .airPro] {
            let capabilities = model.capabilities(of: kind)
            #expect(Set(ACMode.allCases.filter { capabilities[$0] == nil }) == missing)
        }
        for mode in missing {
            let text = kind.capabilities.objection(to: ACStateChange(mode: mode), of: Self.cooling)
            #expect(text?.hasPrefix("mode \(mode.name): allowed are cool") == true)
        }
    }

    @Test("the display of a purifier can be dimmed, unlike that of an air conditioner")
    func dim() {
        let blowing = ACState(isOn: true, mode: .fan, targetTemperature: 22, fanLevel: .low)
        #expect(Capabilities.withoutRemote.objection(to: ACStateChange(light: .dim), of: blowing) == nil)
        #expect(
            Capabilities.splitUnit.objection(to: ACStateChange(light: .dim), of: Self.cooling)
                == "light dim: mode cool allows on, off")
    }

    @Test("a converted temperature out of range is limited to the nearest value")
    func extremes() {
        #expect(TemperatureUnit.fahrenheit.degrees(from: 127, in: .celsius) == 127)
        #expect(TemperatureUnit.fahrenheit.degrees(from: -128, in: .celsius) == -128)
        #expect(TemperatureUnit.celsius.degrees(from: -128, in: .fahrenheit) == -89)
    }
}

@Suite("Feels-like temperature")
struct FeelsLikeTests {
    private static func feelsLike(_ celsius: Double, _ percent: Double) throws -> Double {
        try #require(
            Measurements(
                deciCelsius: Int16((celsius * 10).rounded()),
                humidityPermille: UInt16((percent * 10).rounded()),
                rssiDBm: -60)
        ).feelsLikeCelsius
    }

    @Test(
        "the feels-like temperature is that of recorded readings of real pods",
        arguments: [
            (27.8, 56.3, 28.8), (19.4, 54.1, 19.4), (20.2, 32.2, 20.2), (20.3, 62, 20.3), (21.2, 32.9, 21.2),
        ])
    func recorded(celsius: Double, percent: Double, expected: Double) throws {
        #expect(try Self.feelsLike(celsius, percent) == expected)
    }

    @Test(
        "the heat index is that of the National Weather Service's table, where it is above the temperature",
        arguments: [
            // °F in the table: 86 and 70 % are 95, 90 and 90 % are 122, 100 and 40 % are 109.
            (30.0, 70.0, 35.0), (32.2, 90, 49.9), (37.8, 40, 42.9),
            // Its first column has 80 °F, so cooler air feels like itself, and so does dry air.
            (25.5, 51.1, 25.5), (26, 80, 26), (30, 10, 30),
        ])
    func table(celsius: Double, percent: Double, expected: Double) throws {
        #expect(abs(try Self.feelsLike(celsius, percent) - expected) <= 0.3)
    }

    @Test("the hottest and most humid air has a feels-like temperature within its bounds")
    func bounds() throws {
        #expect(try Self.feelsLike(90, 100) == 945.4)
        #expect(try Self.feelsLike(-60, 0) == -60)
        #expect(Measurements(deciCelsius: .max, humidityPermille: 500, rssiDBm: -60) == nil)
        for celsius in stride(from: -60, through: 90, by: 0.5) {
            for percent in stride(from: 0.0, through: 100, by: 5) {
                #expect(try Self.feelsLike(celsius, percent) >= celsius)
            }
        }
    }
}

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

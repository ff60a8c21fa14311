import FleetProtocol
import Testing

@Suite("Capabilities of air conditioners")
struct CapabilitiesTests {
    private static let cooling = ACState(
        isOn: true, mode: .cool, targetTemperature: 22, fanLevel: .auto, swing: .rangeFull)

    /// A change that is not allowed, and the reason.
    struct Objection: Sendable, CustomTestStringConvertible {
        let change: ACStateChange
        let text: String

        var testDescription: String { text }
    }

    private static let fahrenheit = "61, 63, 64, 66, 68, 70, 72, 73, 75, 77, 79, 81, 82, 84, 86"

    private static let ofSplitUnit = [
        Objection(
            change: ACStateChange(targetTemperature: 31),
            text: "target temperature 31 °C: mode cool allows 16 to 30 °C"),
        Objection(
            change: ACStateChange(targetTemperature: 15),
            text: "target temperature 15 °C: mode cool allows 16 to 30 °C"),
        Objection(
            change: ACStateChange(targetTemperature: 22, temperatureUnit: .fahrenheit),
            text: "target temperature 22 °F: mode cool allows \(fahrenheit) °F"),
        Objection(
            change: ACStateChange(targetTemperature: 65, temperatureUnit: .fahrenheit),
            text: "target temperature 65 °F: mode cool allows \(fahrenheit) °F"),
        Objection(
            change: ACStateChange(mode: .fan, targetTemperature: 20),
            text: "target temperature 20 °C: mode fan has none"),
        Objection(
            change: ACStateChange(mode: .dry, fanLevel: .quiet),
            text: "fan level quiet: mode dry allows low, medium, high, auto"),
        Objection(
            change: ACStateChange(swing: .both),
            text: "swing both: mode cool allows stopped, fixedTop, fixedMiddle, fixedBottom, rangeFull"),
        Objection(
            change: ACStateChange(horizontalSwing: .rangeLeft),
            text: "horizontal swing rangeLeft: mode cool allows stopped, fixedLeft, fixedCenter, "
                + "fixedRight, rangeFull"),
    ]

    private static let ofWindowUnit = [
        Objection(change: ACStateChange(mode: .heat), text: "mode heat: allowed are cool, fan, dry"),
        Objection(
            change: ACStateChange(targetTemperature: 16),
            text: "target temperature 16 °C: mode cool allows 17 to 30 °C"),
        Objection(
            change: ACStateChange(mode: .dry, targetTemperature: 20),
            text: "target temperature 20 °C: mode dry has none"),
        Objection(
            change: ACStateChange(fanLevel: .quiet),
            text: "fan level quiet: mode cool allows low, medium, high, auto"),
        Objection(change: ACStateChange(swing: .fixedTop), text: "swing fixedTop: mode cool has none"),
        Objection(
            change: ACStateChange(horizontalSwing: .stopped),
            text: "horizontal swing stopped: mode cool has none"),
        Objection(change: ACStateChange(light: .off), text: "light off: mode cool has none"),
    ]

    @Test(
        "a split unit refuses an unsupported value with the allowed ones", arguments: ofSplitUnit)
    func splitUnit(objection: Objection) {
        #expect(Capabilities.splitUnit.objection(to: objection.change, of: Self.cooling) == objection.text)
    }

    @Test(
        "a window unit refuses an unsupported value with the allowed ones", arguments: ofWindowUnit)
    func windowUnit(objection: Objection) {
        #expect(Capabilities.windowUnit.objection(to: objection.change, of: Self.cooling) == objection.text)
    }

    @Test(
        "a Pure and an Elements accept fan and light only",
        arguments: [
            Objection(change: ACStateChange(mode: .cool), text: "mode cool: allowed are fan"),
            Objection(
                change: ACStateChange(fanLevel: .medium), text: "fan level medium: mode fan allows low, high"
            ),
            Objection(
                change: ACStateChange(targetTemperature: 22),
                text: "target temperature 22 °C: mode fan has none"),
            Objection(change: ACStateChange(swing: .both), text: "swing both: mode fan has none"),
        ])
    func purifier(objection: Objection) {
        let blowing = ACState(isOn: true, mode: .fan, targetTemperature: 22, fanLevel: .low)
        for capabilities in [ProductModel.pure.capabilities(), ProductModel.elements.capabilities()] {
            #expect(capabilities.objection(to: objection.change, of: blowing) == objection.text)
            let change = ACStateChange(fanLevel: .high, light: .off)
            #expect(capabilities.objection(to: change, of: blowing) == nil)
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

    @Test(
        "a Fahrenheit remote allows each of its degrees, and the nearest ones in Celsius")
    func fahrenheitIsNative() throws {
        let capabilities = Capabilities.fahrenheitUnit
        #expect(capabilities.nativeUnit == .fahrenheit)
        let degrees = try #require(capabilities[.cool]).temperatures
        #expect(degrees[.fahrenheit] == Array(61...86))
        #expect(degrees[.celsius] == Array(16...30))
        var state = Self.cooling
        state.temperatureUnit = .fahrenheit
        #expect(capabilities.objection(to: ACStateChange(targetTemperature: 65), of: state) == nil)
        #expect(
            Capabilities.splitUnit.objection(to: ACStateChange(targetTemperature: 65), of: state) != nil)
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

import FleetProtocol
import FleetReplica
import ReplicaTestSupport
import Testing

@testable import observer

@Suite("Conditions typed on the screen")
struct TypedConditionTests {
    private static func reader() throws -> ScreenReader {
        let rows = (1...6).map { number in
            Fixture.row(
                number, name: number == 6 ? "Power on" : "Bedroom \(number)",
                state: Fixture.state(on: number % 2 == 0), isConnected: number < 5)
        }
        let reader = try ScreenReader(.whole(rows))
        reader.width = 80
        return reader
    }

    private static func type(_ text: String, _ reader: ScreenReader) {
        reader.press(.escape, .character("/"))
        reader.type(text)
    }

    private static func names(_ reader: ScreenReader) -> [String] {
        let rows = reader.lines().dropFirst(2).prefix { !$0.hasPrefix("──") && !$0.isEmpty }
        return rows.map { $0.prefix(9).split(separator: " ").joined(separator: " ") }
    }

    @Test(
        "a condition of several words filters, and a single word is a part of a name",
        arguments: [
            ("not bedroom*", ["Power on"]), ("power off and online", ["Bedroom 1", "Bedroom 3"]),
            ("offline or version > 3", []), ("bedroom* and offline", ["Bedroom 5"]), ("on", ["Power on"]),
            ("bedroom 2", ["Bedroom 2"]), ("bedroom", (1...5).map { "Bedroom \($0)" }),
        ])
    func filtered(text: String, names: [String]) throws {
        let reader = try Self.reader()
        Self.type(text, reader)
        guard text.contains("version") else {
            #expect(Self.names(reader) == names)
            reader.press(.enter)
            #expect(Self.names(reader) == names)
            #expect(reader.lines()[0].contains("/\(text)"))
            return
        }
        #expect(reader.lines()[2] == "no device matches “\(text)”")
        #expect(reader.lines()[3].hasPrefix("not a condition: column 20: "))
        #expect(reader.lines().contains("esc clears the filter"))
    }

    @Test("the rows follow the condition, and esc shows all devices again")
    func live() throws {
        let reader = try Self.reader()
        Self.type("power on and online", reader)
        reader.press(.enter)
        #expect(Self.names(reader) == ["Bedroom 2", "Bedroom 4"])
        reader.driver.receive(
            Fixture.update(7, 11, .reported(Fixture.device(3), Fixture.state(on: true, version: 2))))
        reader.driver.now = reader.driver.now.advanced(by: .seconds(1))
        #expect(Self.names(reader) == ["Bedroom 2", "Bedroom 3", "Bedroom 4"])
        reader.press(.escape)
        #expect(Self.names(reader).count == 6)
    }

    @Test("a condition is complete again after each character that is erased and typed again")
    func edited() throws {
        let reader = try Self.reader()
        Self.type("power off and online", reader)
        for _ in 0..<6 { reader.press(.backspace) }
        #expect(Self.names(reader) != ["Bedroom 1", "Bedroom 3"])
        for _ in 0..<4 { reader.press(.backspace) }
        reader.press(.backspace, .backspace)
        reader.type("f and offline")
        #expect(Self.names(reader) == ["Bedroom 5"])
    }

    @Test("the end of a long typed filter stays visible", arguments: [40, 80])
    func long(width: Int) throws {
        let reader = try Self.reader()
        reader.width = width
        Self.type("bedroom* and not site:Home and power on and presence online and humidity > 40", reader)
        #expect(reader.lines()[0].hasSuffix("humidity > 40▏"))
    }
}

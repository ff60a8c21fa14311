import FleetProtocol
import FleetReplica
import ReplicaTestSupport
import Testing
import UserText

@testable import observer

@Suite("Events as JSON")
struct EventJSONTests {
    @Test("a snapshot has a line for each device that passes the filter, with its state")
    func snapshot() throws {
        let rows = [Fixture.row(1), Fixture.row(2, state: Fixture.state(on: true, version: 3))]
        let replica = try ReplicaDriver.whole(rows).replica
        func lines(_ filter: EventFilter) -> [String] {
            var output: [UInt8] = []
            EventJSON.appendSnapshot(of: replica, at: Fixture.start.wall, filter: filter, to: &output)
            return String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
        }
        #expect(lines(.all).count == 2)
        let on = lines(EventFilter(try Condition.parse("on")))
        let start =
            #"{\#(Self.at),"kind":"snapshot","device":"\#(Fixture.device(2))","name":"Bedroom 2","node":"node-1","#
        #expect(on.count == 1 && on[0].hasPrefix(start + #""on":true,"mode":"cool","#))
        #expect(on[0].contains(#""presence":"online","reason":null,"version":3,"#))
    }

    private static let id = Fixture.device(1).description
    private static let at = #""at":"2026-01-31T12:00:01.234Z""#
    private static let named = #""device":"\#(id)","name":"Bedroom 1","node":"node-1""#
    private static let nameless = #""device":null,"name":null,"node":null"#
    private static let on =
        #""on":true,"mode":"cool","targetTemperature":22,"fanLevel":"auto","swing":"stopped","#
        + #""horizontalSwing":"stopped","light":"on","temperatureUnit":"C""#

    /// The lines for updates of a whole replica.
    private func lines(_ bodies: [StreamUpdate.Body], filter: EventFilter = .all) throws -> [String] {
        var driver = try ReplicaDriver.whole()
        for body in bodies { driver.receive(body) }
        return text(driver.observerEvents, driver.replica, filter: filter)
    }

    private func text(_ events: [ObserverEvent], _ replica: Replica, filter: EventFilter = .all) -> [String] {
        var output: [UInt8] = []
        for event in events { EventJSON.append(event, of: replica, filter: filter, to: &output) }
        return String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    @Test("a new state's JSON has the keys of a device")
    func reported() throws {
        let state = Fixture.state(on: true, version: 2)
        #expect(
            try lines([.reported(Fixture.device(1), state, by: .handRemote)]) == [
                #"{\#(Self.at),"kind":"reported",\#(Self.named),\#(Self.on),"version":2,"#
                    + #""incarnation":"000000000000abcd","cause":"handRemote"}"#
            ])
    }

    @Test("a device's presence has its reason")
    func presence() throws {
        #expect(
            try lines([
                .connection(Fixture.device(1), isConnected: false),
                .connection(Fixture.device(1), isConnected: true),
            ]) == [
                #"{\#(Self.at),"kind":"presence",\#(Self.named),"presence":"offline","reason":"disconnected"}"#,
                #"{\#(Self.at),"kind":"presence",\#(Self.named),"presence":"online","reason":null}"#,
            ])
    }

    @Test("a node's presence is a line for each of its devices, in slot order, and one for the node")
    func node() throws {
        let lost = try Fixture.node(1, "node-1", .offline(.nodeLost))
        let offline = #""presence":"offline","reason":"nodeLost""#
        let second = #""device":"\#(Fixture.device(2))","name":"Bedroom 2","node":"node-1""#
        #expect(
            try lines([.node(lost, devices: 2)]) == [
                #"{\#(Self.at),"kind":"presence",\#(Self.named),\#(offline)}"#,
                #"{\#(Self.at),"kind":"presence",\#(second),\#(offline)}"#,
                #"{\#(Self.at),"kind":"presence","device":null,"name":null,"node":"node-1",\#(offline),"devices":2}"#,
            ])
    }

    @Test("when a node is seen again, a device without a connection stays offline")
    func nodeIsBack() throws {
        let stale = try Fixture.node(1, "node-1", .stale)
        let second = #""device":"\#(Fixture.device(2))","name":"Bedroom 2","node":"node-1""#
        #expect(
            try lines([.connection(Fixture.device(2), isConnected: false), .node(stale, devices: 2)]).suffix(
                3) == [
                    #"{\#(Self.at),"kind":"presence",\#(Self.named),"presence":"stale","reason":null}"#,
                    #"{\#(Self.at),"kind":"presence",\#(second),"presence":"offline","reason":"disconnected"}"#,
                    #"{\#(Self.at),"kind":"presence","device":null,"name":null,"node":"node-1","presence":"stale","#
                        + #""reason":null,"devices":2}"#,
                ])
    }

    private static let outcomes: [(Outcome, String)] = [
        (
            .applied(Fixture.state(on: true, version: 2)),
            #""applied","state":{\#(on)},"version":2,"incarnation":"000000000000abcd""#
        ),
        (
            .unchanged(Fixture.state(on: true, version: 2)),
            #""unchanged","state":{\#(on)},"version":2,"incarnation":"000000000000abcd""#
        ),
        (
            .conflict(Fixture.state(on: true, version: 2)),
            #""conflict","state":{\#(on)},"version":2,"incarnation":"000000000000abcd""#
        ),
        (.rejected("no"), #""rejected","state":null,"version":null,"incarnation":null"#),
        (.cancelled, #""cancelled","state":null,"version":null,"incarnation":null"#),
        (.expired, #""expired","state":null,"version":null,"incarnation":null"#),
        (.undetermined(.deviceGone), #""undetermined","state":null,"version":null,"incarnation":null"#),
        (.unknown, #""unknown","state":null,"version":null,"incarnation":null"#),
    ]

    @Test("an outcome's JSON has the keys of a toggle", arguments: outcomes)
    func outcome(outcome: Outcome, keys: String) throws {
        let report = try Fixture.report(outcome, device: Fixture.device(1))
        let reason =
            switch outcome {
            case .rejected: #","reason":"no""#
            case .undetermined: #","reason":"deviceGone""#
            default: ""
            }
        #expect(
            try lines([.outcome(report)]) == [
                #"{\#(Self.at),"kind":"outcome",\#(Self.named),"#
                    + #""requestID":"0190a6e8-7c5b-7d2e-9a41-3f5b8c2d1e07","outcome":\#(keys),"attempts":1,"#
                    + #""latencyUs":210,"user":"demo@sensibus.local","actor":"demo@sensibus.local","command":null\#(reason)}"#
            ])
    }

    @Test("staleness, repair and notices have JSON lines")
    func others() throws {
        var driver = try ReplicaDriver.whole()
        driver.receive(Fixture.update(7, 11, .beat))
        driver.passUntilPull()
        try driver.answer(Fixture.chunk(7, 11, rows: [Fixture.row(1)]))
        let kinds = text(driver.observerEvents, driver.replica).map { line in
            line.replacing(/"at":"[^"]*"/, with: "").replacing(/"staleMs":[0-9]+/, with: #""staleMs":0"#)
        }
        let second = #""device":"\#(Fixture.device(2))","name":"Bedroom 2","node":"node-1""#
        #expect(
            kinds == [
                #"{,"kind":"stale",\#(Self.nameless),"reason":"gap"}"#,
                #"{,"kind":"notice",\#(second),"notice":"removed","message":"Bedroom 2: removed"}"#,
                #"{,"kind":"resync",\#(Self.nameless),"devices":1,"epoch":7,"sequence":11,"staleMs":0}"#,
            ])
    }

    @Test("a filter selects events of its devices, and events without a device")
    func filtered() throws {
        let lost = try Fixture.node(1, "node-1", .offline(.nodeLost))
        let shown = try lines(
            [
                .reported(Fixture.device(1), Fixture.state(version: 2)),
                .reported(Fixture.device(2), Fixture.state(version: 2)), .node(lost, devices: 2),
            ], filter: EventFilter(.text(DeviceFilter("ROOM 2"))))
        #expect(shown.count == 3)
        #expect(shown.allSatisfy { !$0.contains("Bedroom 1") })
    }

    @Test(
        "a hostile name is escaped, so that a terminal neither executes nor hides it",
        arguments: [
            ("a\"b\\c", #"a\"b\\c"#), ("tab\tline\n", #"tab\tline\n"#), ("\u{1b}[2J", #"\u001b[2J"#),
            ("\u{202e}evil", #"\u202eevil"#), ("\u{200b}", #"\u200b"#), ("\u{e0041}", #"\udb40\udc41"#),
            ("Küche 日本 🛏", "Küche 日本 🛏"), ("\u{7f}\u{9b}", #"\u007f\u009b"#),
        ])
    func escaped(name: String, expected: String) throws {
        var driver = try ReplicaDriver.whole([Fixture.row(1, name: name)])
        driver.receive(.connection(Fixture.device(1), isConnected: false))
        let line = try #require(text(driver.observerEvents, driver.replica).first)
        #expect(line.contains(#""name":"\#(expected)","#))
    }

    @Test("measurements are a line for each device that the filter selects")
    func measured() throws {
        let warm = try #require(
            Measurements(deciCelsius: 234, feelsLikeDeciCelsius: 241, humidityPermille: 455, rssiDBm: -61))
        let both = [1, 2].map { MeasuredDevice(device: Fixture.device($0), measurements: warm) }
        #expect(
            try lines([.measured(both)], filter: EventFilter(.text(DeviceFilter("Bedroom 1")))) == [
                #"{\#(Self.at),"kind":"measured",\#(Self.named),"temperature":23.4,"humidity":45.5,"#
                    + #""feelsLike":24.1,"rssi":-61}"#
            ])
        #expect(try lines([.measured(both)]).count == 2)
    }
}

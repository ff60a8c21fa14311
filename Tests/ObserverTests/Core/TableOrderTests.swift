import FleetProtocol
import FleetReplica
import ReplicaTestSupport
import Testing
import UserText

@testable import observer

@Suite("The order of the table")
struct TableOrderTests {
    /// The order after sorting completely.
    private static func sorted(_ replica: Replica, _ rule: TableOrder.Rule) -> [Int] {
        var order = TableOrder()
        _ = order.refresh(replica, rule: rule, at: .zero)
        return order.places
    }

    @Test(
        "an incrementally sorted table equals a completely sorted one through a random history",
        arguments: TableSort.allCases, [false, true])
    func mended(sort: TableSort, isReversed: Bool) throws {
        var random = SeededGenerator(seed: UInt64(sort.rawValue) + 1)
        var driver = try ReplicaDriver.whole((0..<60).map { Fixture.row($0) })
        var sequence: UInt64 = 10
        var nextDevice = 60
        for isFaultsOnly in [false, true] {
            let rule = TableOrder.Rule(
                sort: sort, isReversed: isReversed, isFaultsOnly: isFaultsOnly)
            var order = TableOrder()
            for turn in 0..<150 {
                for _ in 0..<Int.random(in: 0..<8, using: &random) {
                    sequence += 1
                    let number = Int.random(in: 0..<nextDevice, using: &random)
                    let device = Fixture.device(number)
                    let body: StreamUpdate.Body =
                        switch Int.random(in: 0..<8, using: &random) {
                        case 0:
                            .connection(device, isConnected: Bool.random(using: &random))
                        case 1: .removed(device)
                        case 2:
                            .measured([
                                try Fixture.measured(
                                    number, deciCelsius: .random(in: 0..<300, using: &random))
                            ])
                        case 3: .added(Fixture.row(nextDevice))
                        default:
                            .reported(
                                device,
                                Fixture.state(on: Bool.random(using: &random), version: sequence))
                        }
                    if case .added = body { nextDevice += 1 }
                    let at = driver.now.advanced(by: .milliseconds(Int(sequence))).wall
                    driver.receive(
                        StreamUpdate(
                            epoch: Epoch(7), sequence: StreamSequence(sequence), at: at, body: body))
                }
                _ = order.refresh(
                    driver.replica, rule: rule, at: MonotonicTime.zero.advanced(by: .seconds(turn + 1)))
                #expect(order.places == Self.sorted(driver.replica, rule), "turn \(turn)")
            }
        }
    }

    @Test("the order is stable for a moment, longer for many devices")
    func stands() throws {
        var driver = try ReplicaDriver.whole()
        var order = TableOrder()
        let rule = TableOrder.Rule(sort: .version)
        var isOther = order.refresh(driver.replica, rule: rule, at: .zero)
        #expect(isOther)
        driver.receive(Fixture.update(7, 11, .reported(Fixture.device(2), Fixture.state(version: 5))))
        isOther = order.refresh(driver.replica, rule: rule, at: MonotonicTime(nanoseconds: 249_999_999))
        #expect(!isOther)
        #expect(order.places == [0, 1])
        isOther = order.refresh(driver.replica, rule: rule, at: MonotonicTime(nanoseconds: 250_000_000))
        #expect(isOther)
        #expect(order.places == [1, 0])
        #expect(TableOrder.pause(of: 1_000_000) == .seconds(2))
    }

    @Test("the first rows are shown at once")
    func first() throws {
        var driver = ReplicaDriver.joining()
        var order = TableOrder()
        _ = order.refresh(driver.replica, rule: TableOrder.Rule(), at: .zero)
        try driver.answer(Fixture.chunk(7, 10, rows: [Fixture.row(1), Fixture.row(2)]))
        _ = order.refresh(driver.replica, rule: TableOrder.Rule(), at: .zero)
        #expect(order.places == [0, 1])
    }

    @Test("extending a filter has the same result as filtering from the start")
    func narrowed() throws {
        let driver = try ReplicaDriver.whole((0..<40).map { Fixture.row($0) })
        var order = TableOrder()
        for text in ["", "b", "bedroom 1", "bedroom 12", "bedroom 1", "room 3"] {
            let rule = TableOrder.Rule(filter: DeviceFilter(text), sort: .name)
            _ = order.refresh(driver.replica, rule: rule, at: .zero)
            #expect(order.places == Self.sorted(driver.replica, rule), "\(text)")
        }
    }
}

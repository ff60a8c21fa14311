import FleetProtocol
import Stepping

/// The devices in an order that follows from a seed, asked in turn for ever.
///
/// A device comes again only after all others have: two requests meet in one device's lane when the fleet is
/// slow, and never by chance.
struct DeviceRound: Sendable {
    private let devices: [DeviceID]
    private var place = 0

    /// A round of at least one device.
    init(_ devices: [DeviceID], seed: UInt64) {
        precondition(!devices.isEmpty, "a load needs a device")
        var generator = SeededGenerator.derived(seed: seed, purpose: 2)
        self.devices = devices.shuffled(using: &generator)
    }

    /// Whose turn it is.
    mutating func take() -> DeviceID {
        let device = devices[place]
        place = place + 1 == devices.count ? 0 : place + 1
        return device
    }
}

import FleetProtocol
import Foundation

extension TimeZoneName {
    /// The zone that this machine's clock shows; UTC where it has no name.
    static var ofThisMachine: TimeZoneName { TimeZoneName(TimeZone.current.identifier) ?? .utc }
}

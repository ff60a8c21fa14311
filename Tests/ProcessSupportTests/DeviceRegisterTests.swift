import FleetProtocol
import Foundation
import TestSupport
import Testing

@testable import ProcessSupport

@Suite("The register of changed devices")
struct DeviceRegisterTests {
    private static let seed: UInt64 = 7
    private let place: TemporaryDirectory

    init() throws { place = try TemporaryDirectory() }

    private var directory: RunDirectory { RunDirectory(path: place.path) }

    private static func device(_ index: UInt64) -> DeviceID { DeviceID(fleetSeed: seed, index: index) }

    @Test("names, removed devices and additions are read as they were stored")
    func stored() throws {
        try directory.changeDevices {
            $0.names[Self.device(1)] = "Server room"
            $0.removed = [Self.device(2), Self.device(5)]
            $0.added = [4: [1, 2]]
        }
        try directory.recordStart(devices: 4)
        let register = try directory.deviceRegister()
        #expect(register.names == [Self.device(1): "Server room"])
        #expect(register.removed == [Self.device(2), Self.device(5)])
        #expect(register.started == 4)
        #expect(register.added == [4: [1, 2]])
    }

    @Test(
        "a number of devices needs an index more for each removed device among them",
        arguments: [(2, 2), (3, 4), (4, 5), (5, 7)])
    func indices(devices: Int, indices: Int) {
        var register = DeviceRegister()
        register.removed = [Self.device(2), Self.device(5)]
        #expect(register.indices(for: devices, seed: Self.seed) == indices)
        #expect(register.devices(among: indices, seed: Self.seed) == devices)
    }

    @Test("a change beyond the limit is refused, and the register stays readable and unchanged")
    func full() throws {
        let devices = (0..<UInt64(DeviceRegister.limit)).map(Self.device)
        try directory.changeDevices { $0.removed = Set(devices) }
        #expect(throws: RuntimeError.fullRegister(limit: DeviceRegister.limit)) {
            try directory.changeDevices {
                $0.removed.insert(Self.device(UInt64(DeviceRegister.limit)))
            }
        }
        #expect(try directory.deviceRegister().removed.count == DeviceRegister.limit)
    }

    @Test(
        "a damaged register is refused, and its file stays unchanged",
        arguments: ["{", #"{"names":{"x":"a"},"removed":[]}"#, #"{"names":{},"removed":["x"]}"#])
    func damaged(content: String) throws {
        let file = URL(filePath: "\(place.path)/devices.json")
        try Data(content.utf8).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path())
        #expect(throws: RuntimeError.damagedRegister(path: file.path())) { try directory.deviceRegister() }
        #expect(throws: RuntimeError.damagedRegister(path: file.path())) {
            try directory.changeDevices { $0.started = 1 }
        }
        #expect(try Data(contentsOf: file) == Data(content.utf8))
    }
}

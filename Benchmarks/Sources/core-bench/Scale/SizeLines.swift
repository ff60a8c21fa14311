import CBench
import CoreParts
import FleetProtocol
import Foundation

/// Memory, time and processor time of many devices on one node.
enum SizeLines {
    private static let few = 1_000
    private static let some = 10_000
    private static let hundredThousand = 100_000
    private static let million = 1_000_000
    /// The number of toggles of a run, and the number of runs of each fleet, in turn.
    private static let toggles = 20_000
    private static let rounds = 5
    private static let inFlight = 64

    /// The lines of the table.
    static func measure(_ executables: String, in directory: BenchDirectory) throws -> [Line] {
        let empty = try emptyNode(executables, in: directory)
        let joining = try ScaleFleet.run(executables, "some", in: directory) { fleet in
            let client = try ScaleClient(to: fleet.runDirectory)
            defer { client.close() }
            try fleet.startNode(devices: some, from: 0)
            _ = try fleet.waitForDevices(some, since: bench_now(), asking: client)
            return try join(fleet, of: some, atMostMs: 100)
        }
        let sizes = try [hundredThousand, million].flatMap { devices in
            try ScaleFleet.run(executables, "size-\(devices)", in: directory) { fleet in
                let client = try ScaleClient(to: fleet.runDirectory)
                defer { client.close() }
                let bare = try fleet.controller.residentBytes
                var lines = [try come(fleet, devices, client)]
                let node = fleet.nodes[0]
                let (inNode, inController) = (try node.residentBytes, try fleet.controller.residentBytes)
                lines.append(perDevice("device-sim", inNode - empty, of: devices, atMost: 200))
                lines.append(perDevice("controller", inController - bare, of: devices, atMost: 400))
                lines.append(try join(fleet, of: devices, atMostMs: 2_000))
                lines.append(try growth(executables, fleet, of: devices, client, in: directory))
                return devices == million ? try lines + loss(of: node, in: fleet, client) : lines
            }
        }
        return [joining] + sizes
    }

    private static func come(_ fleet: ScaleFleet, _ devices: Int, _ client: ScaleClient) throws -> Line {
        let began = bench_now()
        try fleet.startNode(devices: devices, from: 0)
        let seconds = try fleet.waitForDevices(devices, since: began, asking: client)
        return .bounded(
            "\(devices) devices on one node online at the controller", seconds, atMost: 10, digits: 2,
            unit: "s")
    }

    /// Returns the resident memory of a node with one device.
    private static func emptyNode(_ executables: String, in directory: BenchDirectory) throws -> Double {
        try ScaleFleet.run(executables, "empty", in: directory) { fleet in
            let client = try ScaleClient(to: fleet.runDirectory)
            defer { client.close() }
            let node = try fleet.startNode(devices: 1, from: 0)
            _ = try fleet.waitForDevices(1, since: bench_now(), asking: client)
            return try node.residentBytes
        }
    }

    private static func perDevice(
        _ name: String, _ bytes: Double, of devices: Int, atMost bound: Double
    ) -> Line {
        .bounded(
            "memory of \(name) at \(devices) devices", bytes / Double(devices), atMost: bound, digits: 0,
            unit: "B a device")
    }

    /// Returns the median time from an observer's start until it has all devices.
    private static func join(_ fleet: ScaleFleet, of devices: Int, atMostMs bound: Double) throws -> Line {
        let seconds = try Measuring.median(
            (0..<3).map { _ in
                let began = bench_now()
                let lines = try fleet.startObserver()
                defer { lines.observer.end() }
                return try lines.wait(for: "watching ", since: began)
            })
        return .bounded(
            "observer complete after joining \(devices) devices", seconds * 1_000, atMost: bound, unit: "ms")
    }

    /// Returns the controller's processor time for a toggle, compared with a fleet of few devices.
    private static func growth(
        _ executables: String, _ fleet: ScaleFleet, of many: Int, _ client: ScaleClient,
        in directory: BenchDirectory
    ) throws -> Line {
        try ScaleFleet.run(executables, "few-beside-\(many)", in: directory) { small in
            let smallClient = try ScaleClient(to: small.runDirectory)
            defer { smallClient.close() }
            try small.startNode(devices: few, from: 0)
            _ = try small.waitForDevices(few, since: bench_now(), asking: smallClient)
            let fleets = [(small, smallClient), (fleet, client)]
            let devices = try fleets.map { try $0.1.devices() }
            var micros: [[Double]] = [[], []]
            for _ in 0..<rounds {
                for (index, (fleet, client)) in fleets.enumerated() {
                    let before = try fleet.controller.processorSeconds
                    try client.toggle(devices[index], times: toggles, inFlight: inFlight)
                    let spent = try fleet.controller.processorSeconds - before
                    micros[index].append(spent / Double(toggles) * 1e6)
                }
            }
            let (least, most) = (Measuring.median(micros[0]), Measuring.median(micros[1]))
            return Line(
                what: "controller's processor time a toggle, \(many) devices",
                measured: "\(Line.text(most, 1)) µs", baseline: "\(Line.text(least, 1)) µs, \(few) devices",
                ratio: Line.text(most / least, 2), target: "≤ 1.1 ×", isMet: most / least <= 1.1)
        }
    }

    /// Kills the node; returns when observers report it, and the longest turn of the controller's loop.
    private static func loss(of node: Child, in fleet: ScaleFleet, _ client: ScaleClient) throws -> [Line] {
        let lines = try fleet.startObserver()
        _ = try lines.wait(for: "watching ", since: bench_now())
        let began = bench_now()
        node.kill()
        let seconds = try lines.wait(for: "node-1 lost", since: began)
        var longest = 0.0
        while Double(bench_now() - began) / 1e9 < 5 {
            longest = max(longest, Double(try client.status().loopLagUs) / 1_000)
            usleep(100_000)
        }
        return [
            .bounded(
                "a node of \(million) devices is killed: an observer says so", seconds, atMost: 2, digits: 2,
                unit: "s"),
            .bounded(
                "the same, longest time the controller's loop was away", longest, atMost: 50, digits: 1,
                unit: "ms"),
        ]
    }
}

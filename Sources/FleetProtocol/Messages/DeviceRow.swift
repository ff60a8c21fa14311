/// One device as its node knows it.
public struct DeviceRow: Hashable, Sendable {
    /// The device.
    public let device: DeviceID
    /// The number of the change that last wrote this row.
    public let number: ChangeNumber
    /// Its state.
    public let reported: DeviceState
    /// The highest controller's epoch it has seen.
    public let epoch: Epoch
    /// The last command's sequence.
    public let lastSequence: CommandSequence
    /// Whether it has a connection.
    public let isConnected: Bool
    /// What last changed its state.
    public let cause: ChangeCause
    /// What users have set it to do by itself; nil where they have set nothing.
    public let settings: DeviceSettings?

    /// What it takes of a telemetry message's bytes at most: 88 for its numbers, its id and its state, and
    /// its settings.
    public var bytesAtMost: Int { 88 + (settings?.bytesAtMost ?? 0) }

    /// The row of those values.
    public init(
        device: DeviceID, number: ChangeNumber, reported: DeviceState, epoch: Epoch,
        lastSequence: CommandSequence, isConnected: Bool, cause: ChangeCause = .request,
        settings: DeviceSettings? = nil
    ) {
        self.device = device
        self.number = number
        self.reported = reported
        self.epoch = epoch
        self.lastSequence = lastSequence
        self.isConnected = isConnected
        self.cause = cause
        self.settings = settings
    }
}

/// A device with the state that it has now.
public struct ReportedDevice: Hashable, Sendable {
    /// The device.
    public let device: DeviceID
    /// Its state.
    public let state: DeviceState
    /// What made it so.
    public let cause: ChangeCause

    /// That state of that device.
    public init(device: DeviceID, state: DeviceState, cause: ChangeCause = .request) {
        self.device = device
        self.state = state
        self.cause = cause
    }
}

/// What made a device change: who asked is in the outcome of the request, if it was one.
///
/// Sensibo names the same things in the `reason` of a change: `UserRequest`, `StateCorrectionByUser`,
/// `ExternalIrCommand`, `Trigger`, `Scheduler`.
public enum ChangeCause: UInt8, CaseIterable, Hashable, Sendable {
    /// A request that was carried out; and what nobody has said anything else of.
    case request
    /// A request that only said what is: no signal was sent.
    case correction
    /// Somebody with the hand remote.
    case handRemote
    /// Somebody with the app, which is not one of our clients.
    case app
    /// Climate React, because of what the pod measured.
    case climateReact
    /// A timer that has run out.
    case timer
    /// A schedule whose time has come.
    case schedule

    /// Its word in documents and JSON.
    public var name: String { "\(self)" }
}

/// What a pod measures in its room: eight bytes with their alignment.
public struct Measurements: Hashable, Sendable {
    /// How often a pod measures, by the simulated clock: what real ones were seen to do.
    public static let interval: Duration = .seconds(90)

    /// The least and the most of each, in the units of the values.
    public static let deciCelsiusBounds: ClosedRange<Int16> = -600...900
    /// As above.
    public static let feelsLikeDeciCelsiusBounds: ClosedRange<Int16> = -990...9_990
    /// As above.
    public static let humidityPermilleBounds: ClosedRange<UInt16> = 0...1_000
    /// As above.
    public static let rssiDBmBounds: ClosedRange<Int8> = -100 ... -20

    /// The temperature in tenths of a degree Celsius.
    public let deciCelsius: Int16
    /// How warm it feels, in tenths of a degree Celsius.
    public let feelsLikeDeciCelsius: Int16
    /// The relative humidity in tenths of a percent.
    public let humidityPermille: UInt16
    /// How well the pod hears its access point, in dBm.
    public let rssiDBm: Int8

    /// The measurements of those values; nil when one of them is out of its bounds.
    public init?(deciCelsius: Int16, feelsLikeDeciCelsius: Int16, humidityPermille: UInt16, rssiDBm: Int8) {
        guard Self.deciCelsiusBounds.contains(deciCelsius),
            Self.feelsLikeDeciCelsiusBounds.contains(feelsLikeDeciCelsius),
            Self.humidityPermilleBounds.contains(humidityPermille), Self.rssiDBmBounds.contains(rssiDBm)
        else { return nil }
        self.deciCelsius = deciCelsius
        self.feelsLikeDeciCelsius = feelsLikeDeciCelsius
        self.humidityPermille = humidityPermille
        self.rssiDBm = rssiDBm
    }

    /// The temperature, one decimal, °C.
    public var celsius: Double { Double(deciCelsius) / 10 }
    /// How warm it feels, one decimal, °C; never less than the temperature.
    public var feelsLikeCelsius: Double { Double(feelsLikeDeciCelsius) / 10 }
    /// The relative humidity, one decimal, percent.
    public var humidityPercent: Double { Double(humidityPermille) / 10 }
}

/// What one device's pod measured last.
public struct MeasuredDevice: Hashable, Sendable {
    /// The device.
    public let device: DeviceID
    /// What its pod measured.
    public let measurements: Measurements

    /// Those measurements of that device.
    public init(device: DeviceID, measurements: Measurements) {
        self.device = device
        self.measurements = measurements
    }
}

/// What a node publishes of changed devices, and of what their pods measured.
///
/// It may be lost: pulls repair rows, and pods measure again.
public struct Telemetry: Sendable, Equatable {
    /// One life of the node's process.
    public let bootID: BootID
    /// The devices as they are now, in the order of their numbers.
    public let rows: [DeviceRow]
    /// What pods have just measured, at most ``Limits/chunkRows``.
    public let measured: [MeasuredDevice]

    /// The telemetry of those rows and measurements.
    public init(bootID: BootID, rows: [DeviceRow] = [], measured: [MeasuredDevice] = []) {
        self.bootID = bootID
        self.rows = rows
        self.measured = measured
    }

    /// Rows in as many messages as they take: each has ``Limits/updateDevices`` at most, for one update to
    /// tell, and fits in ``Limits/messageBytes``.
    public static func messages(of rows: [DeviceRow], from bootID: BootID) -> [Telemetry] {
        var messages: [Telemetry] = []
        var (start, bytes) = (0, frameBytesAtMost)
        for (place, row) in rows.enumerated() {
            bytes += row.bytesAtMost
            guard bytes > Limits.messageBytes || place - start == Limits.updateDevices else { continue }
            messages.append(Telemetry(bootID: bootID, rows: Array(rows[start..<place])))
            (start, bytes) = (place, frameBytesAtMost + row.bytesAtMost)
        }
        if start < rows.count { messages.append(Telemetry(bootID: bootID, rows: Array(rows[start...]))) }
        return messages
    }

    /// What a message takes around its rows at most.
    private static let frameBytesAtMost = 16
}

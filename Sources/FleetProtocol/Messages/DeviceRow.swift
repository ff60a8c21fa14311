extension DeviceRow {
    /// The upper bound of the row's size in a telemetry message: 88 bytes for numbers, ID and state, and its
    /// settings.
    public var bytesAtMost: Int { 88 + (settings?.bytesAtMost ?? 0) }
}

extension ChangeCause {
    /// The name in documents and JSON.
    public var name: String { "\(self)" }
}

/// What a pod measures in its room: eight bytes with their alignment.
public struct Measurements: Hashable, Sendable {
    /// The interval between measurements in simulated time, as observed on real pods.
    public static let interval: Duration = .seconds(90)

    /// The allowed range, in the unit of the value.
    public static let deciCelsiusBounds: ClosedRange<Int16> = -600...900
    /// As above.
    public static let feelsLikeDeciCelsiusBounds: ClosedRange<Int16> = -990...9_990
    /// As above.
    public static let humidityPermilleBounds: ClosedRange<UInt16> = 0...1_000
    /// As above.
    public static let rssiDBmBounds: ClosedRange<Int8> = -100 ... -20

    /// The temperature in tenths of a degree Celsius.
    public let deciCelsius: Int16
    /// The feels-like temperature in tenths of a degree Celsius.
    public let feelsLikeDeciCelsius: Int16
    /// The relative humidity in tenths of a percent.
    public let humidityPermille: UInt16
    /// The signal strength of the pod's access point, in dBm.
    public let rssiDBm: Int8

    /// The measurements of those values; nil when one of them is out of its bounds.
    public init?(deciCelsius: Int16, feelsLikeDeciCelsius: Int16, humidityPermille: UInt16, rssiDBm: Int8) {
        guard Self.deciCelsiusBounds.contains(deciCelsius),
            Self.feelsLikeDeciCelsiusBounds.contains(feelsLikeDeciCelsius),
            Self.humidityPermilleBounds.contains(humidityPermille), Self.rssiDBmBounds.contains(rssiDBm)
        else { return nil }
        (self.deciCelsius, self.feelsLikeDeciCelsius) = (deciCelsius, feelsLikeDeciCelsius)
        (self.humidityPermille, self.rssiDBm) = (humidityPermille, rssiDBm)
    }

    /// The temperature, one decimal, °C.
    public var celsius: Double { Double(deciCelsius) / 10 }
    /// The feels-like temperature, one decimal, °C; never less than the temperature.
    public var feelsLikeCelsius: Double { Double(feelsLikeDeciCelsius) / 10 }
    /// The relative humidity, one decimal, percent.
    public var humidityPercent: Double { Double(humidityPermille) / 10 }
}

/// The last measurements of one device's pod.
public struct MeasuredDevice: Hashable, Sendable {
    /// The device.
    public let device: DeviceID
    /// The measurements of its pod.
    public let measurements: Measurements

    /// Those measurements of that device.
    public init(device: DeviceID, measurements: Measurements) {
        (self.device, self.measurements) = (device, measurements)
    }
}

/// A message in which a node publishes changed devices and new measurements.
///
/// Delivery is not guaranteed: pulls repair rows, and pods measure again.
public struct Telemetry: Sendable, Equatable {
    /// The ID of this run of the node process.
    public let bootID: BootID
    /// The changed devices with their current state, in the order of their change numbers.
    public let rows: [DeviceRow]
    /// The new measurements, at most ``Limits/chunkRows``.
    public let measured: [MeasuredDevice]

    /// The telemetry of those rows and measurements.
    public init(bootID: BootID, rows: [DeviceRow] = [], measured: [MeasuredDevice] = []) {
        (self.bootID, self.rows, self.measured) = (bootID, rows, measured)
    }

    /// Splits rows into messages; each has at most ``Limits/updateDevices`` rows, so that one update can
    /// carry them, and fits in ``Limits/messageBytes``.
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

    /// The upper bound of a message's size without its rows.
    private static let frameBytesAtMost = 16
}

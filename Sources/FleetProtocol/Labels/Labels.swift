/// A label of devices: 1 to ``Limits/labelBytes`` of `[a-z0-9._-]`, such as `kitchen` or `floor-2`.
public struct Label: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The text.
    public let text: String

    /// The label of a text, in lower case; nil for a text that is not allowed.
    public init?(_ text: String) {
        let text = text.lowercased()
        guard (1...Limits.labelBytes).contains(text.utf8.count),
            text.utf8.allSatisfy({ $0.isLowercaseLetter || $0.isDigit || $0.isNameMark })
        else { return nil }
        self.text = text
    }

    /// The text.
    public var description: String { text }

    /// Alphabetical order.
    public static func < (left: Label, right: Label) -> Bool { left.text < right.text }
}

extension Limits {
    /// Bytes in a label.
    public static let labelBytes = 32
    /// Labels of one device.
    public static let deviceLabels = 16
    /// Devices with labels in one account.
    public static let accountLabelledDevices = 20_000
    /// Devices with labels in all accounts.
    public static let allLabelledDevices = 100_000
    /// Devices in one update; with labels of full length they fit in ``serviceUpdateBytes``.
    public static let labelUpdateDevices = 200
    /// Devices in one list; with labels of full length they fit in ``chunkBytes``.
    public static let chunkLabelledDevices = 100
}

/// A device with its labels.
public struct LabelledDevice: Hashable, Sendable {
    /// The device.
    public let device: DeviceID
    /// The labels: 1 to ``Limits/deviceLabels``, in alphabetical order.
    public let labels: [Label]

    /// The device with those labels.
    public init(device: DeviceID, labels: [Label]) { (self.device, self.labels) = (device, labels) }
}

/// The labels that devices have from now on, in place of those that they had.
public struct LabelAssignment: Hashable, Sendable {
    /// 1 to ``Limits/faultDevices`` devices.
    public let devices: [DeviceID]
    /// At most ``Limits/deviceLabels`` labels; none takes the devices' labels away.
    public let labels: [Label]

    /// The assignment of labels to devices.
    public init(devices: [DeviceID], labels: [Label]) { (self.devices, self.labels) = (devices, labels) }
}

/// A request about the labels of the account's devices.
public enum LabelRequest: Sendable, Equatable, ServiceRequest {
    /// Lists devices with labels, after the given device; nil starts with the first.
    case list(after: DeviceID?)
    /// Replaces the labels of devices.
    case set(LabelAssignment)

    /// The reply to a ``LabelRequest``.
    public typealias Reply = LabelReply

    /// The service `labels`; its updates are ``LabelUpdate`` messages.
    public static let service = ServiceName(constant: "labels")

    /// An assignment sent twice changes nothing more.
    public var traits: RequestTraits {
        switch self {
        case .list: .read
        case .set: RequestTraits(retry: .onSilence, keyScope: .switch)
        }
    }
}

/// The controller's reply to a ``LabelRequest``.
public enum LabelReply: Sendable, Equatable {
    /// Some of the devices with labels, by ID; at most ``Limits/chunkLabelledDevices``.
    case list([LabelledDevice], isLast: Bool)
    /// The labels as stored: in alphabetical order, each once.
    case set(LabelAssignment)
}

/// An update about the labels of the account's devices.
public enum LabelUpdate: Sendable, Equatable {
    /// Devices have other labels.
    case set(LabelAssignment)
}

/// The labels of a device as they are stored.
public struct DeviceLabels: Sendable, Equatable {
    /// 1 to ``Limits/deviceLabels`` labels, in alphabetical order.
    public let labels: [Label]

    /// The labels to store.
    public init(labels: [Label]) { self.labels = labels }
}

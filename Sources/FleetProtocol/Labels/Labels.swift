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

extension LabelRequest: ServiceRequest {
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

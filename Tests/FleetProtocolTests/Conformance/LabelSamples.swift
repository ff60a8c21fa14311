import Testing

@testable import FleetProtocol

extension Given {
    var labels: [Label] { ["floor-2", "kitchen"].compactMap { Label($0) } }

    var labelAssignment: LabelAssignment {
        LabelAssignment(devices: [device, otherDevice], labels: labels)
    }
}

extension LabelRequest: Conformant {
    static func samples(_ given: Given) -> [(name: String, value: Self)] {
        [
            ("labels", .list(after: nil)), ("labels, next chunk", .list(after: given.device)),
            ("label two devices", .set(given.labelAssignment)),
            ("remove labels", .set(LabelAssignment(devices: [given.device], labels: []))),
        ]
    }
}

extension LabelReply: Conformant {
    static func samples(_ given: Given) -> [(name: String, value: Self)] {
        [
            ("no labelled devices", .list([], isLast: true)),
            (
                "labelled devices",
                .list([LabelledDevice(device: given.device, labels: given.labels)], isLast: false)
            ),
            ("labels set", .set(given.labelAssignment)),
        ]
    }
}

extension LabelUpdate: Conformant {
    static func samples(_ given: Given) -> [(name: String, value: Self)] {
        [("labels of two devices", .set(given.labelAssignment))]
    }
}

extension DeviceLabels: Conformant {
    static func samples(_ given: Given) -> [(name: String, value: Self)] {
        [("stored labels", DeviceLabels(labels: given.labels))]
    }
}

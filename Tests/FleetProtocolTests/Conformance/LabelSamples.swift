import Testing

@testable import FleetProtocol

extension Given {
    var labels: [Label] { ["floor-2", "kitchen"].compactMap { Label($0) } }

    var labelAssignment: LabelAssignment {
        LabelAssignment(devices: [device, otherDevice], labels: labels)
    }
}

extension LabelRequest: Conformant {
    typealias Generated = Sensibus_V1_LabelRequest

    static func samples(_ given: Given) -> [(name: String, value: Self)] {
        [
            ("labels", .list(after: nil)), ("labels, next chunk", .list(after: given.device)),
            ("label two devices", .set(given.labelAssignment)),
            ("remove labels", .set(LabelAssignment(devices: [given.device], labels: []))),
        ]
    }
}

extension LabelReply: Conformant {
    typealias Generated = Sensibus_V1_LabelReply

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
    typealias Generated = Sensibus_V1_LabelUpdate

    static func samples(_ given: Given) -> [(name: String, value: Self)] {
        [("labels of two devices", .set(given.labelAssignment))]
    }
}

extension DeviceLabels: Conformant {
    typealias Generated = Sensibus_V1_DeviceLabels

    static func samples(_ given: Given) -> [(name: String, value: Self)] {
        [("stored labels", DeviceLabels(labels: given.labels))]
    }
}

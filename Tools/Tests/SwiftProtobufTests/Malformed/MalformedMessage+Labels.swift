import FleetProtocol

extension MalformedMessage {
    /// Requests about labels with values that are not allowed.
    static func labels() throws -> [MalformedMessage] {
        let (set, text) = ("label two devices", "1 to 32 of [a-z0-9._-]")
        return [
            try changed(
                LabelRequest.self, "a label of two words", from: set, .wrong("label_assignment.labels", text)
            ) {
                $0.set.labels = ["two words"]
            },
            try changed(
                LabelRequest.self, "an empty label", from: set, .wrong("label_assignment.labels", text)
            ) {
                $0.set.labels = [""]
            },
            try changed(
                LabelRequest.self, "seventeen labels", from: set,
                .wrong("label_assignment.labels", "at most 16")
            ) { $0.set.labels = (0..<17).map { "label-\($0)" } },
            try changed(
                LabelRequest.self, "labels without devices", from: set,
                .wrong("label_assignment.device", "1 to 1000")
            ) { $0.set.device = [] },
            try changed(
                LabelRequest.self, "labels of 1001 devices", from: set,
                .wrong("label_assignment.device", "1 to 1000")
            ) { $0.set.device = Array(repeating: $0.set.device[0], count: 1_001) },
        ]
    }
}

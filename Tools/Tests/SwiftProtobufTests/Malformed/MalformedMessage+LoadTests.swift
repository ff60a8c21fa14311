import FleetProtocol
import Foundation

extension MalformedMessage {
    /// Requests about load tests with values that are not allowed.
    static func loadTests() throws -> [MalformedMessage] {
        [
            try changed(
                LoadTestRequest.self, "a load test without testers", from: "open",
                .wrong("load_test.testers", "1 to 64")
            ) { $0.open.testers = 0 },
            try changed(
                LoadTestRequest.self, "a load test of 65 testers", from: "open",
                .wrong("load_test.testers", "1 to 64")
            ) { $0.open.testers = 65 },
            try changed(
                LoadTestRequest.self, "a plan that is too long", from: "open",
                .wrong("load_test.plan", "at most 8192 bytes")
            ) { $0.open.plan = .init(repeating: 0x20, count: 8_193) },
            try changed(
                LoadTestRequest.self, "a start after eleven seconds", from: "start",
                .wrong("load_test.delay_ms", "at most 10.0 seconds")
            ) { $0.start.delayMs = 11_000 },
            try changed(
                LoadTestRequest.self, "a tester's name with a space", from: "join",
                .wrong("tester.name", "1 to 32 characters of [A-Za-z0-9._-]")
            ) { $0.join.name = "my host" },
            try changed(
                LoadTestRequest.self, "a pull beyond the largest result", from: "pull a later part",
                .wrong("load_test.offset", "at most 67108864")
            ) { $0.pull.offset = .max },
            try changed(
                LoadTestRequest.self, "a part beyond the largest result", from: "part",
                .wrong("tester.offset", "at most 67108864")
            ) { $0.part.offset = .max },
            try changed(
                LoadTestRequest.self, "a part that is too long", from: "part",
                .wrong("tester.content", "at most 15360 bytes")
            ) { $0.part.content = .init(repeating: 0x20, count: 15_361) },
        ]
    }
}

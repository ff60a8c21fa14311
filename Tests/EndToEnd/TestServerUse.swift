import Foundation
import Glibc
import TestSupport
import Testing

/// A test server that runs, and requests to it.
struct TestServerUse {
    struct Ready: Decodable {
        let url: String
        let key: String
        let controlUrl: String
        let controlToken: String
        let runDir: String
        let pid: Int32
    }

    let lab: Lab
    let ready: Ready
    /// The process that has started the server.
    let parent: Int32

    static func withServer(
        _ options: [String] = [], _ body: @escaping @Sendable (TestServerUse) async throws -> Void
    ) async throws {
        try await Lab.withLab { lab in
            let output = try LiveOutput()
            let command = "\"$0\" test-server --json \"$@\" & wait"
            let words = ["-c", command, lab.executable("fleet")] + options
            _ = try await lab.run("/bin/sh", words, output: output.writing) { process in
                defer { kill(process, SIGKILL) }
                var lines = output.lines.makeAsyncIterator()
                let line = try #require(await lines.next())
                let ready = try JSONDecoder().decode(Ready.self, from: Data(line.utf8))
                try await body(TestServerUse(lab: lab, ready: ready, parent: process))
                // It removes its directory, which is in that of the lab.
                kill(ready.pid, SIGTERM)
                try await lab.eventually("the server has ended", within: .seconds(10)) {
                    kill(ready.pid, 0) != 0
                }
            }
        }
    }

    private func curl(_ words: [String]) async throws -> String {
        let ended = try await lab.run("/usr/bin/curl", ["-sS", "-m", "20"] + words)
        try #require(ended.status == 0, "\(words.last ?? ""): \(ended.talk)")
        return ended.output
    }

    // MARK: Sensibo's API

    func address(_ path: String) -> String {
        "\(ready.url)/api/v2/\(path)\(path.contains("?") ? "&" : "?")apiKey=\(ready.key)"
    }

    func pods(_ path: String) async throws -> [String: Any] {
        try Self.object(await curl(["-f", "--path-as-is", address(path)]))
    }

    @discardableResult
    func pods(_ method: String, _ path: String, _ body: String) async throws -> [String: Any] {
        try Self.object(await curl(["-f", "-X", method, "-d", body, address(path)]))
    }

    func change(_ path: String, _ body: String) async throws { try await pods("PATCH", path, body) }

    /// The page that refuses a change of a property.
    func refusal(_ path: String, _ body: String) async throws -> String {
        let page = try await curl(["-w", "%{http_code}", "-X", "PATCH", "-d", body, address(path)])
        try #require(page.hasSuffix("400"), "\(page)")
        return page
    }

    func status(_ path: String) async throws -> Int {
        let text = try await curl(["-o", "/dev/null", "-w", "%{http_code}", address(path)])
        return try #require(Int(text))
    }

    // MARK: Control API

    private func request(_ method: String, _ path: String, _ body: String, _ token: String) -> [String] {
        let start = ["-X", method, "-H", "Authorization: Bearer \(token)"]
        return start + (body.isEmpty ? [] : ["-d", body]) + ["\(ready.controlUrl)/\(path)"]
    }

    @discardableResult
    func control(_ method: String, _ path: String, _ body: String = "") async throws -> [String: Any] {
        let text = try await curl(["-f"] + request(method, path, body, ready.controlToken))
        return text.isEmpty ? [:] : try Self.object(text)
    }

    func statusOfControl(
        _ method: String, _ path: String, _ body: String = "", token: String
    ) async throws -> Int {
        let words = request(method, path, body, token)
        return try #require(Int(try await curl(["-o", "/dev/null", "-w", "%{http_code}"] + words)))
    }

    /// The state of the device of that name.
    func state(_ name: String) async throws -> [String: Any] {
        let devices = try await control("GET", "devices").list("devices")
        return try #require(devices.first { $0["name"] as? String == name })
    }

    // MARK: Commands

    @discardableResult
    func fleet(_ words: String...) async throws -> String {
        let ended = try await lab.run(lab.executable("fleet"), words + ["--run-dir", ready.runDir])
        try #require(ended.status == 0, "\(words): \(ended.talk)")
        return ended.output
    }

    private static func object(_ text: String) throws -> [String: Any] {
        let value = try JSONSerialization.jsonObject(with: Data(text.utf8))
        return try #require(value as? [String: Any])
    }
}

extension [String: Any] {
    func list(_ key: String) -> [[String: Any]] { self[key] as? [[String: Any]] ?? [] }

    /// The value at a path of keys as a text; `null` for none.
    func text(_ keys: String...) -> String {
        var value: Any? = self
        for key in keys { value = (value as? [String: Any])?[key] }
        guard let value, !(value is NSNull) else { return "null" }
        return "\(value)"
    }
}

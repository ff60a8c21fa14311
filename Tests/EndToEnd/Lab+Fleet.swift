import Foundation
import Glibc
import Subprocess
import TestSupport
import Testing

/// The fleet of a lab, as its users and operators command it.
extension Lab {
    /// The user of the demo account.
    static let demo = "demo@sensibus.local"

    /// Runs `fleet` to its end.
    func fleet(_ arguments: [String], input: String = "") async throws -> Ended {
        try await run("fleet", arguments, input: input)
    }

    func fleet(_ arguments: String..., input: String = "") async throws -> Ended {
        try await fleet(arguments, input: input)
    }

    /// Runs `fleet` to its end, and fails the test if that fails.
    @discardableResult
    func succeed(
        _ arguments: [String], input: String = "", sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Ended {
        let ended = try await fleet(arguments, input: input)
        try #require(
            ended.status == 0, "fleet \(arguments.joined(separator: " ")): \(ended.talk)\(ended.output)",
            sourceLocation: sourceLocation)
        return ended
    }

    @discardableResult
    func succeed(
        _ arguments: String..., input: String = "", sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Ended {
        try await succeed(arguments, input: input, sourceLocation: sourceLocation)
    }

    /// Runs `fleet` to its end, and expects an exit status and texts in its standard error.
    @discardableResult
    func expect(
        _ status: Int32, _ arguments: [String], input: String = "", saying texts: [String] = [],
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Ended {
        let ended = try await fleet(arguments, input: input)
        let command = "fleet \(arguments.joined(separator: " ")): \(ended.talk)\(ended.output)"
        #expect(ended.status == status, "\(command)", sourceLocation: sourceLocation)
        for text in texts {
            #expect(ended.talk.contains(text), "\(command)", sourceLocation: sourceLocation)
        }
        return ended
    }

    @discardableResult
    func expect(
        _ status: Int32, _ arguments: String..., input: String = "", saying texts: [String] = [],
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Ended {
        try await expect(status, arguments, input: input, saying: texts, sourceLocation: sourceLocation)
    }

    // MARK: Processes

    /// Starts a fleet.
    @discardableResult
    func up(
        devices: Int, gateway: Bool = false, _ options: [String] = [],
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Ended {
        try await succeed(
            ["up", "--detach", "--json", "--devices", "\(devices)"]
                + (gateway ? ["--gateway-port", "0"] : ["--no-gateway"]) + options,
            sourceLocation: sourceLocation)
    }

    /// The state of the fleet's processes, as soon as the supervisor and the controller answer.
    ///
    /// On a machine that is stalled either may not answer in time.
    func status() async throws -> StatusLine {
        let status = { try await fleet("status", "--json").line(StatusLine.self) }
        return try await attempt(upTo: 5, until: { !$0.processes.isEmpty && $0.devices != nil }, status)
    }

    func processID(_ name: String) async throws -> Int32 {
        try #require(try await status().processes.first { $0.name == name }?.pid)
    }

    /// The process of the supervisor, which is in no status.
    func supervisorID() throws -> Int32 { try #require(Int32(try word("supervisor.lock"))) }

    /// Kills a process, which its supervisor may start again.
    func kill(_ name: String) async throws {
        Glibc.kill(try await processID(name), SIGKILL)
    }

    /// Kills a process, and waits until its supervisor has started another one.
    func killAndAwaitNext(_ name: String, within limit: Duration = .seconds(20)) async throws {
        func running() async throws -> Int32? {
            try await status().processes.first { $0.name == name && $0.state == "running" }?.pid
        }
        let killed = try #require(try await running())
        Glibc.kill(killed, SIGKILL)
        try await eventually("another \(name) runs", within: limit) {
            let next = try await running()
            return next != nil && next != killed
        }
    }

    /// Kills a node, and waits until the supervisor knows that it has ended.
    func killNode(_ name: String) async throws {
        try await kill(name)
        try await eventually("\(name) has ended", within: .seconds(5)) {
            try await status().processes.first { $0.name == name }?.state == "dead"
        }
    }

    /// Waits until that many devices are online.
    func awaitOnline(
        _ devices: Int, within limit: Duration = .seconds(10),
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try await eventually(
            "\(devices) devices are online", within: limit, sourceLocation: sourceLocation
        ) { try await status().online == devices }
    }

    /// The logs of all the fleet's processes.
    func logs() throws -> String {
        let names = try FileManager.default.contentsOfDirectory(atPath: file("logs"))
        return try names.filter { $0.hasSuffix(".log") }.sorted().map { try text("logs/\($0)") }.joined()
    }

    // MARK: Devices

    func devices() async throws -> [DeviceLine] {
        try await fleet("devices", "--json").lines(DeviceLine.self)
    }

    func device(_ name: String) async throws -> DeviceLine {
        try #require(try await devices().first { $0.name == name })
    }

    /// Toggles a device.
    func toggle(_ device: String) async throws -> ToggleLine {
        try await fleet("toggle", device, "--json").line(ToggleLine.self)
    }

    /// Toggles a device, and runs a closure while the toggle is in flight.
    ///
    /// - Parameter body: The closure; it gets the process ID of `fleet toggle`.
    func toggle(
        _ device: String, id: String, timeout: String,
        whileInFlight body: @escaping @Sendable (Int32) async throws -> Void
    ) async throws -> Ended {
        let arguments = ["toggle", device, "--json", "--timeout", timeout, "--request-id", id]
        return try await run("fleet", arguments) { process in
            try await eventually("the toggle is in flight", within: .seconds(5)) {
                try await fleet("outcome", id).status == 75
            }
            try await body(process)
        }
    }

    // MARK: Users

    /// The password of a user of the tests.
    static func password(of email: String) -> String { "secret of \(email)\n" }

    /// Adds a user to the account.
    func addUser(_ email: String, role: String) async throws {
        try await succeed(
            "user", "add", email, "--role", role, "--password-stdin", input: Self.password(of: email))
    }

    /// Logs in.
    ///
    /// - Parameter password: The password; nil for that of a user of the tests.
    func logIn(_ email: String, password: String? = nil) async throws {
        try await succeed("login", email, "--password-stdin", input: password ?? Self.password(of: email))
    }

    /// Creates an API key.
    func apiKey(_ name: String, _ options: String...) async throws -> String {
        try await succeed(["apikey", "create", name] + options).output.trimmingCharacters(in: .newlines)
    }

    /// The token of the user's session.
    func token() throws -> String {
        struct Session: Decodable {
            let token: String
        }
        return try JSONDecoder().decode(Session.self, from: Data(try text("session.json").utf8)).token
    }

    /// Replaces the token in the file of the user's session.
    func setToken(_ token: String) throws {
        let session = try text("session.json").replacing(try self.token(), with: token)
        try session.write(toFile: file("session.json"), atomically: false, encoding: .utf8)
    }

    // MARK: The gateway

    /// The gateway's address, which ends with a slash.
    func gatewayURL() throws -> String { try word("gateway-url") }

    /// Sends a request to the gateway.
    ///
    /// - Returns: The status, 0 if there is no answer, and the body.
    func curl(_ path: String, _ options: [String] = []) async throws -> (status: Int, body: String) {
        let url = try gatewayURL()
        let fixed = [
            "-sS", "--max-time", "30", "--write-out", "\n%{http_code}", "--header",
            "Origin: \(url.dropLast())",
        ]
        let ended = try await run("/usr/bin/curl", fixed + options + [url + path])
        let lines = ended.output.split(separator: "\n", omittingEmptySubsequences: false)
        return (Int(lines.last ?? "") ?? 0, lines.dropLast().joined(separator: "\n"))
    }

    /// Runs a Python script, and fails the test if that fails.
    ///
    /// - Parameter script: Its path, as of ``path(_:)``.
    @discardableResult
    func python(
        _ script: String, _ arguments: String..., sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Ended {
        let ended = try await run("/usr/bin/python3", [Self.path(script)] + arguments)
        #expect(ended.status == 0, "\(script): \(ended.output)\(ended.talk)", sourceLocation: sourceLocation)
        return ended
    }

    /// The path of a file by its path from the folder of these tests.
    static func path(_ name: String) -> String {
        URL(filePath: #filePath).deletingLastPathComponent().appending(path: name).standardized.path()
    }
}

import FleetProtocol
import FleetReplica
import Foundation
import Glibc
import ProcessSupport
import ReplicaTestSupport
import TestSupport
import Testing

@testable import observer

@Suite("The fleet log that an observer shows")
struct FleetLogTests {
    private static func time(_ seconds: Int64) -> WallTime {
        WallTime(unixMilliseconds: 1_769_860_800_000 + seconds * 1_000)
    }

    @Test("a fleet's log has the supervisor's and earlier observers' messages in order, then new ones")
    func fleet() throws {
        let place = try TemporaryRunDirectory()
        let directory = place.directory
        let supervisor = AppendedLog(path: directory.logFile(of: "supervisor"), process: "supervisor")
        let observer = AppendedLog(path: directory.logFile(of: "observer"), process: "observer")
        supervisor.append(SupervisorLogMark.text(of: 7), isError: false, at: Self.time(0))
        supervisor.append("an error of an earlier fleet", isError: true, at: Self.time(1))
        observer.append("another one", isError: true, at: Self.time(2))
        supervisor.append(SupervisorLogMark.text(of: 7), isError: false, at: Self.time(10))
        supervisor.append("controller was ended", isError: true, at: Self.time(11))
        observer.append("stale: updates were lost", isError: true, at: Self.time(12))
        supervisor.append("observer was ended", isError: true, at: Self.time(13))
        var log = FleetLog(in: directory, supervisedBy: 7)
        let past = log.past()
        #expect(
            past.map(\.text) == ["controller was ended", "stale: updates were lost", "observer was ended"])
        #expect(past.map(\.at) == [11, 12, 13].map(Self.time))
        #expect(past.allSatisfy { $0.tone == .failure })
        #expect(log.added().isEmpty)
        supervisor.append("gateway was ended", isError: true, at: Self.time(14))
        #expect(log.added().map(\.text) == ["gateway was ended"])
    }

    @Test("a fleet's log without log files is empty")
    func none() throws {
        let place = try TemporaryRunDirectory()
        var log = FleetLog(in: place.directory, supervisedBy: 7)
        #expect(log.past().isEmpty)
        #expect(log.added().isEmpty)
    }

    @Test("an observer's errors are stored, at most 50 a second, and the others are counted")
    func errors() throws {
        let place = try TemporaryRunDirectory()
        AppendedLog(path: place.directory.logFile(of: "supervisor"), process: "supervisor").append(
            SupervisorLogMark.text(of: 7), isError: false, at: Self.time(0))
        var errors = ErrorLog(in: place.directory)
        let lines = (0..<60).map { EventLine(at: Self.time(1), tone: .failure, text: "error \($0)") }
        errors.append(lines, at: .zero)
        errors.append(
            [EventLine(at: Self.time(2), tone: .failure, text: "last")], at: .zero.advanced(by: .seconds(2)))
        var log = FleetLog(in: place.directory, supervisedBy: 7)
        let text = log.past().map(\.text)
        #expect(text.count == 52)
        #expect(text.suffix(3) == ["error 49", "10 errors omitted", "last"])
    }
}

@Suite("The file with the observer's settings")
struct SettingsFileTests {
    @Test("the file is in XDG_CONFIG_HOME, else in ~/.config; there is none without a home directory")
    func places() {
        #expect(SettingsFile(environment: [:]) == nil)
        #expect(SettingsFile(environment: ["HOME": "relative"]) == nil)
        #expect(SettingsFile(environment: ["HOME": "/h"])?.path == "/h/.config/sensibus/observer.json")
        #expect(
            SettingsFile(environment: ["HOME": "/h", "XDG_CONFIG_HOME": "/c"])?.path
                == "/c/sensibus/observer.json")
    }

    @Test("settings are written to a new directory, and read again")
    func written() throws {
        let directory = try TemporaryDirectory()
        let file = SettingsFile(path: "\(directory.path)/config/sensibus/observer.json")
        #expect(file.read() == .missing)
        var settings = ScreenSettings()
        for grouping in [TableGrouping.site, .node] {
            settings.grouping = grouping
            try file.write(settings)
            #expect(file.read() == .settings(settings))
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: "\(directory.path)/config/sensibus")
        #expect(names == ["observer.json"], "no draft is left")
    }

    @Test("a damaged file is reported with its path, and is not changed by reading")
    func damaged() throws {
        let directory = try TemporaryDirectory()
        let file = SettingsFile(path: "\(directory.path)/observer.json")
        #expect(FileManager.default.createFile(atPath: file.path, contents: Data("{\"sort\":".utf8)))
        #expect(file.read() == .unusable("\(file.path): not the settings of an observer"))
        #expect(FileManager.default.contents(atPath: file.path) == Data("{\"sort\":".utf8))
        let other = SettingsFile(path: directory.path)
        guard case .unusable(let why) = other.read() else {
            Issue.record("a directory was read")
            return
        }
        #expect(why.contains(directory.path))
    }

    @Test("a file that other users may read is used")
    func readable() throws {
        let directory = try TemporaryDirectory()
        let file = SettingsFile(path: "\(directory.path)/observer.json")
        try file.write(ScreenSettings())
        #expect(chmod(file.path, 0o644) == 0)
        #expect(file.read() == .settings(ScreenSettings()))
    }

    @Test("a file in a directory that cannot be created is a failure with its path")
    func unwritable() throws {
        let directory = try TemporaryDirectory()
        #expect(FileManager.default.createFile(atPath: "\(directory.path)/config", contents: nil))
        let file = SettingsFile(path: "\(directory.path)/config/sensibus/observer.json")
        #expect(throws: (any Error).self) { try file.write(ScreenSettings()) }
    }
}

@Suite("The command of --notify")
struct NotifyCommandTests {
    /// A notification about Bedroom 2.
    private static func notification() throws -> FleetNotification {
        var driver = try ReplicaDriver.whole()
        driver.receive(.connection(Fixture.device(2), isConnected: false))
        let event = try #require(driver.events.last.map { ObserverEvent($0) })
        return try #require(FleetNotification(event, of: driver.replica, filter: .all))
    }

    /// Writes an executable shell script to a directory.
    private static func script(_ text: String, in directory: TemporaryDirectory) throws -> String {
        let path = "\(directory.path)/script"
        #expect(FileManager.default.createFile(atPath: path, contents: Data("#!/bin/sh\n\(text)\n".utf8)))
        #expect(chmod(path, 0o700) == 0)
        return path
    }

    private static func never(_ duration: Duration) async throws {
        let (values, _) = AsyncStream.makeStream(of: Never.self)
        for await _ in values {}
        try Task.checkCancellation()
    }

    @Test("a command is a path, or a name that is found in the search path, with arguments")
    func parsed() throws {
        let directory = try TemporaryDirectory()
        let path = try Self.script("exit 0", in: directory)
        #expect(NotifyCommand("\(path) -a  b", searchPath: "")?.arguments == ["-a", "b"])
        #expect(NotifyCommand("script x", searchPath: "relative:\(directory.path)")?.executable == path)
        #expect(NotifyCommand("script", searchPath: "/nowhere") == nil)
        #expect(NotifyCommand("\(directory.path)/none", searchPath: directory.path) == nil)
        #expect(NotifyCommand(" ", searchPath: directory.path) == nil)
    }

    @Test("a command gets the text as its last argument, and the device in its environment")
    func called() async throws {
        let directory = try TemporaryDirectory()
        let path = try Self.script(
            #"printf '%s|%s|%s|%s' "$1" "$2" "$SENSIBUS_EVENT" "$SENSIBUS_NAME" >"\#(directory.path)/out""#,
            in: directory)
        let command = try #require(NotifyCommand("\(path) first;ls", searchPath: ""))
        #expect(await command.call(for: try Self.notification(), sleep: Self.never) == nil)
        let output = try String(contentsOfFile: "\(directory.path)/out", encoding: .utf8)
        #expect(output == "first;ls|Sensibus: Bedroom 2: offline (no link)|offline|Bedroom 2")
    }

    @Test("a command that fails, or does not exit in time, has a reason")
    func failed() async throws {
        let directory = try TemporaryDirectory()
        let path = try Self.script("exit 3", in: directory)
        let command = try #require(NotifyCommand(path, searchPath: ""))
        #expect(
            await command.call(for: try Self.notification(), sleep: Self.never) == "\(path): exit status 3")
        let endless = try Self.script("exec tail -f /dev/null", in: directory)
        let waiting = try #require(NotifyCommand(endless, searchPath: ""))
        let why = await waiting.call(for: try Self.notification(), timeout: .seconds(5)) { _ in }
        #expect(why == "\(path): no exit within 5s")
    }
}

/// A run directory that is removed after the test.
struct TemporaryRunDirectory {
    let directory: RunDirectory
    private let parent: TemporaryDirectory

    init() throws {
        parent = try TemporaryDirectory()
        directory = RunDirectory(path: "\(parent.path)/fleet")
        try directory.create()
    }
}

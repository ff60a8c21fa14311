import FleetProtocol
import FleetReplica
import Foundation
import Glibc
import ReplicaTestSupport
import TestSupport
import Testing

@testable import observer

@Suite("The command of --notify")
struct NotifyCommandTests {
    /// A notification about Bedroom 2.
    private static func notification() throws -> FleetNotification {
        var driver = try ReplicaDriver.whole()
        driver.receive(Fixture.update(7, 11, .connection(Fixture.device(2), isConnected: false)))
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

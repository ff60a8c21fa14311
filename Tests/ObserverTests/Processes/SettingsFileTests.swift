import Foundation
import Glibc
import TestSupport
import Testing

@testable import observer

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

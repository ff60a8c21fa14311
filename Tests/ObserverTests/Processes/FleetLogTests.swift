import FleetProtocol
import ProcessSupport
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

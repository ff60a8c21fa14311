import FleetProtocol
import Testing
import UserText

@Suite("Versions of the executables")
struct ProgramVersionTests {
    @Test("name a debug build, so that nobody takes its latencies for those of a release build")
    func debugBuild() {
        #expect(
            ProgramVersion.summary(release: "1.2.3", wire: "4", isDebugBuild: true)
                == "1.2.3, protocol 4, debug build")
        #expect(
            ProgramVersion.summary(release: "1.2.3", wire: "4", isDebugBuild: false) == "1.2.3, protocol 4")
    }

    @Test("are lines of a name and a version")
    func lines() {
        let lines = ProgramVersion.text(of: "fleet").split(separator: "\n").map { $0.split(separator: " ") }
        #expect(lines[0] == ["fleet", Substring(ProgramVersion.release)])
        #expect(lines[1] == ["protocol", "\(Limits.protocolVersion)"])
        #expect(lines.dropFirst(2) == (ProgramVersion.isDebugBuild ? [["build", "debug"]] : []))
    }
}

import Foundation
import Testing

@Suite("The list of hazards")
struct HazardListTests {
    private static let tests = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "..")

    @Test("the documentation names every hazard's test, and each named test exists")
    func complete() throws {
        let page = try String(
            contentsOf: Self.tests.appending(path: "../../Sources/Bus/Bus.docc/Hazards.md"), encoding: .utf8)
        let named = Set(page.matches(of: /`(\w+Tests)`/).map { String($0.output.1) })
        let all = try Self.suites(in: Self.tests)
        let ofHazards = try Self.suites(in: Self.tests.appending(path: "Hazards"))
        #expect(named.subtracting(all).isEmpty)
        #expect(ofHazards.subtracting(named) == ["HazardListTests"])
    }

    /// The names of the files of suites below a directory.
    private static func suites(in directory: URL) throws -> Set<String> {
        let paths = try FileManager.default.subpathsOfDirectory(atPath: directory.path(percentEncoded: false))
        let names = paths.map { URL(filePath: $0).deletingPathExtension().lastPathComponent }
        return Set(names.filter { $0.hasSuffix("Tests") })
    }
}

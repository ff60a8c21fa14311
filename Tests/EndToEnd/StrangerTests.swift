import Foundation
import Testing

extension EndToEnd {
    /// Somebody's package, which has nothing of this one but the product `Bus`.
    @Suite("A stranger's program")
    struct StrangerTests {
        /// The root of this package.
        private static let package = (0..<3).reduce(URL(filePath: #filePath)) { path, _ in
            path.deletingLastPathComponent()
        }

        private static let manifest = """
            // swift-tools-version: 6.2
            import PackageDescription

            let package = Package(
                name: "stranger",
                dependencies: [.package(name: "sensibus", path: "\(package.path(percentEncoded: false))")],
                targets: [
                    .executableTarget(
                        name: "stranger", dependencies: [.product(name: "Bus", package: "sensibus")])
                ]
            )
            """

        @Test("builds and runs as the documentation of the bus shows it", .timeLimit(.minutes(3)))
        func firstProgram() async throws {
            try await Lab.withLab { lab in
                let sources = lab.directory + "/Sources/stranger"
                try FileManager.default.createDirectory(atPath: sources, withIntermediateDirectories: true)
                try Self.manifest.write(
                    toFile: lab.directory + "/Package.swift", atomically: true, encoding: .utf8)
                try Self.documentedProgram().write(
                    toFile: sources + "/main.swift", atomically: true, encoding: .utf8)
                let built = try await lab.run("/usr/bin/env", ["swift", "build"])
                try #require(built.status == 0, "\(built.output)\(built.talk)")
                let ended = try await lab.run(lab.directory + "/.build/debug/stranger", [])
                #expect(ended.status == 0, "\(ended.talk)")
                #expect(ended.output == "hello\n")
            }
        }

        /// The first Swift that the documentation of `Bus` shows.
        private static func documentedProgram() throws -> String {
            let page = try String(
                contentsOf: package.appending(path: "Sources/Bus/Bus.docc/Bus.md"), encoding: .utf8)
            let afterFence = try #require(page.firstRange(of: "\n```swift\n")).upperBound
            let end = try #require(page[afterFence...].firstRange(of: "\n```\n")).lowerBound
            return page[afterFence..<end] + "\n"
        }
    }
}

import Foundation
import Testing

extension EndToEnd {
    /// Another package that depends on the product `Bus` only.
    @Suite("A program in another package", .timeLimit(.minutes(3)))
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

        @Test("the first program of the bus's documentation builds and runs in another package")
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

        /// The first Swift code in the documentation of `Bus`.
        private static func documentedProgram() throws -> String {
            let page = try String(
                contentsOf: package.appending(path: "Sources/Bus/Bus.docc/Bus.md"), encoding: .utf8)
            let afterFence = try #require(page.firstRange(of: "\n```swift\n")).upperBound
            let end = try #require(page[afterFence...].firstRange(of: "\n```\n")).lowerBound
            return page[afterFence..<end] + "\n"
        }
    }
}

// swift-tools-version: 6.2
import PackageDescription

/// Every target of ours: language mode 6, the upcoming features that make a
/// module say what it needs, and no warning left standing.
let house: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
]

let arguments = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let heaps = Target.Dependency.product(name: "HeapModule", package: "swift-collections")
let deques = Target.Dependency.product(name: "DequeModule", package: "swift-collections")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let protobuf = Target.Dependency.product(name: "SwiftProtobuf", package: "swift-protobuf")
let sqlite = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let subprocess = Target.Dependency.product(name: "Subprocess", package: "swift-subprocess")
let system = Target.Dependency.product(name: "SystemPackage", package: "swift-system")
let signals = Target.Dependency.product(name: "UnixSignals", package: "swift-service-lifecycle")

let package = Package(
    name: "sensibus",
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0"),
        .package(url: "https://github.com/apple/swift-system", from: "1.5.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2"),
    ],
    targets: [
        .systemLibrary(name: "CZMQ", pkgConfig: "libzmq", providers: [.apt(["libzmq3-dev"])]),
        .systemLibrary(name: "CSignals"),
        .target(name: "Bus", dependencies: ["CZMQ"], swiftSettings: house),
        .target(name: "Stepping", dependencies: [heaps], swiftSettings: house),
        .target(name: "FleetProtocol", dependencies: ["Stepping", protobuf], swiftSettings: house),
        .target(
            name: "Runtime", dependencies: ["Bus", "CSignals", "FleetProtocol", "Stepping", logging],
            swiftSettings: house),
        .target(
            name: "FleetClient", dependencies: ["Bus", "FleetProtocol", "Stepping"], swiftSettings: house),
        .executableTarget(
            name: "fleet",
            dependencies: [
                "Bus", "FleetClient", "FleetProtocol", "Runtime", "Stepping", arguments, signals, subprocess,
                system,
            ],
            swiftSettings: house),
        .testTarget(name: "FleetProtocolTests", dependencies: ["FleetProtocol"], swiftSettings: house),
        .testTarget(
            name: "RuntimeTests", dependencies: ["Runtime", "Bus", "FleetProtocol", "Stepping", logging],
            swiftSettings: house),
        .testTarget(
            name: "FleetClientTests",
            dependencies: ["FleetClient", "Bus", "FleetProtocol", "Runtime", "Stepping"],
            swiftSettings: house),
        .testTarget(
            name: "FleetCommandTests",
            dependencies: [
                "fleet", "Bus", "FleetClient", "FleetProtocol", "Runtime", "Stepping", arguments, signals,
            ],
            swiftSettings: house),
    ]
)

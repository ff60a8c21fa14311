// swift-tools-version: 6.2
import PackageDescription

let house: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
]

let protobuf = Target.Dependency.product(name: "SwiftProtobuf", package: "swift-protobuf")
let protobufPlugins = Target.Dependency.product(
    name: "SwiftProtobufPluginLibrary", package: "swift-protobuf")

// A package of its own, so that no build of the programs or of their tests compiles swift-protobuf.
let package = Package(
    name: "tools",
    dependencies: [
        .package(name: "sensibus", path: ".."),
        .package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0"),
    ],
    targets: [
        // The plugin of protoc that generates the codec of the messages and of the records in files.
        .executableTarget(
            name: "protoc-gen-fleetwire", dependencies: [protobuf, protobufPlugins], swiftSettings: house),
        .testTarget(
            name: "FleetWireTests", dependencies: ["protoc-gen-fleetwire", protobuf, protobufPlugins],
            swiftSettings: house),
        // The codec, compared with swift-protobuf. `make conformance` generates the messages of swift-protobuf.
        .testTarget(
            name: "SwiftProtobufTests",
            dependencies: [
                .product(name: "ConformanceSupport", package: "sensibus"),
                .product(name: "FleetProtocol", package: "sensibus"),
                protobuf,
            ],
            swiftSettings: house),
    ]
)

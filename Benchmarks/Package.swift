// swift-tools-version: 6.2
import PackageDescription

let house: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

let package = Package(
    name: "benchmarks",
    dependencies: [
        .package(name: "sensibus", path: ".."),
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2"),
    ],
    targets: [
        // Counters, and the baseline: libzmq in C.
        .target(name: "CBench", linkerSettings: [.linkedLibrary("zmq")]),
        // The parts of a toggle, each alone.
        .target(
            name: "CoreParts",
            dependencies: [
                "CBench",
                .product(name: "ControllerCore", package: "sensibus"),
                .product(name: "DeviceCore", package: "sensibus"),
                .product(name: "FleetProtocol", package: "sensibus"),
                .product(name: "FleetTime", package: "sensibus"),
                .product(name: "Subprocess", package: "swift-subprocess"),
            ],
            swiftSettings: house),
        // Needs the cores only, so that it is built quickly for the tests.
        .executableTarget(name: "core-counts", dependencies: ["CoreParts"], swiftSettings: house),
        .executableTarget(
            name: "core-bench",
            dependencies: [
                "CBench",
                "CoreParts",
                .product(name: "Bus", package: "sensibus"),
                .product(name: "FleetProtocol", package: "sensibus"),
                .product(name: "ProcessSupport", package: "sensibus"),
                .product(name: "FleetTime", package: "sensibus"),
                .product(name: "Subprocess", package: "swift-subprocess"),
            ],
            swiftSettings: house),
    ]
)

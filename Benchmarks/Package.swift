// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "benchmarks",
    dependencies: [
        .package(name: "sensibus", path: "..")
    ],
    targets: [
        .executableTarget(
            name: "core-bench",
            dependencies: [
                .product(name: "Bus", package: "sensibus"),
                .product(name: "ControllerCore", package: "sensibus"),
                .product(name: "DeviceCore", package: "sensibus"),
                .product(name: "FleetProtocol", package: "sensibus"),
                .product(name: "Stepping", package: "sensibus"),
            ],
            swiftSettings: [.swiftLanguageMode(.v6)])
    ]
)

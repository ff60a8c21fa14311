// swift-tools-version: 6.2
import PackageDescription

let house: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

// `run` builds it, because every module must be compiled with the fuzzer's instrumentation.
let package = Package(
    name: "fuzz",
    dependencies: [.package(name: "sensibus", path: "..")],
    targets: [
        .target(name: "CFuzz"),
        .target(
            name: "Fuzzer",
            dependencies: [
                "CFuzz",
                .product(name: "FleetProtocol", package: "sensibus"),
                .product(name: "FuzzSupport", package: "sensibus"),
            ],
            swiftSettings: house),
    ]
        + ["Wire", "Guard", "Journal", "Memory", "Recordings", "Texts", "Bodies", "Heads"].map { group in
            .executableTarget(
                name: "fuzz-\(group.lowercased())",
                dependencies: ["Fuzzer", .product(name: "Fuzz\(group)", package: "sensibus")],
                swiftSettings: house, linkerSettings: [.unsafeFlags(["-sanitize=fuzzer", "-use-ld=lld"])])
        }
)

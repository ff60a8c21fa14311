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

let package = Package(
    name: "sensibus",
    products: [
        .library(name: "Bus", targets: ["Bus"])
    ],
    dependencies: [],
    targets: [
        .systemLibrary(name: "CZMQ", pkgConfig: "libzmq", providers: [.apt(["libzmq3-dev"])]),
        .target(name: "Bus", dependencies: ["CZMQ"], swiftSettings: house),
        .testTarget(name: "BusTests", dependencies: ["Bus"], swiftSettings: house),
    ]
)

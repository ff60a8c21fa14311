// swift-tools-version: 6.2
import PackageDescription

/// Every target of ours: language mode 6, the upcoming features that make a
/// module say what it needs, and no warning left standing.
let house: [SwiftSetting] =
    [
        .swiftLanguageMode(.v6),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
        .treatAllWarnings(as: .error),
    ] + (Context.environment["SENSIBUS_PLANTED_BUGS"] == nil ? [] : [.define("PLANTED_BUGS")])

let arguments = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let deques = Target.Dependency.product(name: "DequeModule", package: "swift-collections")
let heaps = Target.Dependency.product(name: "HeapModule", package: "swift-collections")
let histogram = Target.Dependency.product(name: "Histogram", package: "hdrhistogram-swift")
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let hummingbird = Target.Dependency.product(name: "Hummingbird", package: "hummingbird")
let hummingbirdCore = Target.Dependency.product(name: "HummingbirdCore", package: "hummingbird")
let lifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let nio = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioCompression = Target.Dependency.product(name: "NIOHTTPCompression", package: "swift-nio-extras")
let nioEmbedded = Target.Dependency.product(name: "NIOEmbedded", package: "swift-nio")
let nioHTTP = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")
let nioHTTPCodec = Target.Dependency.product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras")
let nioHTTPTypes = Target.Dependency.product(name: "NIOHTTPTypes", package: "swift-nio-extras")
let nioTLS = Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl")
let protobuf = Target.Dependency.product(name: "SwiftProtobuf", package: "swift-protobuf")
let protobufPlugins = Target.Dependency.product(
    name: "SwiftProtobufPluginLibrary", package: "swift-protobuf")
let signals = Target.Dependency.product(name: "UnixSignals", package: "swift-service-lifecycle")
let sqlite = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let sqliteC = Target.Dependency.product(name: "GRDBSQLite", package: "GRDB.swift")
let subprocess = Target.Dependency.product(name: "Subprocess", package: "swift-subprocess")
let swiftCSV = Target.Dependency.product(name: "SwiftCSV", package: "SwiftCSV")
let system = Target.Dependency.product(name: "SystemPackage", package: "swift-system")
let yaml = Target.Dependency.product(name: "Yams", package: "Yams")

let package = Package(
    name: "sensibus",
    products: [
        .library(name: "Bus", targets: ["Bus"]),
        .library(name: "ControllerCore", targets: ["ControllerCore"]),
        .library(name: "DeviceCore", targets: ["DeviceCore"]),
        .library(name: "FleetClient", targets: ["FleetClient"]),
        .library(name: "FleetProtocol", targets: ["FleetProtocol"]),
        .library(name: "FleetReplica", targets: ["FleetReplica"]),
        .library(name: "Runtime", targets: ["Runtime"]),
        .library(name: "Simulation", targets: ["Simulation"]),
        .library(name: "Stepping", targets: ["Stepping"]),
        .executable(name: "fleet", targets: ["fleet"]),
        .executable(name: "controller", targets: ["controller"]),
        .executable(name: "device-sim", targets: ["device-sim"]),
        .executable(name: "observer", targets: ["observer"]),
        .executable(name: "gateway", targets: ["gateway"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0"),
        .package(url: "https://github.com/apple/swift-system", from: "1.5.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", from: "0.2.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/swiftcsv/SwiftCSV", from: "0.10.0"),
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2"),
    ],
    targets: [
        // C libraries: a module map and a header each.
        .systemLibrary(name: "CZMQ", providers: [.apt(["libzmq3-dev"])]),
        .systemLibrary(name: "CSodium", providers: [.apt(["libsodium-dev"])]),
        .systemLibrary(name: "CSignals"),
        .systemLibrary(name: "CMemory"),
        .systemLibrary(name: "CProcess"),
        .systemLibrary(name: "CFiles"),
        .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"])]),

        // The bus, and the words on it.
        .target(name: "CGuard"),
        .target(name: "Bus", dependencies: ["CGuard", "CZMQ"], swiftSettings: house),
        .target(name: "Stepping", dependencies: [deques, heaps], swiftSettings: house),
        .target(name: "Records", swiftSettings: house),
        .target(name: "FleetProtocol", dependencies: ["Records", "Stepping"], swiftSettings: house),

        // What is said to people, and to their scripts.
        .target(name: "Wording", dependencies: ["FleetProtocol", "Stepping"], swiftSettings: house),
        .target(name: "Plots", dependencies: ["Wording"], swiftSettings: house),

        // The rules: pure values that never import each other.
        .target(
            name: "DeviceCore", dependencies: ["FleetProtocol", "Records", "Stepping"], swiftSettings: house),
        .target(
            name: "ControllerCore", dependencies: ["FleetProtocol", "Records", "Stepping", deques, heaps],
            swiftSettings: house),
        .target(
            name: "FleetReplica", dependencies: ["FleetProtocol", "Records", "Stepping"], swiftSettings: house
        ),
        .target(
            name: "ObserverCore",
            dependencies: ["FleetProtocol", "FleetReplica", "Records", "Stepping", "Wording"],
            swiftSettings: house),

        // A replica over HTTP, and Sensibo's API without HTTP.
        .target(
            name: "GatewayCore",
            dependencies: ["FleetProtocol", "FleetReplica", "Stepping", "Wording", deques],
            swiftSettings: house),

        // The rules of a load, and what it finds out.
        .target(
            name: "LoadCore",
            dependencies: ["FleetProtocol", "Plots", "Stepping", "Wording", deques, histogram],
            swiftSettings: house),

        // All of them on a network that is none, from a seed.
        .target(
            name: "Simulation",
            dependencies: [
                "ControllerCore", "DeviceCore", "FleetProtocol", "FleetReplica", "Records", "Stepping",
            ],
            swiftSettings: house),

        // Scenarios as people write them.
        .target(
            name: "ScenarioFiles",
            dependencies: ["DeviceCore", "FleetProtocol", "Stepping", "Wording", yaml],
            resources: [.embedInCode("Scenarios")], swiftSettings: house),

        // What processes share.
        .target(
            name: "Runtime",
            dependencies: [
                "Bus", "CFiles", "CMemory", "CProcess", "CSignals", "CSodium", "FleetProtocol", "Records",
                "Stepping", "Wording", logging,
            ],
            swiftSettings: house),
        .target(
            name: "FleetClient",
            dependencies: ["Bus", "FleetProtocol", "FleetReplica", "Stepping", "Wording", deques],
            swiftSettings: house),

        // The processes: thin shells.
        .executableTarget(
            name: "device-sim",
            dependencies: [
                "Bus", "DeviceCore", "FleetProtocol", "Plots", "Records", "Runtime", "ScenarioFiles",
                "Stepping", "Wording", arguments, logging,
            ],
            swiftSettings: house),
        .executableTarget(
            name: "controller",
            dependencies: [
                "Bus", "ControllerCore", "CSodium", "CSQLite", "FleetProtocol", "Records", "Runtime",
                "Stepping", "Wording", arguments, logging, sqlite, sqliteC, subprocess, system,
            ],
            swiftSettings: house),
        .executableTarget(
            name: "observer",
            dependencies: [
                "Bus", "FleetClient", "FleetProtocol", "FleetReplica", "ObserverCore", "Runtime", "Stepping",
                "Wording", arguments, signals,
            ],
            swiftSettings: house),
        .executableTarget(
            name: "gateway",
            dependencies: [
                "Bus", "CSodium", "FleetClient", "FleetProtocol", "FleetReplica", "GatewayCore", "Runtime",
                "ScenarioFiles", "Stepping", "Wording", arguments, httpTypes, hummingbird, hummingbirdCore,
                lifecycle, logging, nio, nioCompression, nioHTTP, nioHTTPCodec, nioHTTPTypes,
                nioTLS, signals,
            ],
            resources: [.embedInCode("Page")], swiftSettings: house),
        .executableTarget(
            name: "fleet",
            dependencies: [
                "Bus", "CSodium", "FleetClient", "FleetProtocol", "LoadCore", "Runtime", "ScenarioFiles",
                "Simulation", "Stepping", "Wording", arguments, signals, subprocess, swiftCSV, system,
            ],
            swiftSettings: house),

        // The plugin of protoc that makes FleetProtocol's readers and writers from proto/.
        .executableTarget(
            name: "protoc-gen-fleetwire", dependencies: [protobuf, protobufPlugins], swiftSettings: house),

        // The tests, room by room, and what they need of the machine they run on.
        .target(
            name: "Circumstances", dependencies: [subprocess, system], path: "Tests/Circumstances",
            swiftSettings: house),
        .testTarget(name: "TidyTests", swiftSettings: house),
        .testTarget(
            name: "CountTests", dependencies: ["Circumstances", subprocess, system], swiftSettings: house),
        .testTarget(name: "SteppingTests", dependencies: ["Stepping"], swiftSettings: house),
        .testTarget(name: "RecordsTests", dependencies: ["Records"], swiftSettings: house),
        .testTarget(
            name: "FleetProtocolTests",
            dependencies: ["Circumstances", "FleetProtocol", "Records", "Stepping", protobuf],
            swiftSettings: house),
        .testTarget(
            name: "FleetWireTests", dependencies: ["protoc-gen-fleetwire", protobuf, protobufPlugins],
            swiftSettings: house),
        .testTarget(
            name: "WordingTests", dependencies: ["FleetProtocol", "Stepping", "Wording"],
            swiftSettings: house),
        .testTarget(
            name: "DeviceCoreTests", dependencies: ["DeviceCore", "FleetProtocol", "Records", "Stepping"],
            swiftSettings: house),
        .testTarget(
            name: "DeviceSimTests",
            dependencies: [
                "device-sim", "DeviceCore", "FleetProtocol", "Runtime", "ScenarioFiles", "Stepping",
                "Wording", arguments,
            ],
            swiftSettings: house),
        .testTarget(
            name: "ControllerCoreTests",
            dependencies: ["ControllerCore", "FleetProtocol", "Records", "Stepping"],
            swiftSettings: house),
        .testTarget(
            name: "ControllerTests",
            dependencies: [
                "Bus", "Circumstances", "controller", "ControllerCore", "FleetProtocol", "Records",
                "Runtime", "Stepping", sqlite,
            ],
            swiftSettings: house),
        .testTarget(
            name: "ScenarioFilesTests",
            dependencies: ["DeviceCore", "FleetProtocol", "ScenarioFiles", "Stepping", "Wording"],
            exclude: ["Snapshots"], swiftSettings: house),
        .testTarget(
            name: "SimulationTests",
            dependencies: ["Simulation", "Stepping"], swiftSettings: house),
        .testTarget(
            name: "ObserverCoreTests",
            dependencies: ["FleetProtocol", "FleetReplica", "ObserverCore", "Stepping", "Wording"],
            swiftSettings: house),
        .testTarget(
            name: "GatewayCoreTests",
            dependencies: ["FleetProtocol", "FleetReplica", "GatewayCore", "Stepping", "Wording"],
            swiftSettings: house),
        .testTarget(
            name: "GatewayTests",
            dependencies: [
                "Circumstances", "FleetProtocol", "FleetReplica", "gateway", "GatewayCore", "Runtime",
                "Stepping", nio, nioEmbedded, nioHTTPTypes,
            ],
            swiftSettings: house),
        .testTarget(
            name: "LoadCoreTests", dependencies: ["FleetProtocol", "LoadCore", "Stepping", "Wording"],
            swiftSettings: house),
        .testTarget(name: "BusTests", dependencies: ["Bus", "CZMQ", "Circumstances"], swiftSettings: house),
        .testTarget(
            name: "RuntimeTests",
            dependencies: ["Bus", "Circumstances", "FleetProtocol", "Runtime", "Stepping", logging],
            swiftSettings: house),
        .testTarget(
            name: "FleetClientTests",
            dependencies: [
                "Bus", "Circumstances", "FleetClient", "FleetProtocol", "FleetReplica", "Runtime", "Stepping",
            ],
            swiftSettings: house),
        .testTarget(
            name: "FleetCommandTests",
            dependencies: [
                "Bus", "Circumstances", "controller", "device-sim", "fleet", "FleetClient", "FleetProtocol",
                "FleetReplica", "LoadCore", "observer", "ObserverCore", "Runtime", "ScenarioFiles",
                "Stepping", "Wording",
                arguments, signals,
            ],
            exclude: ["Snapshots"], swiftSettings: house),
        .testTarget(
            name: "EndToEnd",
            dependencies: [
                "Bus", "Circumstances", "controller", "device-sim", "DeviceCore", "fleet", "FleetClient",
                "FleetProtocol", "FleetReplica", "observer", "ObserverCore", "Runtime", "Stepping", arguments,
                subprocess, system,
            ],
            exclude: ["Clients"], swiftSettings: house),
    ]
)

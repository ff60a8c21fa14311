// swift-tools-version: 6.2
import PackageDescription

/// The settings of all targets: language mode 6, the upcoming features that make imports and existential
/// types explicit, and warnings as errors.
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
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let nioTLS = Target.Dependency.product(
    name: "NIOSSL", package: "swift-nio-ssl", condition: .when(traits: ["TLS"]))
let nioTLSEvents = Target.Dependency.product(name: "NIOTLS", package: "swift-nio")
let signals = Target.Dependency.product(name: "UnixSignals", package: "swift-service-lifecycle")
let subprocess = Target.Dependency.product(name: "Subprocess", package: "swift-subprocess")
let system = Target.Dependency.product(name: "SystemPackage", package: "swift-system")

/// The groups of decoders that are fuzzed.
///
/// Each has a module, because libFuzzer's time for an execution grows with the code of the executable.
let fuzzed: [(name: String, dependencies: [Target.Dependency])] = [
    ("FuzzWire", ["FleetProtocol"]),
    ("FuzzGuard", ["CGuard", "CSodium"]),
    ("FuzzJournal", ["ControllerCore"]),
    ("FuzzMemory", ["DeviceCore"]),
    ("FuzzRecordings", ["FleetReplica"]),
    ("FuzzTexts", ["FleetProtocol", "UserFiles"]),
    ("FuzzBodies", ["FleetProtocol", "GatewayCore"]),
    (
        "FuzzHeads",
        ["GatewayCore", "UserText", httpTypes, nio, nioEmbedded, nioHTTP, nioHTTPCodec, nioHTTPTypes]
    ),
]

let package = Package(
    name: "sensibus",
    products: [
        .library(name: "Bus", targets: ["Bus"]),
        .library(name: "ConformanceSupport", targets: ["ConformanceSupport"]),
        .library(name: "ControllerCore", targets: ["ControllerCore"]),
        .library(name: "DeviceCore", targets: ["DeviceCore"]),
        .library(name: "FleetClient", targets: ["FleetClient"]),
        .library(name: "FleetProtocol", targets: ["FleetProtocol"]),
        .library(name: "FleetReplica", targets: ["FleetReplica"]),
        .library(name: "ProcessSupport", targets: ["ProcessSupport"]),
        .library(name: "Simulation", targets: ["Simulation"]),
        .executable(name: "fleet", targets: ["fleet"]),
        .executable(name: "controller", targets: ["controller"]),
        .executable(name: "device-sim", targets: ["device-sim"]),
        .executable(name: "observer", targets: ["observer"]),
        .executable(name: "gateway", targets: ["gateway"]),
        .executable(name: "http-load", targets: ["http-load"]),
    ],
    // BoringSSL takes a tenth of a build, and most fleets serve this machine only.
    traits: [.trait(name: "TLS", description: "HTTPS in gateway and http-load, with BoringSSL.")],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-system", from: "1.5.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", from: "0.2.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
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
        .systemLibrary(name: "CMath"),
        .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CYAML", providers: [.apt(["libyaml-dev"])]),

        // ZeroMQ, and the wire contract with time and the framing of files.
        .target(name: "CGuard", linkerSettings: [.linkedLibrary("sodium")]),
        .target(name: "Bus", dependencies: ["CGuard", "CZMQ"], swiftSettings: house),
        .target(name: "FleetProtocol", dependencies: ["CMath", deques, heaps], swiftSettings: house),

        // Makes a module's text files strings of the module.
        .plugin(name: "EmbedText", capability: .buildTool(), exclude: ["embed-text"]),

        // Output for users and scripts.
        .target(name: "UserText", dependencies: ["CMath", "FleetProtocol"], swiftSettings: house),

        // The cores: pure values.
        .target(name: "DeviceCore", dependencies: ["CMath", "FleetProtocol"], swiftSettings: house),
        .target(
            name: "ControllerCore", dependencies: ["FleetProtocol", "UserText", deques, heaps],
            swiftSettings: house),
        .target(name: "FleetReplica", dependencies: ["FleetProtocol", "UserText"], swiftSettings: house),

        // What a process with a controller needs for its clients: the stream's socket, and random tokens.
        .target(
            name: "ControllerSupport", dependencies: ["Bus", "ControllerCore", "CSodium", "FleetProtocol"],
            swiftSettings: house),

        // A controller and its node in one virtual time, as a value.
        .target(
            name: "VirtualFleet", dependencies: ["ControllerCore", "DeviceCore", "FleetProtocol"],
            swiftSettings: house),

        // Sensibo's API and the page's JSON, without HTTP.
        .target(
            name: "GatewayCore",
            dependencies: ["CMath", "FleetProtocol", "FleetReplica", "UserText", deques],
            swiftSettings: house, plugins: ["EmbedText"]),

        // The rules of the load tester, and its results.
        .target(
            name: "LoadCore", dependencies: ["CMath", "FleetProtocol", "UserText", deques, histogram],
            swiftSettings: house),

        // The cores on a simulated network, reproducible from a seed.
        .target(
            name: "Simulation",
            dependencies: ["ControllerCore", "DeviceCore", "FleetProtocol", "FleetReplica"],
            swiftSettings: house),

        // Files that users write: scenarios, command queues, shifts; and the time zones that these name.
        .target(
            name: "UserFiles", dependencies: ["CYAML", "DeviceCore", "FleetProtocol", "UserText"],
            swiftSettings: house, plugins: ["EmbedText"]),

        // A client of the controller, and code that processes share.
        .target(
            name: "FleetClient",
            dependencies: ["Bus", "FleetProtocol", "FleetReplica", "UserText", deques],
            swiftSettings: house),
        .target(
            name: "ProcessSupport",
            dependencies: [
                "Bus", "CFiles", "CMemory", "CProcess", "CSignals", "CSodium", "FleetClient",
                "FleetProtocol", "UserFiles", "UserText", arguments, logging,
            ],
            swiftSettings: house),

        // The processes: thin shells.
        .executableTarget(
            name: "device-sim",
            dependencies: [
                "Bus", "DeviceCore", "FleetProtocol", "ProcessSupport", "UserFiles", "UserText", arguments,
                logging,
            ],
            swiftSettings: house),
        .executableTarget(
            name: "controller",
            dependencies: [
                "Bus", "ControllerCore", "ControllerSupport", "CSodium", "CSQLite", "FleetProtocol",
                "ProcessSupport", "UserText", arguments, logging, subprocess, system,
            ],
            swiftSettings: house),
        .executableTarget(
            name: "observer",
            dependencies: [
                "Bus", "FleetClient", "FleetProtocol", "FleetReplica", "ProcessSupport", "UserText",
                arguments, signals, subprocess, system,
            ],
            swiftSettings: house),
        .executableTarget(
            name: "gateway",
            dependencies: [
                "Bus", "ControllerCore", "ControllerSupport", "CSodium", "DeviceCore", "FleetClient",
                "FleetProtocol", "FleetReplica", "GatewayCore", "ProcessSupport", "UserFiles", "UserText",
                "VirtualFleet", arguments, httpTypes, hummingbird, hummingbirdCore, lifecycle, logging, nio,
                nioCompression, nioHTTP, nioHTTPCodec, nioHTTPTypes, nioTLS, signals,
            ],
            swiftSettings: house, plugins: ["EmbedText"]),
        .executableTarget(
            name: "http-load",
            dependencies: [
                "FleetProtocol", "LoadCore", "ProcessSupport", "UserText", arguments, nio, nioHTTP, nioPosix,
                nioTLS, nioTLSEvents,
            ],
            swiftSettings: house),
        .executableTarget(
            name: "fleet",
            dependencies: [
                "Bus", "ControllerSupport", "FleetClient", "FleetProtocol", "FleetReplica", "LoadCore",
                "ProcessSupport", "Simulation", "UserFiles", "UserText", arguments, signals, subprocess,
                system,
            ],
            swiftSettings: house),

        // What `make run` builds first: a build of all products would include snippets and tools.
        .target(
            name: "LocalPrograms", dependencies: ["controller", "device-sim", "fleet", "observer"],
            path: "Tests/LocalPrograms", swiftSettings: house),

        // What `EndToEnd` runs. Another test target depends on it, so that a build of the tests includes the
        // programs, and `EndToEnd` neither waits for them nor is compiled again after them.
        .target(
            name: "TestPrograms",
            dependencies: [
                "controller", "device-sim", "fleet", "gateway", "http-load", "network-faults", "observer",
            ],
            path: "Tests/TestPrograms", swiftSettings: house),

        // Measurements, in a release build: counters and libzmq in C, the parts of a toggle, and the
        // programs.
        .target(
            name: "CBench", path: "Benchmarks/Sources/CBench", linkerSettings: [.linkedLibrary("zmq")]),
        .target(
            name: "CoreParts",
            dependencies: ["CBench", "ControllerCore", "DeviceCore", "FleetProtocol", subprocess, system],
            path: "Benchmarks/Sources/CoreParts", swiftSettings: house),
        .executableTarget(
            name: "core-counts", dependencies: ["CoreParts"], path: "Benchmarks/Sources/core-counts",
            swiftSettings: house),
        .executableTarget(
            name: "minimal-http", dependencies: [hummingbird, nio], path: "Benchmarks/Sources/minimal-http",
            swiftSettings: house),
        .executableTarget(
            name: "core-bench",
            dependencies: [
                "Bus", "CBench", "CoreParts", "FleetProtocol", "ProcessSupport", subprocess, system,
            ],
            path: "Benchmarks/Sources/core-bench", swiftSettings: house),

        // The tests, module by module, and their support code.
        .target(
            name: "TestSupport", dependencies: ["FleetProtocol", subprocess, system],
            path: "Tests/TestSupport", swiftSettings: house),
        .target(
            name: "ConformanceSupport", dependencies: ["FleetProtocol"], path: "Tests/ConformanceSupport",
            swiftSettings: house),
        .target(
            name: "RawPeers", dependencies: ["Bus", "CSodium", system], path: "Tests/RawPeers",
            swiftSettings: house),
        .target(
            name: "ReplicaTestSupport", dependencies: ["FleetProtocol", "FleetReplica"],
            path: "Tests/ReplicaTestSupport", swiftSettings: house),
        .target(name: "ZMTPFrames", path: "Tests/ZMTPFrames", swiftSettings: house),
        .target(
            name: "DeviceLogs", dependencies: ["DeviceCore", "FleetProtocol"], path: "Tests/DeviceLogs",
            swiftSettings: house),
        .executableTarget(
            name: "network-faults", dependencies: ["FleetProtocol", "ZMTPFrames", arguments, deques],
            path: "Tests/NetworkFaults", swiftSettings: house),
        .testTarget(name: "TidyTests", exclude: ["avoided-expressions.txt"], swiftSettings: house),
        .testTarget(
            name: "FleetProtocolTests",
            dependencies: ["ConformanceSupport", "FleetProtocol", "TestSupport", subprocess, system],
            exclude: ["Conformance/protobuf-reference"], swiftSettings: house),
        .testTarget(
            name: "UserTextTests",
            dependencies: ["DeviceCore", "FleetProtocol", "UserFiles", "UserText", subprocess, system],
            exclude: ["Files/Snapshots"], swiftSettings: house),
        .testTarget(
            name: "DeviceTests",
            dependencies: [
                "Bus", "device-sim", "DeviceCore", "FleetProtocol", "ProcessSupport", "TestSupport",
                "UserFiles", "UserText", arguments, logging,
            ],
            swiftSettings: house),
        .testTarget(
            name: "ControllerCoreTests",
            dependencies: [
                "ControllerCore", "DeviceCore", "FleetProtocol", "Simulation", "TestSupport", "VirtualFleet",
            ],
            swiftSettings: house),
        .testTarget(
            name: "ControllerTests",
            dependencies: [
                "Bus", "controller", "ControllerCore", "ControllerSupport", "FleetProtocol",
                "ProcessSupport", "TestSupport",
            ],
            exclude: ["Fixtures"], swiftSettings: house),
        .testTarget(
            name: "FleetReplicaTests",
            dependencies: ["FleetProtocol", "FleetReplica", "ReplicaTestSupport"], swiftSettings: house),
        .testTarget(
            name: "ObserverTests",
            dependencies: [
                "FleetClient", "FleetProtocol", "FleetReplica", "observer", "ProcessSupport",
                "ReplicaTestSupport", "TestSupport", "UserText",
            ],
            swiftSettings: house),
        .testTarget(
            name: "GatewayTests",
            dependencies: [
                "ControllerCore", "ControllerSupport", "DeviceCore", "FleetProtocol", "FleetReplica",
                "gateway",
                "GatewayCore", "ProcessSupport", "ReplicaTestSupport", "TestSupport", "UserText",
                "VirtualFleet", httpTypes, hummingbird, logging, nio, nioEmbedded, nioHTTP, nioHTTPCodec,
                nioHTTPTypes,
            ],
            swiftSettings: house, plugins: ["EmbedText"]),
        .testTarget(
            name: "LoadCoreTests", dependencies: ["FleetProtocol", "LoadCore", "UserText"],
            swiftSettings: house),
        .testTarget(
            name: "BusTests", dependencies: ["Bus", "CZMQ", "RawPeers", "TestSupport"],
            swiftSettings: house),
        .testTarget(
            name: "ProcessSupportTests",
            dependencies: [
                "Bus", "FleetProtocol", "network-faults", "ProcessSupport", "TestPrograms", "TestSupport",
                "UserFiles", "ZMTPFrames", arguments, logging, subprocess, system,
            ],
            swiftSettings: house),
        .testTarget(
            name: "FleetClientTests",
            dependencies: [
                "Bus", "FleetClient", "FleetProtocol", "FleetReplica", "ProcessSupport", "TestSupport",
            ],
            swiftSettings: house),
        .testTarget(
            name: "FleetCommandTests",
            dependencies: [
                "Bus", "controller", "device-sim", "fleet", "FleetClient", "FleetProtocol", "FleetReplica",
                "LoadCore", "observer", "ProcessSupport", "ReplicaTestSupport", "TestSupport", "UserFiles",
                "UserText", arguments, signals,
            ],
            exclude: ["Snapshots"], swiftSettings: house),
        .testTarget(
            name: "EndToEnd",
            dependencies: [
                "Bus", "DeviceLogs", "FleetClient", "FleetProtocol", "FleetReplica", "ProcessSupport",
                "RawPeers", "TestSupport", "ZMTPFrames", subprocess, system,
            ],
            exclude: ["Clients", "Hosts/Support"], swiftSettings: house),
    ]
)

/// The fuzzed decoders, which `make fuzz` and `make test-long` build.
if Context.environment["SENSIBUS_FUZZ"] != nil {
    package.targets += fuzzed.map { name, dependencies in
        .target(
            name: name, dependencies: ["FuzzSupport"] + dependencies, path: "Tests/FuzzTargets/\(name)",
            swiftSettings: house)
    }
    package.targets += [
        .target(
            name: "FuzzSupport", dependencies: ["FleetProtocol"],
            path: "Tests/FuzzTargets/FuzzSupport", swiftSettings: house),
        .testTarget(
            name: "FuzzTests",
            dependencies: ["FleetProtocol", "FuzzSupport"] + fuzzed.map { .target(name: $0.name) },
            swiftSettings: house),
    ]
    package.products += (["FuzzSupport"] + fuzzed.map(\.name)).map { .library(name: $0, targets: [$0]) }
}

/// The programs and tests of each part that `PART` of the environment selects.
///
/// The targets on which these depend belong to the part too.
let parts: [String: [String]] = [
    "kernel": [
        "controller", "device-sim", "BusTests", "ControllerCoreTests", "ControllerTests", "DeviceTests",
        "FleetClientTests", "FleetProtocolTests", "FleetReplicaTests", "ProcessSupportTests", "TidyTests",
        "UserTextTests",
    ],
    "observer": ["observer", "ObserverTests", "TidyTests"],
    "gateway": ["gateway", "GatewayTests", "TidyTests"],
    "load": ["http-load", "LoadCoreTests", "TidyTests"],
]

extension Target {
    /// The names of the targets and plugins of this package on which it depends.
    var needed: [String] {
        dependencies.compactMap { dependency in
            switch dependency {
            case .targetItem(let name, _), .byNameItem(let name, _): name
            case .productItem: nil
            @unknown default: nil
            }
        }
            + (plugins ?? []).map { usage in
                switch usage {
                case .plugin(let name, _): name
                @unknown default: ""
                }
            }
    }
}

extension Product {
    /// The names of its targets.
    var contents: [String] {
        switch self {
        case let library as Library: library.targets
        case let executable as Executable: executable.targets
        default: []
        }
    }
}

extension Package {
    /// Keeps only the targets with these names, those on which they depend, and the products of these.
    ///
    /// It keeps all packages: SwiftPM removes the checkout of one that is not named, and compiles it from
    /// nothing when it is named again.
    func keep(_ names: [String]) {
        var kept: Set<String> = []
        var rest = names
        while let name = rest.popLast() {
            guard kept.insert(name).inserted else { continue }
            guard let target = targets.first(where: { $0.name == name }) else {
                fatalError("PART needs a target \(name)")
            }
            rest += target.needed
        }
        targets.removeAll { !kept.contains($0.name) }
        products.removeAll { !kept.isSuperset(of: $0.contents) }
    }
}

if let name = Context.environment["PART"], !name.isEmpty {
    guard let part = parts[name] else {
        fatalError("unknown PART \(name): expected kernel, observer, gateway or load")
    }
    package.keep(part)
}

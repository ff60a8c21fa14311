/// What a simulated fleet goes through by itself.
public struct Scenario: Hashable, Sendable {
    /// What it is called.
    public let name: String
    /// How often somebody uses the hand remote of one device: uses a second.
    public let handRemotesPerSecond: Double
    /// How often the Wi-Fi of one device drops: drops a second.
    public let dropsPerSecond: Double
    /// How long, on average, a device stays in one state of its connection while it has none, seconds.
    public let dwellSeconds: Double

    /// Devices stay connected and change only by command.
    public static let quiet = Scenario(
        name: "quiet", handRemotesPerSecond: 0, dropsPerSecond: 0, dwellSeconds: 4)
    /// Hand remotes and Wi-Fi drops now and then: among 100 devices a remote every two seconds and a
    /// drop every eight.
    public static let lively = Scenario(
        name: "lively", handRemotesPerSecond: 0.005, dropsPerSecond: 0.001_25, dwellSeconds: 4)

    /// Every scenario that needs no file.
    public static let builtIn = [quiet, lively]

    /// The built-in scenario of that name; nil when there is none.
    public static func named(_ name: String) -> Scenario? {
        builtIn.first { $0.name == name }
    }
}

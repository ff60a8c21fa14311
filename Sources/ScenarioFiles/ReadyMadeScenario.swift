public import DeviceCore

/// Scenarios that come with the programs: the files in `scenarios/`, which are inside the executables.
public enum ReadyMadeScenario: String, CaseIterable, Hashable, Sendable {
    /// Nothing happens by itself.
    case quiet
    /// Hand remotes and Wi-Fi drops now and then.
    case lively
    /// A home on an ordinary day.
    case calm
    /// Offices that fill in the morning and empty in the evening, a day in two and a half minutes.
    case officeDay = "office-day"
    /// Wi-Fi that comes and goes, worst in the evening.
    case flakyWiFi = "flaky-wifi"
    /// Infrared that often misses, and remotes with one code for on and off.
    case lossyInfrared = "lossy-infrared"
    /// Nearly all devices go and come back together.
    case thunderingHerd = "thundering-herd"
    /// A cloud that is late, fails and forgets, in turns over the day.
    case cloudy
    /// Devices of every model, and air conditioners of every kind.
    case mixed
    /// All of it at once.
    case worstDay = "worst-day"

    /// The names of all of them, in words.
    public static let names = allCases.map(\.rawValue).joined(separator: ", ")

    /// What stands in its file.
    public var text: [UInt8] {
        switch self {
        case .quiet: PackageResources.quiet_yaml
        case .lively: PackageResources.lively_yaml
        case .calm: PackageResources.calm_yaml
        case .officeDay: PackageResources.office_day_yaml
        case .flakyWiFi: PackageResources.flaky_wifi_yaml
        case .lossyInfrared: PackageResources.lossy_infrared_yaml
        case .thunderingHerd: PackageResources.thundering_herd_yaml
        case .cloudy: PackageResources.cloudy_yaml
        case .mixed: PackageResources.mixed_yaml
        case .worstDay: PackageResources.worst_day_yaml
        }
    }

    /// What it is.
    ///
    /// - Throws: ``ScenarioFileError`` when its file is wrong, which a test would have found.
    public func scenario() throws(ScenarioFileError) -> Scenario {
        try ScenarioText.parse(text, file: "\(rawValue).yaml", name: rawValue)
    }
}

import ArgumentParser

extension ArgumentHelp {
    /// The help of an argument that selects devices.
    static let devices = ArgumentHelp(
        "Which devices: IDs, names, patterns, site:NAME or all; see `fleet --help`.", valueName: "selector")

    /// The help of an argument or option that selects one device.
    static func device(_ purpose: String) -> ArgumentHelp {
        ArgumentHelp("\(purpose): its ID, its name, or a unique part of its name.", valueName: "device")
    }
}

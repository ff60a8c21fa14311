/// What devices of one group have in common.
public struct DeviceGroup: Hashable, Sendable {
    /// What they are sold as.
    public let model: ProductModel
    /// The building they are in, ``Limits/nameBytes`` at most; empty where nobody said.
    public let site: String
    /// Their firmware, ``Limits/nameBytes`` at most; empty where nobody said.
    public let firmware: String
    /// What their air conditioners' remotes send.
    public let remote: RemoteKind
    /// The kind of their air conditioners; ignored for models that control none.
    public let airConditioner: AirConditionerKind
    /// The Climate React of devices whose user has set none; nil for none.
    public let climateReact: ClimateReact?

    /// The group of those values.
    ///
    /// - Precondition: No text is longer than its bound.
    public init(
        model: ProductModel, site: String, firmware: String, remote: RemoteKind,
        airConditioner: AirConditionerKind = .split, climateReact: ClimateReact? = nil
    ) {
        precondition(
            max(site.utf8.count, firmware.utf8.count) <= Limits.nameBytes,
            "site and firmware have at most \(Limits.nameBytes) bytes")
        self.model = model
        self.site = site
        self.firmware = firmware
        self.remote = remote
        self.airConditioner = airConditioner
        self.climateReact = climateReact
    }

    /// What they can be set to.
    public var capabilities: Capabilities { model.capabilities(of: airConditioner) }
}

extension FleetProcess.State {
    /// The name, in lower case.
    public var name: String { "\(self)" }
}

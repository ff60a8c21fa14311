public import FleetProtocol

extension ListedDevice: ConditionSubject {
    public var subjectID: DeviceID? { id }
    public var subjectName: String? { name }
    public var nodeName: NodeName? { node }
    public var subjectGroup: DeviceGroup? { group }
    public var acState: ACState? { reported.state }
    public var presenceKind: Presence.Kind? { presence.kind }
    public var measurements: Measurements? { measured?.measurements }
    /// Nil: no request has just ended.
    public var outcome: Outcome? { nil }
}

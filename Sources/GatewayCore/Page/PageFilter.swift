public import FleetProtocol
public import FleetReplica
public import UserText

/// The text in the search field of the page: a condition on devices or, if it is malformed, a part of a name
/// or an ID.
public struct PageFilter: Sendable {
    /// Nil shows all devices.
    private let condition: Condition?
    private let problem: ConditionError?

    public init(_ text: String) {
        do throws(ConditionError) {
            (condition, problem) = (try Condition.parse(text), nil)
        } catch {
            let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            (condition, problem) = (Condition.selected(by: words), error)
        }
    }

    /// The IDs of those devices that the text shows, and the error in it; null without an error.
    public func json(
        of replica: Replica, at sites: PageSites = PageSites(), among devices: [DeviceID]? = nil
    ) -> JSONObject {
        var shown: [String] = []
        func show(_ row: ReplicaRow) {
            let subject = PageSubject(row: row, replica: replica, sites: sites)
            guard condition?.holds(of: subject) ?? true else { return }
            shown.append(row.device.description)
        }
        if let devices {
            devices.compactMap { replica.row(of: $0) }.forEach(show)
        } else {
            replica.forEachRow(show)
        }
        return ["devices": shown, "problem": problem?.description]
    }
}

private struct PageSubject: ConditionSubject {
    let row: ReplicaRow
    let replica: Replica
    let sites: PageSites

    var subjectID: DeviceID? { row.device }
    var subjectName: String? { row.name }
    var nodeName: NodeName? { replica.node(of: row).name }
    var subjectGroup: DeviceGroup? { replica.group(of: row) }
    var subjectSite: String? { sites.name(of: row.device, reported: subjectGroup?.site ?? "") }
    var acState: ACState? { row.reported.state }
    var presenceKind: Presence.Kind? { replica.node(of: row).presence(of: row).kind }
    var measurements: Measurements? { row.measured?.measurements }
    /// Nil: no request has just ended.
    var outcome: Outcome? { nil }
}

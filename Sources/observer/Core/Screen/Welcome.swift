import FleetReplica
import UserText

/// The text in place of an empty table: why it is empty, and what to do.
enum Welcome {
    static func lines(of content: ScreenContent, width: Int) -> [ScreenLine] {
        paragraphs(of: content).flatMap { text in
            WrappedText.lines(of: text, in: width).map { ScreenLine($0, .dim) }
        }
    }

    private static func paragraphs(of content: ScreenContent) -> [String] {
        let status = content.status
        if status.devices > 0 { return noneShown(content) }
        if case .signedOut(let advice) = content.viewer {
            return [
                "You are not logged in.",
                "In another terminal, \(SafeText.of(advice)); then this screen continues.",
            ]
        }
        if status.connection != .established {
            return [
                "Looking for the controller.",
                "In another terminal, run `\(status.fleet) up` to start a fleet; then this screen continues.",
            ]
        }
        if status.staleness == .joining { return ["Loading devices…"] }
        return [
            "This account has no devices yet.",
            "`\(status.fleet) scale 100` adds devices to a running fleet, and `\(status.fleet) up` starts one.",
        ]
    }

    private static func noneShown(_ content: ScreenContent) -> [String] {
        if !content.rule.filter.isEmpty {
            let text = SafeText.of(content.rule.filter.text)
            let faults = content.rule.isFaultsOnly ? " and is not online" : ""
            let condition = content.rule.condition.map { ", where \($0)" } ?? ""
            let problem = content.rule.problem.map { ["not a condition: \($0)"] } ?? []
            return ["no device matches “\(text)”\(faults)\(condition)"] + problem + ["esc clears the filter"]
        }
        if let condition = content.rule.condition {
            let what = content.rule.isFaultsOnly ? "no fault" : "no device"
            return ["\(what) now where \(condition)", "esc clears the condition"]
        }
        return content.rule.isFaultsOnly
            ? ["no faults: every device is online", "f shows all devices"] : ["no devices"]
    }
}

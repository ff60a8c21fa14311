import FleetReplica
import UserText

/// What a table without rows says in their place: why there are none, and what to do.
enum Welcome {
    static func lines(of content: ScreenContent, width: Int) -> [ScreenLine] {
        paragraphs(of: content).flatMap { words in
            WrappedText.lines(of: words, in: width).map { ScreenLine($0, .dim) }
        }
    }

    private static func paragraphs(of content: ScreenContent) -> [String] {
        let status = content.status
        if status.devices > 0 { return noneShown(content) }
        if case .signedOut(let advice) = content.viewer {
            return [
                "Nobody is logged in.",
                "In another terminal, \(SafeText.of(advice)); this screen goes on by itself.",
            ]
        }
        if status.connection != .established {
            return [
                "Looking for the controller.",
                "In another terminal, `fleet up` starts a fleet here; this screen goes on by itself.",
            ]
        }
        if status.staleness == .joining { return ["The devices are on their way."] }
        return [
            "There is no device in this account yet.",
            "`fleet scale 100` brings devices into a fleet that runs, and `fleet up` starts one.",
        ]
    }

    private static func noneShown(_ content: ScreenContent) -> [String] {
        if !content.rule.filter.isEmpty {
            let text = SafeText.of(content.rule.filter.text)
            let faults = content.rule.isFaultsOnly ? ", and is not online" : ""
            let condition = content.rule.condition.map { ", where \($0)" } ?? ""
            return ["no device has “\(text)” in name or id\(faults)\(condition)", "esc drops the filter"]
        }
        if let condition = content.rule.condition {
            let what = content.rule.isFaultsOnly ? "no fault" : "no device"
            return ["\(what) now where \(condition)", "esc drops that"]
        }
        return content.rule.isFaultsOnly
            ? ["no faults: every device is online", "f shows all of them"] : ["no devices"]
    }
}

import ArgumentParser
import FleetProtocol

extension ACStateChange {
    /// The change that words spell, comma after comma: `on`, `off`, a mode, whole degrees, `fan:low`.
    ///
    /// - Throws: `ValidationError` that names the word and what is allowed.
    static func parse(_ text: String) throws -> ACStateChange {
        let modes = ACMode.allValueStrings.joined(separator: ", ")
        var change = ACStateChange()
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let word = String(part)
            if word == "on" || word == "off" {
                change.isOn = word == "on"
            } else if let mode = ACMode(name: word) {
                change.mode = mode
            } else if let degrees = Int8(word) {
                change.targetTemperature = degrees
            } else if word.hasPrefix("fan:"), let level = FanLevel(name: String(word.dropFirst(4))) {
                change.fanLevel = level
            } else {
                throw ValidationError(
                    "'\(word)' sets nothing: write on, off, a mode (\(modes)), whole degrees, or fan:LEVEL, "
                        + "with commas between")
            }
        }
        return change
    }
}

import DeviceCore
import Logging
import UserFiles

extension ScenarioChoice {
    /// Reads a scenario by name or file; returns nil and logs the reason if that fails.
    static func read(_ name: String, _ logger: Logger) -> Scenario? {
        do {
            let scenario = try ScenarioChoice(name).scenario
            logger.info("scenario changed", metadata: ["scenario": "\(scenario.name)"])
            return scenario
        } catch {
            logger.error("scenario cannot be read", metadata: ["reason": "\(error)"])
            return nil
        }
    }
}

public import DeviceCore

/// Scenarios as people write them: YAML, as docs/SCENARIOS.md has it.
public enum ScenarioText {
    /// The scenario of a text.
    ///
    /// - Parameters:
    ///   - bytes: The text, UTF-8.
    ///   - file: Where it comes from, for the words of errors.
    ///   - name: What it is called when it does not say so.
    /// - Throws: ``ScenarioFileError`` with all that is wrong; a text that is no YAML has one wrong place.
    public static func parse(
        _ bytes: [UInt8], file: String, name: String
    ) throws(ScenarioFileError) -> Scenario {
        let root = try root(of: bytes, file: file, EntryTree())
        var reader = ScenarioReader()
        let scenario = reader.scenario(root, name: name)
        guard reader.findings.isEmpty else { throw reader.findings.error(in: file) }
        return scenario
    }

    /// The values of a text, not understood yet.
    static func root(
        of bytes: [UInt8], file: String, _ empty: EntryTree
    ) throws(ScenarioFileError) -> Entry {
        var findings = Findings()
        guard bytes.count <= ScenarioLimits.fileBytes else {
            findings.add(
                .file, found: "more than \(ScenarioLimits.fileBytes / 1_024) KiB",
                allowed: "at most \(ScenarioLimits.fileBytes / 1_024) KiB")
            throw findings.error(in: file)
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            findings.add(.file, found: "bytes that are no UTF-8", allowed: "text in UTF-8")
            throw findings.error(in: file)
        }
        var tree = empty
        guard let root = tree.root(of: text) else { throw tree.findings.error(in: file) }
        return root
    }
}

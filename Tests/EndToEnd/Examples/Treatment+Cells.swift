/// Examples of several cells, each in a directory of its own with two small ones.
extension Treatment {
    mutating func treatCells() {
        let words = ["fleet cell", "fleet account", "fleet key show", "fleet key admit"]
        guard line.contains("--cells") || words.contains(where: line.hasPrefix) else { return }
        (place, phase, disturbs) = (.emptyDirectory, .running, false)
        (before, after) = (["mkdir -p srv/sensibus"], [])
        // The path of /srv/ in an example is that of a directory of all lines.
        let first =
            line.split(separator: " ").first { $0.hasSuffix("/srv/sensibus/c1") }.map(String.init) ?? "c1"
        if line.hasPrefix("fleet cell add") || line.hasPrefix("fleet key show") {
            return before += [
                "mkdir -p $(dirname \(first))", "fleet key show --run-dir c2 > c2.key", "cp c2.key c1.key",
            ]
        }
        before += ["mkdir -p $(dirname \(first))", "fleet cell add c1 --run-directory \(first)"]
        if line.hasPrefix("fleet up") { return after.append("fleet down --run-dir \(first)") }
        if line.hasPrefix("gateway serve") { interruption = .prints("serving") }
        begin("c1")
        if line.hasPrefix("fleet key admit") {
            before.append("fleet key show --run-dir c9 > edge-1.key")
            line += " --run-dir c1"
            return
        }
        before.append("fleet cell add c2 --run-directory c2")
        begin("c2")
        before += ["sleep 2", "printf 'correct horse\\n' > password.txt"]
        if !line.contains("--cells") {
            // The variable is not enough below the default fleet, which has no cells.
            for command in ["cell list", "account list", "account create", "account move"] {
                line = line.replacing("fleet \(command)", with: "fleet \(command) --cells cells.yaml")
            }
        }
        if line.contains("fleet account create"), !line.contains("--password-stdin") {
            line += " --password-stdin < password.txt"
        }
        if line.hasPrefix("fleet account move") {
            before.append(
                "fleet account create hotel-1 --email ann@example.com --cell c1 --cells cells.yaml --password-stdin "
                    + "< password.txt")
        }
        if line.hasPrefix("fleet login") || line.hasPrefix("fleet devices") {
            before += [
                "fleet account create hotel-1 --email ann@example.com --cells cells.yaml --password-stdin "
                    + "< password.txt",
                "fleet login ann@example.com --cells cells.yaml --password-stdin < password.txt",
            ]
        }
    }

    private mutating func begin(_ cell: String) {
        before.append(
            "fleet up --detach --no-gateway --devices 2 --cells cells.yaml --cell \(cell) --run-dir \(cell)")
        after.append("fleet down --run-dir \(cell)")
    }
}

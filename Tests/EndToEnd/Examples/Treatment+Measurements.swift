extension Treatment {
    /// Loads and simulations are short, and versions are compared with themselves.
    mutating func treatMeasurements() {
        if line.hasPrefix("fleet load agent") {
            interruption = .prints("waits for")
        } else if line.hasPrefix("fleet load") {
            if line.contains("--testers 3") {
                before.append("for tester in 1 2 3; do (fleet load agent --once > /dev/null 2>&1 &); done")
            }
            if line.contains("--slo") { statuses = [0, 1] }
            line = line.replacing("../old/.build/release", with: "$(dirname $(command -v fleet))")
            if line.contains("--repeat") { line += " --repeat 1" }
            if line.contains("--compare") {
                before.append("fleet load --rate 100 --duration 200ms --warmup 100ms --json old.json")
            }
            if line.contains("--ramp") {
                line = line.replacing(/--ramp \S+/, with: "--ramp 100..500/200ms") + " --warmup 100ms"
            } else if !line.contains("--self-test") {
                line += " --duration 200ms --warmup 100ms"
            }
            if line.contains("--with-fleet") { line += " --with-fleet 100" }
        }
        if line.hasPrefix("fleet simulate --seeds") { line += " --seeds 1" }
        if line.hasPrefix("device-sim rehearse") { line += " --devices 10 --for 1h" }
    }
}

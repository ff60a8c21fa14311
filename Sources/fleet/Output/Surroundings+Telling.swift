import Wording

extension Surroundings {
    /// Tells how a request ended.
    ///
    /// Results go to standard output, and for people everything else to standard error.
    func tell(_ line: OutcomeLine, asJSON isJSON: Bool, _ wording: StateWording = .power) {
        if isJSON {
            self.print(line.json.line)
        } else if line.isResult {
            self.print(line.text(wording))
        } else {
            say(line.text(wording))
        }
    }
}

import UserText

extension Surroundings {
    /// Prints the result of a request.
    ///
    /// JSON and the text of successful requests go to standard output, other text to standard error.
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

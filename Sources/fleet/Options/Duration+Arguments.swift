import ArgumentParser
import Wording

extension Duration {
    /// The duration of a command line.
    ///
    /// - Parameters:
    ///   - limit: The longest that is allowed.
    ///   - subject: What lasts so long, with its verb, for the words of the error: `a timeout is`.
    /// - Throws: `ValidationError` unless it is above zero and at most the limit.
    static func parse(_ text: String, upTo limit: Duration, _ subject: String) throws -> Duration {
        let allowed = "\(subject) above 0s and at most \(DurationText.text(limit))"
        do {
            let duration = try DurationText.parse(text)
            guard duration > .zero, duration <= limit else { throw ValidationError(allowed) }
            return duration
        } catch let error as DurationText.Invalid {
            throw ValidationError("\(error); \(allowed)")
        }
    }
}

import Wording

extension Condition: CustomStringConvertible {
    /// How tightly the parts of a condition hold together.
    private enum Binding: Int {
        case alternative, conjunction, single
    }

    /// Its text, with no more brackets than it needs: ``parse(_:)`` makes this condition of it.
    public var description: String {
        switch self {
        case .text(let filter): Self.quoted(filter.text)
        case .device(let name, let word):
            "device \(Self.word(name.text))" + (word.map { " \($0.rawValue)" } ?? "")
        case .site(let name): "site \(Self.word(name))"
        case .node(let name): "node \(Self.word(name))"
        case .model(let name): "model \(name)"
        case .state(let word): "\(word.isPower ? "power" : "presence") \(word.rawValue)"
        case .outcome(let name): "outcome \(name)"
        case .reading(let reading, let comparison, let tenths):
            "\(reading.rawValue) \(comparison.rawValue) \(Self.number(ofTenths: tenths))"
        case .not(let inner): "not \(inner.description(within: .single))"
        case .and(let left, let right):
            "\(left.description(within: .conjunction)) and \(right.description(within: .single))"
        case .or(let left, let right):
            "\(left.description(within: .alternative)) or \(right.description(within: .conjunction))"
        }
    }

    private var binding: Binding {
        switch self {
        case .or: .alternative
        case .and: .conjunction
        case .text, .device, .site, .node, .model, .state, .outcome, .reading, .not: .single
        }
    }

    /// Its text where something stands that holds together as tightly at least.
    private func description(within binding: Binding) -> String {
        self.binding.rawValue < binding.rawValue ? "(\(description))" : description
    }

    /// A name as it is where it is one word, and in quotation marks otherwise.
    private static func word(_ name: String) -> String {
        let isWord = !name.isEmpty && name.allSatisfy { $0.isLetter || $0.isNumber || "-_.".contains($0) }
        return isWord ? name : quoted(name)
    }

    private static func quoted(_ text: String) -> String {
        let escaped = text.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : "\($0)" }.joined()
        return "\"\(escaped)\""
    }

    private static func number(ofTenths tenths: Int) -> String {
        let (whole, rest) = tenths.magnitude.quotientAndRemainder(dividingBy: 10)
        return (tenths < 0 ? "-" : "") + "\(whole)" + (rest == 0 ? "" : ".\(rest)")
    }
}

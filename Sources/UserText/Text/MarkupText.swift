public enum MarkupText {
    /// Returns the text with the characters of markup as entities, also those that others are combined with.
    public static func escaped(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { escaped, character in
            switch character {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#x27;"
            default: escaped.unicodeScalars.append(character)
            }
        }
    }
}

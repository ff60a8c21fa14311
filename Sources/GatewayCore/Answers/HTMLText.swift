/// Text as it stands between the tags of a page.
public enum HTMLText {
    /// The text with every character that HTML reads as more than itself as an entity.
    public static func escaped(_ text: String) -> String {
        var result = ""
        result.reserveCapacity(text.utf8.count)
        for character in text.unicodeScalars {
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#x27;"
            default: result.unicodeScalars.append(character)
            }
        }
        return result
    }
}

/// An event of a YAML text: a value without parts, or the start or end of one.
package struct Event {
    package enum Kind: Equatable {
        /// The start of a document; the text may have several.
        case documentStart
        /// A text, plain or in quotes or a block; an absent value is plain and empty.
        case scalar(String, isPlain: Bool)
        case sequenceStart
        case sequenceEnd
        case mappingStart
        case mappingEnd
        case alias
        /// The end of the text; the last event.
        case end
    }

    package let kind: Kind
    /// The line and the character of the start, from 1.
    package let line, column: Int
    /// Whether the value has an anchor, to which aliases can refer.
    var hasAnchor = false
    /// The tag that is written at the value; nil without one.
    package var tag: String?

    /// By how much the event deepens the values around it: 1 at a start, -1 at an end.
    var nesting: Int {
        switch kind {
        case .sequenceStart, .mappingStart: 1
        case .sequenceEnd, .mappingEnd: -1
        case .documentStart, .scalar, .alias, .end: 0
        }
    }
}

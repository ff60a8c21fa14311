import CYAML

/// Reads the events of a YAML text with libyaml; neither expands aliases nor builds values. It is not
/// thread-safe.
final class EventParser {
    /// Safe: only this object has the pointer, and it initializes and deletes what is there once each.
    private let parser = UnsafeMutablePointer<yaml_parser_t>.allocate(capacity: 1)
    /// The text. Safe: libyaml reads it until its parser is deleted, which `deinit` does before it frees the
    /// text.
    private let bytes: UnsafeMutableBufferPointer<UInt8>

    init(_ text: String) {
        bytes = .allocate(capacity: text.utf8.count)
        _ = bytes.initialize(from: text.utf8)
        precondition(yaml_parser_initialize(parser) == 1, "no memory for a YAML parser")
        yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
        yaml_parser_set_input_string(parser, bytes.baseAddress, bytes.count)
    }

    deinit {
        yaml_parser_delete(parser)
        parser.deallocate()
        bytes.deallocate()
    }

    /// Reads the next event; after an error, and after the end, each event is the end.
    func next() throws(SyntaxError) -> Event {
        while true {
            var event = yaml_event_t()
            guard yaml_parser_parse(parser, &event) == 1 else { throw SyntaxError(parser.pointee) }
            defer { yaml_event_delete(&event) }
            if let event = Event(event) { return event }
        }
    }
}

/// A place at which a text is not YAML, or a character that YAML does not allow.
struct SyntaxError: Error, Equatable {
    /// The reason, in libyaml's words, such as `found character that cannot start any token`.
    let problem: String
    /// The value around it, in libyaml's words, such as `while parsing a block mapping`; nil without one.
    let context: String?
    /// The line from 1; nil if the parser has no memory.
    let line: Int?
    /// The character in the line from 1; nil for a forbidden character.
    let column: Int?
    /// Whether the text has a character that YAML does not allow.
    let isForbiddenCharacter: Bool

    fileprivate init(_ parser: yaml_parser_t) {
        problem = parser.problem.map { String(cString: $0) } ?? "not enough memory"
        context = parser.context.map { String(cString: $0) }
        isForbiddenCharacter = parser.error == YAML_READER_ERROR
        switch parser.error {
        case YAML_READER_ERROR:
            let read = UnsafeBufferPointer(start: parser.input.string.start, count: parser.problem_offset)
            (line, column) = (1 + read.count { $0 == UInt8(ascii: "\n") }, nil)
        case YAML_SCANNER_ERROR, YAML_PARSER_ERROR:
            let mark = parser.problem_mark
            (line, column) = (Int(mark.line) + 1, Int(mark.column) + 1)
        default: (line, column) = (nil, nil)
        }
    }
}

extension Event {
    /// Nil for an event without meaning for a reader of values. Safe: the type names the member of the union,
    /// and the caller deletes the event after this copy of it.
    fileprivate init?(_ event: yaml_event_t) {
        let mark = event.start_mark
        (line, column) = (Int(mark.line) + 1, Int(mark.column) + 1)
        switch event.type {
        case YAML_DOCUMENT_START_EVENT: kind = .documentStart
        case YAML_SCALAR_EVENT:
            let scalar = event.data.scalar
            let text = String(
                decoding: UnsafeBufferPointer(start: scalar.value, count: scalar.length), as: UTF8.self)
            kind = .scalar(text, isPlain: scalar.style == YAML_PLAIN_SCALAR_STYLE)
            (hasAnchor, tag) = (scalar.anchor != nil, Self.text(scalar.tag))
        case YAML_SEQUENCE_START_EVENT:
            kind = .sequenceStart
            let start = event.data.sequence_start
            (hasAnchor, tag) = (start.anchor != nil, Self.text(start.tag))
        case YAML_MAPPING_START_EVENT:
            kind = .mappingStart
            let start = event.data.mapping_start
            (hasAnchor, tag) = (start.anchor != nil, Self.text(start.tag))
        case YAML_SEQUENCE_END_EVENT: kind = .sequenceEnd
        case YAML_MAPPING_END_EVENT: kind = .mappingEnd
        case YAML_ALIAS_EVENT: kind = .alias
        case YAML_STREAM_END_EVENT, YAML_NO_EVENT: kind = .end
        default: return nil
        }
    }

    private static func text(_ bytes: UnsafeMutablePointer<yaml_char_t>?) -> String? {
        bytes.map { String(cString: $0) }
    }
}

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

internal import CYaml

/// One event of libyaml as a value, with the mark where it starts.
struct Event {
    enum Kind {
        case documentStart, documentEnd, streamStart, streamEnd
        case alias(String)
        case scalar(String, Node.ScalarStyle, Properties)
        case sequenceStart(Properties), sequenceEnd
        case mappingStart(Properties), mappingEnd
    }

    /// What may stand before a value: `&anchor` and `!tag`.
    struct Properties {
        let anchor: String?
        /// As libyaml resolves it: `!!str` is `tag:yaml.org,2002:str`.
        let tag: String?
    }

    let kind: Kind
    let mark: Mark
    /// On which line it ends; of a mapping or a list it is only their begin.
    let lastLine: Int
}

/// The door to libyaml: text in, events out. No C type leaves this file.
///
/// The parser keeps pointers to itself and to its input, so both live in memory of their own until the reader ends.
struct EventReader: ~Copyable {
    private let source: SourceText
    private let input: UnsafeMutableBufferPointer<UInt8>
    private let parser: UnsafeMutablePointer<yaml_parser_t>
    /// The value or key that was read last.
    private var last: SyntaxFault.Text

    init(_ source: SourceText) throws(Halt) {
        let parser = UnsafeMutablePointer<yaml_parser_t>.allocate(capacity: 1)
        parser.initialize(to: yaml_parser_t())
        guard yaml_parser_initialize(parser) == 1 else {
            parser.deallocate()
            throw Halt(Mark(line: 1, column: 1), "there is not enough memory to read the text")
        }
        // At least one byte, so that the address is not nil.
        input = .allocate(capacity: max(1, source.text.utf8.count))
        _ = input.initialize(from: source.text.utf8)
        yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
        yaml_parser_set_input_string(parser, input.baseAddress, source.text.utf8.count)
        self.source = source
        self.parser = parser
        let start = Mark(line: 1, column: 1)
        last = SyntaxFault.Text(isQuoted: false, begin: start, end: start, endIndex: 0)
    }

    deinit {
        yaml_parser_delete(parser)
        parser.deallocate()
        input.deallocate()
    }

    /// The next event; after the end of the stream, its end again.
    ///
    /// - Throws: `Halt` with the syntax error, after which there are no more events.
    mutating func next() throws(Halt) -> Event {
        var event = yaml_event_t()
        guard yaml_parser_parse(parser, &event) == 1 else {
            throw fault.halt(in: source)
        }
        defer { yaml_event_delete(&event) }
        if event.type == YAML_SCALAR_EVENT {
            let style = event.data.scalar.style
            last = SyntaxFault.Text(
                isQuoted: style == YAML_DOUBLE_QUOTED_SCALAR_STYLE || style == YAML_SINGLE_QUOTED_SCALAR_STYLE,
                begin: Mark(event.start_mark), end: Mark(event.end_mark),
                endIndex: Int(clamping: event.end_mark.index))
        }
        let (start, end) = (Mark(event.start_mark), Mark(event.end_mark))
        // A text of several lines ends where the line behind it begins.
        let lastLine = end.column == 1 ? end.line - 1 : end.line
        return Event(kind: Self.kind(of: event), mark: start, lastLine: max(start.line, lastLine))
    }

    private static func kind(of event: yaml_event_t) -> Event.Kind {
        switch event.type {
        case YAML_STREAM_START_EVENT: return .streamStart
        case YAML_DOCUMENT_START_EVENT: return .documentStart
        case YAML_DOCUMENT_END_EVENT: return .documentEnd
        case YAML_ALIAS_EVENT: return .alias(string(event.data.alias.anchor) ?? "")
        case YAML_SCALAR_EVENT:
            let scalar = event.data.scalar
            let text = String(decoding: UnsafeBufferPointer(start: scalar.value, count: scalar.length), as: UTF8.self)
            let style: Node.ScalarStyle = scalar.style == YAML_PLAIN_SCALAR_STYLE ? .plain : .quoted
            return .scalar(text, style, properties(scalar.anchor, scalar.tag))
        case YAML_SEQUENCE_START_EVENT:
            let sequence = event.data.sequence_start
            return .sequenceStart(properties(sequence.anchor, sequence.tag))
        case YAML_SEQUENCE_END_EVENT: return .sequenceEnd
        case YAML_MAPPING_START_EVENT:
            let mapping = event.data.mapping_start
            return .mappingStart(properties(mapping.anchor, mapping.tag))
        case YAML_MAPPING_END_EVENT: return .mappingEnd
        // The end of the stream, and the empty event that libyaml gives for every call after it.
        default: return .streamEnd
        }
    }

    private static func properties(
        _ anchor: UnsafeMutablePointer<yaml_char_t>?, _ tag: UnsafeMutablePointer<yaml_char_t>?
    ) -> Event.Properties { Event.Properties(anchor: string(anchor), tag: string(tag)) }

    private static func string(_ characters: UnsafeMutablePointer<yaml_char_t>?) -> String? {
        characters.map { String(cString: $0) }
    }

    private var fault: SyntaxFault {
        let state = parser.pointee
        return SyntaxFault(
            problem: state.problem.map { String(cString: $0) } ?? "there is not enough memory to read the text",
            context: state.context.map { String(cString: $0) } ?? "", mark: Mark(state.problem_mark),
            index: Int(clamping: state.problem_mark.index), contextMark: Mark(state.context_mark), before: last)
    }
}

extension Mark {
    /// libyaml counts from 0, columns in characters.
    fileprivate init(_ mark: yaml_mark_t) {
        self.init(line: Int(clamping: mark.line) + 1, column: Int(clamping: mark.column) + 1)
    }
}

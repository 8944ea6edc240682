/// What one poll brought of several subjects over one span, as one line of a recording.
///
/// It has the members of a `Sheet`, and beside them those that a `RecordedLine` has beside an observation.
public struct RecordedSheet: Hashable, Sendable, JSONWritable {
    public let sheet: Sheet
    public let asked: Moment
    public let arrived: Moment

    private init(_ sheet: Sheet, asked: Moment?, arrived: Moment?) {
        let seen = sheet.rows[0].observation.seen
        (self.sheet, self.asked, self.arrived) = (sheet, asked ?? seen, arrived ?? seen)
    }

    init?(plain bytes: UnsafeBufferPointer<UInt8>) {
        var scanner = PlainJSON(bytes)
        guard let found = scanner.recordedSheet(), scanner.isAtEnd else { return nil }
        self.init(found.sheet, asked: found.asked, arrived: found.arrived)
    }

    /// Nil where the line is no sheet.
    init?(_ json: JSON) throws(JSONMismatch) {
        let reader = JSONReader(json)
        guard case .object = json, try reader.optional("rows") != nil else { return nil }
        self.init(
            try Sheet(reader), asked: try reader.optional("asked")?.moment(),
            arrived: try reader.optional("arrived")?.moment())
    }

    /// The same as lines about one subject each.
    var lines: [RecordedLine] {
        sheet.rows.map { RecordedLine(.observed($0.observation), asked: asked, arrived: arrived) }
    }

    public func put(into json: inout JSONWriter) {
        let seen = sheet.rows[0].observation.seen
        json.object { json in
            sheet.putMembers(into: &json)
            if asked != seen { json.member("asked", asked) }
            if arrived != seen { json.member("arrived", arrived) }
        }
    }

    /// Lines as they are written: those that follow each other and share what a sheet shares, together. Nothing changes
    /// places, for a replay shows them to the rules as they came.
    public static func writing(_ lines: [RecordedLine], _ write: (any JSONWritable) -> Void) {
        var open: (sheet: Sheet, first: RecordedLine)?
        func close() {
            guard let (sheet, first) = open else { return }
            if sheet.rows.count == 1 {
                write(first)
            } else {
                write(RecordedSheet(sheet, asked: first.asked, arrived: first.arrived))
            }
            open = nil
        }
        for line in lines {
            guard case .observed(let observation) = line.line else {
                close()
                write(line)
                continue
            }
            let row = Sheet.Row(observation)
            if open?.first.asked == line.asked, open?.first.arrived == line.arrived, open?.sheet.add(row) == true {
                continue
            }
            close()
            open = (Sheet(row), line)
        }
        close()
    }
}

extension RecordedLine {
    /// Reads a line of a file, whether it tells of one subject, of several, or of none.
    public static func reading(
        _ line: UnsafeBufferPointer<UInt8>
    ) throws(ObservationLine.Mistake) -> [RecordedLine] {
        if let plain = RecordedLine(plain: line) { return [plain] }
        if let plain = RecordedSheet(plain: line) { return plain.lines }
        let json = try ObservationLine.Mistake.parsing(line)
        do {
            if let sheet = try RecordedSheet(json) { return sheet.lines }
            return [try RecordedLine(json)]
        } catch {
            throw ObservationLine.Mistake(column: nil, sentence: error.description)
        }
    }
}

internal import Records

/// One pass over a journal: gives out what can be saved, in order and once, and notes everything else.
struct Replay {
    /// What the writer has to repair at the end of the last segment.
    enum Tail: Equatable {
        case fine
        /// Only the first `keep` bytes are lines of whole commits.
        case cut(keep: Int)
        /// The first `keep` bytes are lines, but for the last line feed.
        case lineFeed(keep: Int)
        /// The file ends in something that no write of ours can have left: it is never written to again.
        case unusable
    }

    /// Damaged bytes, and where they are.
    struct Span {
        var place: JournalPlace
        var bytes: Int
        var damage: JournalDamage
    }

    typealias Body = (JournalRecord) throws -> Void

    private(set) var report = JournalReport()
    private(set) var tail = Tail.fine
    /// The files with damage in them, which are worth keeping for a closer look.
    private(set) var damagedFiles: Set<String> = []
    /// What was skipped, as far as the report names it.
    private(set) var spans: [Span] = []
    private(set) var snapshotBytes = 0
    private(set) var segmentBytes = 0
    /// Files that the replayed snapshot makes superfluous, in the order in which to remove them.
    private(set) var coveredFiles: [String] = []

    private let folder: String
    private let limits: JournalLimits
    /// The number the replayed snapshot goes through.
    private var through: UInt64 = 0
    /// The number the next record should have, were no line damaged.
    private var expected: UInt64 = 1
    /// How many damaged lines followed the last intact one: each may have been a record.
    private var damagedLines: UInt64 = 0
    /// What the last segment has of a commit whose last line has not come yet.
    private var withheld = Withheld()
    /// What may still be overtaken; nil where everything is to be given out.
    private var survivors: Survivors<Kept>?

    /// A record that waits for the end, and where it stands.
    private struct Kept {
        let seq: UInt64
        let at: [UInt8]
        let payload: [UInt8]
        let topic: Topic
        let place: JournalPlace
    }

    /// - Parameter skipsOvertaken: Whether records that later ones overtake are passed over; those that may be come
    ///   last.
    init(folder: String, limits: JournalLimits, skipsOvertaken: Bool = false) {
        self.folder = folder
        self.limits = limits
        if skipsOvertaken { survivors = Survivors() }
    }

    mutating func run(_ catalog: Catalog, _ body: Body) throws(JournalError) {
        var segments = catalog.segments[...]
        if let snapshot = try chooseSnapshot(catalog) {
            try replaySnapshot(snapshot, body)
            if !damagedFiles.contains(snapshot.name) {
                coveredFiles = catalog.snapshots.filter { $0.number < snapshot.number }.map(\.name)
            }
            while segments.count > 1, segments[segments.startIndex + 1].number <= through + 1 {
                let covered = segments.removeFirst()
                if !damagedFiles.contains(snapshot.name) { coveredFiles.append(covered.name) }
            }
        }
        for index in segments.indices {
            let next = index + 1 < segments.endIndex ? segments[index + 1].number : nil
            try replaySegment(segments[index], fence: next, body)
        }
        report.lastSeq = expected + damagedLines - 1
        report.bytes = snapshotBytes + segmentBytes
        if let survivors {
            self.survivors = nil
            for kept in survivors.inOrder() {
                let record = JournalRecord(
                    seq: kept.seq, payload: kept.payload[...], atBytes: kept.at[...], topic: kept.topic)
                try hand(record, kept.place, to: body)
            }
        }
    }

    /// The newest whole snapshot. One that is not whole is used only if there is nothing in its stead.
    private mutating func chooseSnapshot(_ catalog: Catalog) throws(JournalError) -> Catalog.Entry? {
        let segmentsReachBack = catalog.segments.first?.number == 1
        for (index, snapshot) in catalog.snapshots.enumerated() {
            let isLastResort = index == catalog.snapshots.count - 1 && !segmentsReachBack
            if isLastResort { return snapshot }
            var probe = Replay(folder: folder, limits: limits)
            try probe.replaySnapshot(snapshot) { _ in }
            if !probe.report.isDamaged { return snapshot }
            damagedFiles.insert(snapshot.name)
            report.add(.brokenSnapshot(file: snapshot.name, used: false))
        }
        return nil
    }

    // MARK: Snapshot

    private mutating func replaySnapshot(_ snapshot: Catalog.Entry, _ body: Body) throws(JournalError) {
        through = snapshot.number
        expected = through + 1
        var survey = LineSurvey(snapshot.file, limits: limits)
        var begun = false
        var records = 0
        var ended = false
        while let finding = try next(&survey) {
            switch finding {
            case .line(let line, let base, let spot), .lineFeedMissing(let line, let base, let spot, _):
                if case .lineFeedMissing = finding { damage(.lineFeed, spot, snapshot, bytes: 0) }
                switch line.kind {
                case .begin where line.seq == through && spot.byteOffset == 0: begun = true
                case .record where line.seq == through && !ended:
                    records += 1
                    try give(survey.record(line, base: base), spot, snapshot, body)
                case .end where line.seq == through && !ended:
                    ended = Array(survey.record(line, base: base).payload) == Line.endPayload(records: records)
                default: damage(.misplaced, spot, snapshot, bytes: line.payload.upperBound + 1)
                }
            case .damaged(let spot, let what, let bytes), .unfinished(let spot, let what, let bytes):
                damage(what, spot, snapshot, bytes: bytes)
            case .newer(let spot, let version):
                throw .newerVersion(place: place(spot, snapshot), found: version)
            }
        }
        try refuseForeign(survey, snapshot)
        snapshotBytes = survey.bytesTaken
        damagedLines = 0
        guard !begun || !ended else { return }
        damagedFiles.insert(snapshot.name)
        report.add(.brokenSnapshot(file: snapshot.name, used: true))
    }

    // MARK: Segments

    /// - Parameter fence: The number at which the next segment takes over; `nil` for the last one.
    private mutating func replaySegment(
        _ segment: Catalog.Entry,
        fence: UInt64?,
        _ body: Body
    ) throws(JournalError) {
        report.segments.append(segment.name)
        reach(segment.number, before: place(LineReader.Spot(line: 1, byteOffset: 0), segment))
        var survey = LineSurvey(segment.file, limits: limits)
        var supersededFrom: LineReader.Spot?
        var unfinishedFrom: LineReader.Spot?
        while let finding = try next(&survey) {
            // Past the fence the file is only read on to learn its length.
            guard supersededFrom == nil else { continue }
            // Damaged lines are not counted here: one record can have become several lines, with intact ones to follow.
            let isComplete = fence.map { expected >= $0 } ?? false
            switch finding {
            case .lineFeedMissing(let line, _, let spot, _) where fence == nil && !line.isLast:
                unfinishedFrom = spot
            case .line(let line, let base, let spot), .lineFeedMissing(let line, let base, let spot, _):
                if let fence, line.kind == .record, line.seq >= fence {
                    supersededFrom = spot
                    continue
                }
                if case .lineFeedMissing(_, _, _, let keep) = finding {
                    if fence == nil {
                        tail = .lineFeed(keep: keep)
                        report.add(.lineFeedMissing(place(spot, segment)))
                    } else {
                        damage(.lineFeed, spot, segment, bytes: 0)
                    }
                }
                // Another segment begins only after a commit, so what stands before it is whole.
                try take(line, survey, base: base, spot, segment, isWhole: line.isLast || fence != nil, body)
            case .damaged(let spot, _, _) where isComplete, .unfinished(let spot, _, _) where isComplete:
                supersededFrom = spot
            case .unfinished(let spot, _, let bytes) where fence == nil && bytes <= limits.lineBytesMax:
                unfinishedFrom = spot
            case .damaged(let spot, let what, let bytes):
                try release(segment, body)
                if what != .lineFeed { damagedLines += 1 }
                damage(what, spot, segment, bytes: bytes)
            case .unfinished(let spot, let what, let bytes):
                try release(segment, body)
                damagedLines += 1
                damage(what, spot, segment, bytes: bytes)
                if fence == nil { tail = .unusable }
            case .newer(let spot, let version):
                throw .newerVersion(place: place(spot, segment), found: version)
            }
        }
        try refuseForeign(survey, segment)
        segmentBytes += survey.bytesTaken
        if let spot = supersededFrom {
            report.add(.superseded(place(spot, segment), bytes: survey.bytesTaken - spot.byteOffset))
        }
        if let spot = withheld.first?.spot ?? unfinishedFrom {
            tail = .cut(keep: spot.byteOffset)
            report.add(.tornTail(place(spot, segment), bytes: survey.bytesTaken - spot.byteOffset))
        }
        if let first = withheld.first {
            // Its numbers are given anew.
            expected = first.seq
            damagedLines = 0
        }
    }

    /// - Parameter isWhole: Whether the line's commit is known to be whole; if not, the record waits until it is.
    private mutating func take(
        _ line: Line,
        _ survey: LineSurvey,
        base: Int,
        _ spot: LineReader.Spot,
        _ segment: Catalog.Entry,
        isWhole: Bool,
        _ body: Body
    ) throws(JournalError) {
        guard line.kind == .record else {
            try release(segment, body)
            damagedLines += 1
            return damage(.misplaced, spot, segment, bytes: line.payload.upperBound + 1)
        }
        if line.seq <= through { return }
        guard line.seq >= expected else {
            return report.add(.duplicate(place(spot, segment), seq: line.seq))
        }
        if line.seq > expected { reach(line.seq, before: place(spot, segment)) }
        let record = survey.record(line, base: base)
        if isWhole {
            try release(segment, body)
            try give(record, spot, segment, body)
        } else {
            withheld.add(record, spot)
        }
        expected = line.seq + 1
        damagedLines = 0
    }

    /// Gives out what was withheld. Damage shows that it was whole, for what a power cut tears has nothing behind it.
    private mutating func release(_ segment: Catalog.Entry, _ body: Body) throws(JournalError) {
        guard withheld.first != nil else { return }
        // Taken out meanwhile, so that it is not copied.
        var released = Withheld()
        swap(&released, &withheld)
        try released.forEach { record, spot throws(JournalError) in try give(record, spot, segment, body) }
        released.removeAll()
        withheld = released
    }

    /// Notes the records missing before `seq`, unless as many damaged lines account for them.
    private mutating func reach(_ seq: UInt64, before place: JournalPlace) {
        guard seq > expected else { return }
        if seq - expected > damagedLines {
            report.add(.missing(before: place, first: expected, last: seq - 1))
        }
        expected = seq
        damagedLines = 0
    }

    // MARK: Parts

    private func next(_ survey: inout LineSurvey) throws(JournalError) -> LineSurvey.Finding? {
        do { return try survey.next() } catch { throw JournalError(error, in: folder) }
    }

    private mutating func give(
        _ record: JournalRecord,
        _ spot: LineReader.Spot,
        _ entry: Catalog.Entry,
        _ body: Body
    ) throws(JournalError) {
        report.records += 1
        let place = place(spot, entry)
        let countsAtOnce = survivors?.take(record.topic) {
            Kept(
                seq: record.seq, at: Array(record.atBytes), payload: Array(record.payload), topic: record.topic,
                place: place)
        }
        if countsAtOnce ?? true { try hand(record, place, to: body) }
    }

    private func hand(_ record: JournalRecord, _ place: JournalPlace, to body: Body) throws(JournalError) {
        do { try body(record) } catch { throw .refused(place: place, seq: record.seq, reason: "\(error)") }
    }

    private mutating func damage(
        _ what: JournalDamage, _ spot: LineReader.Spot, _ entry: Catalog.Entry, bytes: Int
    ) {
        damagedFiles.insert(entry.name)
        if bytes > 0, spans.count < JournalLimits.noticesMax {
            spans.append(Span(place: place(spot, entry), bytes: bytes, damage: what))
        }
        report.add(.damaged(place(spot, entry), what))
    }

    private func refuseForeign(_ survey: LineSurvey, _ entry: Catalog.Entry) throws(JournalError) {
        if let later = survey.laterVersion {
            throw .newerVersion(place: place(later.spot, entry), found: later.version)
        }
        if survey.isForeign { throw .foreignFile(path: folder + "/" + entry.name) }
    }

    private func place(_ spot: LineReader.Spot, _ entry: Catalog.Entry) -> JournalPlace {
        JournalPlace(file: entry.name, line: spot.line, byteOffset: spot.byteOffset)
    }
}

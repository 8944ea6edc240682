internal import PluginKit
internal import SourceKit

/// One release as the API lists it: its counts from its first day on.
struct ListedRelease: Hashable, Sendable {
    let id: String
    /// `5.4.0 (5401)`.
    let name: String
    let released: Moment
    let stage: String?
    /// Nil where the plan has no stability monitoring.
    let count: ReleaseCounters.Count?

    /// The releases of one page.
    struct Found: Sendable {
        let releases: [ListedRelease]
        /// Those that make no sense.
        let left: LeftOut

        init(_ page: JSONReader) throws(JSONMismatch) {
            var left = LeftOut()
            releases = try page.elements(leaving: &left) { element throws(JSONMismatch) in try ListedRelease(element) }
            self.left = left
        }
    }

    private init(_ reader: JSONReader) throws(JSONMismatch) {
        id = try reader.member("id").nonEmptyString()
        let version = try reader.member("app_version").nonEmptyString()
        let code = try reader.optional("app_version_code")?.string()
        let bundle = try reader.optional("app_bundle_version")?.string()
        let build = [code, bundle].compactMap(\.self).first { !$0.isEmpty }
        name = build.map { "\(version) (\($0))" } ?? version
        released = try reader.member("release_time").moment()
        stage = try reader.optional("release_stage")?.optional("name")?.string()
        let total = "total_sessions_count"
        guard let sessions = try reader.optional(total)?.count() else {
            count = nil
            return
        }
        let unhandled = try reader.member("unhandled_sessions_count")
        // Both are counted while sessions come in, so the part can be a little ahead of the whole.
        count = ReleaseCounters.Count(
            sessions: sessions, crashed: try unhandled.crashed(unhandled.count(), of: sessions, total))
    }
}

/// How far the releases of a project had counted at one moment.
struct ReleaseCounters: Hashable, Sendable {
    struct Count: Hashable, Sendable {
        let sessions: Double
        let crashed: Double
    }

    let at: Moment
    /// By the ids of releases.
    private(set) var counts: [String: Count] = [:]

    /// What one release had in a stretch of time.
    struct Step: Hashable, Sendable {
        let release: String
        let span: TimeSpan
        let sessions: Double
        let crashed: Double
    }

    /// What all had since the counters before.
    struct Steps: Sendable {
        /// In the order in which they were listed; without those that had no sessions.
        var steps: [Step] = []
        /// Over all of them since the last poll; nil where one of them is not known over that very stretch.
        var whole: Step?
        /// Releases whose counts fell: they were corrected, and this stretch of theirs is left out.
        var corrected: [String] = []
    }

    /// Counts of a release that was never seen before are of its whole life; one that is older than this was only out of
    /// sight.
    private static let youthMax = Duration.days(2)
    /// After a longer pause the difference says nothing that anybody wants to know.
    private static let pauseMax = Duration.days(7)

    init(at: Moment) { self.at = at }

    /// Turns counts that only rise into what came since the counters before.
    ///
    /// - Parameter lacksSome: whether some are not among those that are listed.
    /// - Returns: the steps, and the counters to compare the next ones with.
    static func steps(
        from before: ReleaseCounters?, to listed: [ListedRelease], lacksSome: Bool, at now: Moment
    ) -> (steps: Steps, next: ReleaseCounters) {
        var (found, next) = (Steps(), ReleaseCounters(at: now))
        // A clock that was set back makes no stretch of time.
        let since = before.flatMap { TimeSpan(from: $0.at, to: now) }.flatMap { $0.length <= pauseMax ? $0 : nil }
        var (sessions, crashed) = (0.0, 0.0)
        var isWhole = since != nil && !lacksSome
        for release in listed.unique {
            guard let count = release.count else {
                isWhole = false
                continue
            }
            next.counts[release.id] = count
            if let since, let old = before?.counts[release.id] {
                guard count.sessions >= old.sessions, count.crashed >= old.crashed else {
                    found.corrected.append(release.name)
                    isWhole = false
                    continue
                }
                let more = count.sessions - old.sessions
                // A crash is told of at the app's next start, when its session has long been counted: what is more than this
                // stretch can hold is left for the next.
                let hit = min(count.crashed - old.crashed, more)
                next.counts[release.id] = Count(sessions: count.sessions, crashed: old.crashed + hit)
                sessions += more
                crashed += hit
                found.add(Step(release: release.name, span: since, sessions: more, crashed: hit))
                continue
            }
            // All that it has had since it came out, which is its first figure.
            let born = min(release.released, since?.from ?? release.released)
            let isNew = since.map { release.released >= $0.from } ?? false
            if isNew, let since {
                sessions += count.sessions
                crashed += count.crashed
                found.add(Step(release: release.name, span: since, sessions: count.sessions, crashed: count.crashed))
            } else {
                isWhole = false
                guard now - born <= youthMax, let life = TimeSpan(from: born, to: now) else { continue }
                found.add(Step(release: release.name, span: life, sessions: count.sessions, crashed: count.crashed))
            }
        }
        if isWhole, let since, sessions > 0 {
            found.whole = Step(release: "", span: since, sessions: sessions, crashed: crashed)
        }
        return (found, next)
    }

    // MARK: - In the cursor

    var json: JSON {
        let written = counts.sorted { $0.key < $1.key }.map { id, count in
            (id, JSON.array([JSON(count.sessions), JSON(count.crashed)]))
        }
        return ["at": JSON(at), "releases": .object(JSONObject(written))]
    }

    /// Reads what `json` wrote; anything else is as good as nothing.
    init?(_ json: JSON) {
        guard let text = json["at"]?.string, let at = Moment(rfc3339: text) else { return nil }
        self.at = at
        for member in json["releases"]?.object?.members ?? [] {
            guard let pair = member.value.array, pair.count == 2, let sessions = pair[0].number,
                let crashed = pair[1].number, 0 <= crashed, crashed <= sessions
            else { continue }
            counts[member.name] = Count(sessions: sessions, crashed: crashed)
        }
    }
}

extension [ListedRelease] {
    /// Each once: one that comes out while the pages are read moves the others on, so that one of them stands on two.
    /// What was read last is the newest.
    fileprivate var unique: [ListedRelease] {
        var (unique, places): ([ListedRelease], [String: Int]) = ([], [:])
        for release in self {
            if let place = places[release.id] {
                unique[place] = release
            } else {
                places[release.id] = unique.count
                unique.append(release)
            }
        }
        return unique
    }
}

extension ReleaseCounters.Steps {
    /// Takes in a step; two builds of one name are one release.
    fileprivate mutating func add(_ step: ReleaseCounters.Step) {
        guard step.sessions > 0 else { return }
        guard let index = steps.firstIndex(where: { $0.release == step.release && $0.span == step.span }) else {
            steps.append(step)
            return
        }
        steps[index] = ReleaseCounters.Step(
            release: step.release, span: step.span, sessions: steps[index].sessions + step.sessions,
            crashed: steps[index].crashed + step.crashed)
    }
}

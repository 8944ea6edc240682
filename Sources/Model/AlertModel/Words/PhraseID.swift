/// What one phrase of a message is for. Teams write these names in files of their own, so they stay.
public enum PhraseID: String, Hashable, Sendable, CaseIterable {
    // Numbers, times and dates
    case numberDecimal = "number.decimal"
    case numberThousands = "number.thousands"
    case percent
    case points
    case days
    case hours
    case minutes
    case seconds
    case weekdays
    case months
    case date
    case stretch
    case span

    // What is measured
    case metricUsers = "metric.users"
    case metricCrashedUsers = "metric.crashed_users"
    case metricCrashFreeUsers = "metric.crash_free_users"
    case metricSessions = "metric.sessions"
    case metricCrashedSessions = "metric.crashed_sessions"
    case metricCrashFreeSessions = "metric.crash_free_sessions"
    case metricCrashEvents = "metric.crash_events"
    case metricAnrRate = "metric.anr_rate"
    case metricAdoption = "metric.adoption"
    case countUsers = "count.users"
    case countSessions = "count.sessions"
    case countEvents = "count.events"
    case countIncidents = "count.incidents"
    case severityInfo = "severity.info"
    case severityWarning = "severity.warning"
    case severityCritical = "severity.critical"

    // What a figure is measured by
    case limitBelow = "limit.below"
    case limitAtBelow = "limit.at_below"
    case limitAbove = "limit.above"
    case limitAtAbove = "limit.at_above"
    case detailLimit = "detail.limit"
    case detailUsual = "detail.usual"
    case detailOlderRelease = "detail.older_release"
    case detailPeriod = "detail.period"
    case detailSeverity = "detail.severity"
    case detailCorrected = "detail.corrected"
    case details

    // Headlines
    case headlineFigure = "headline.figure"
    case headlineWorse = "headline.worse"
    case headlineStill = "headline.still"
    case headlineSilent = "headline.silent"
    case headlineAcknowledged = "headline.acknowledged"
    case headlineBack = "headline.back"
    case headlineAgain = "headline.again"
    case headlineClosed = "headline.closed"
    case headlineCorrectedEnd = "headline.corrected_end"
    case headlineWhat = "headline.what"
    case headlineWhatSilent = "headline.what_silent"
    case headlineWhatAcknowledged = "headline.what_acknowledged"
    case headlineWhatResolved = "headline.what_resolved"
    case headlineWhatClosed = "headline.what_closed"
    case endResolved = "end.resolved"
    case endSilent = "end.silent"
    case endUnwatched = "end.unwatched"
    case whatOf = "what.of"
    case carers
    case namesNobody = "names.nobody"
    case namesTwo = "names.two"
    case namesThree = "names.three"
    case namesMore = "names.more"

    // Fields
    case fieldLasted = "field.lasted"
    case fieldSince = "field.since"
    case since
    case fieldOnIt = "field.on_it"
    case fieldOwner = "field.owner"
    case fieldNoNews = "field.no_news"
    case noNews = "no_news"
    case noNewsVanished = "no_news.vanished"
    case noNewsFailing = "no_news.failing"
    case noNewsUnjudged = "no_news.unjudged"
    case fieldRelease = "field.release"
    case releaseUsers = "release.users"
    case releaseSessions = "release.sessions"
    case fieldStandsOut = "field.stands_out"
    case standsOut = "stands_out"
    case fieldPeak = "field.peak"
    case peakUsers = "peak.users"
    case peakSessions = "peak.sessions"
    case peakCases = "peak.cases"
    case fieldUsersAffected = "field.users_affected"
    case fieldSessionsAffected = "field.sessions_affected"
    case fieldCasesAffected = "field.cases_affected"
    case affected
    case fieldAtWorst = "field.at_worst"
    case fieldBeforeWorst = "field.before_worst"
    case fieldBeforeNow = "field.before_now"
    case fieldNow = "field.now"
    case fieldCorrected = "field.corrected"
    case correctedSpan = "corrected.span"
    case correctedEnd = "corrected.end"
    case issueAge = "issue.age"
    case issueFirstSeen = "issue.first_seen"
    case footer

    // Links
    case linkStatus = "link.status"
    case linkAcknowledge = "link.acknowledge"
    case linkMuteHours = "link.mute_hours"
    case linkMuteDays = "link.mute_days"
    case linkDashboard = "link.dashboard"
    case linkRunbook = "link.runbook"
    case linkUntitled = "link.untitled"

    // Captions of channels
    case captionWhy = "caption.why"
    case captionLastDay = "caption.last_day"
    case captionIssues = "caption.issues"
    case captionLinks = "caption.links"
    case captionMessage = "caption.message"
    case captionIncidents = "caption.incidents"
    case captionRule = "caption.rule"
    case captionSentBy = "caption.sent_by"
    case captionMore = "caption.more"
    case captionUntitled = "caption.untitled"
    case captionRepeated = "caption.repeated"

    // Messages about several
    case digestPart = "digest.part"
    case digestPast = "digest.past"
    case digestWhy = "digest.why"
    case duringQuietHours = "during.quiet_hours"
    case duringFlapping = "during.flapping"
    case duringUnreachable = "during.unreachable"
    case duringHold = "during.hold"
    case digestLate = "digest.late"
    case digestLateWhy = "digest.late_why"
    case digestMore = "digest.more"
    case digestFigure = "digest.figure"
    case digestWhat = "digest.what"
    case digestSince = "digest.since"
    case togetherOpened = "together.opened"
    case togetherResolved = "together.resolved"
    case togetherHeld = "together.held"
    case togetherWho = "together.who"
    case countFiring = "count.firing"
    case countResolved = "count.resolved"

    // What gates say
    case gateBudget = "gate.budget"
    case gateGroup = "gate.group"
    case gateFlapping = "gate.flapping"
    case fieldFlapping = "field.flapping"
    case flapping
    case fieldEscalated = "field.escalated"
    case escalated

    // Why, in one sentence
    case reasonAtMost = "reason.at_most"
    case reasonAtLeast = "reason.at_least"
    case reasonMeasured = "reason.measured"
    case reasonNotClear = "reason.not_clear"
    case reasonAlso = "reason.also"
    case reasonCondition = "reason.condition"
    case reasonFall = "reason.fall"
    case reasonYoung = "reason.young"
    case reasonUnclear = "reason.unclear"
    case reasonUsual = "reason.usual"
    case reasonReleaseWorse = "reason.release_worse"
    case reasonRelease = "reason.release"
    case releaseWorse = "release.worse"
    case releaseBetter = "release.better"
    case releaseSame = "release.same"
    case releaseSameHours = "release.same_hours"
    case releaseSameAdoption = "release.same_adoption"
    case releaseFine = "release.fine"
    case releaseFineOver = "release.fine_over"
    case releaseReplaced = "release.replaced"
    case staleSource = "stale.source"
    case staleApp = "stale.app"
    case staleSourceOver = "stale.source_over"
    case staleAppOver = "stale.app_over"

    // Why, of single issues
    case issueNew = "issue.new"
    case issueNewHit = "issue.new_hit"
    case issueBack = "issue.back"
    case issueBackHit = "issue.back_hit"
    case issueManyNew = "issue.many_new"
    case issueManyBack = "issue.many_back"
    case issueSpreads = "issue.spreads"
    case issueSpreadsHit = "issue.spreads_hit"
    case issueFast = "issue.fast"
    case issueFastHit = "issue.fast_hit"
    case issueOverKnown = "issue.over_known"
    case issueOverForgotten = "issue.over_forgotten"
    case issueOverClosed = "issue.over_closed"
    case issueOverIgnored = "issue.over_ignored"
    case issueOverBack = "issue.over_back"
    case issueOverUnseen = "issue.over_unseen"
    case issueOverLong = "issue.over_long"

    // The bot's own troubles
    case troubleStale = "trouble.stale"
    case troubleUnpushed = "trouble.unpushed"
    case troubleFailing = "trouble.failing"
    case troubleFailingWait = "trouble.failing_wait"
    case troubleStopped = "trouble.stopped"
    case troublePartial = "trouble.partial"
    case troubleLate = "trouble.late"
    case troubleLateWait = "trouble.late_wait"
    case troubleDead = "trouble.dead"
    case troubleJournal = "trouble.journal"
    case troubleTemplate = "trouble.template"
    case troubleClockBack = "trouble.clock_back"
    case troubleClockForward = "trouble.clock_forward"
    case overClock = "over.clock"
    case overTemplate = "over.template"
    case overWorks = "over.works"

    // Why it was closed
    case closedVanished = "closed.vanished"
    case closedFailing = "closed.failing"
    case closedUnjudged = "closed.unjudged"
    case closedTemplate = "closed.template"
    case closedName = "closed.name"
    case closedRule = "closed.rule"
    case closedSource = "closed.source"
    case closedUnmatched = "closed.unmatched"
    case closedChanged = "closed.changed"
    case closedOwn = "closed.own"
    case closedApp = "closed.app"

    // The message of send-test
    case testHeadline = "test.headline"
    case testChannel = "test.channel"
    case testWhy = "test.why"
}

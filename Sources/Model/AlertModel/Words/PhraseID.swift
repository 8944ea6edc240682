/// What one phrase of a message is for.
///
/// A case is its place among all of them, which no record has: tables of phrases are read by it. What is written down is
/// its name.
public enum PhraseID: Int, Hashable, Sendable, CaseIterable {
    // Numbers, times and dates
    case numberDecimal
    case numberThousands
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
    case metricUsers
    case metricCrashedUsers
    case metricCrashFreeUsers
    case metricSessions
    case metricCrashedSessions
    case metricCrashFreeSessions
    case metricCrashEvents
    case metricAnrRate
    case metricAdoption
    case countUsers
    case countSessions
    case countEvents
    case countIncidents
    case severityInfo
    case severityWarning
    case severityCritical

    // What a figure is measured by
    case limitBelow
    case limitAt
    case limitAtBelow
    case limitAbove
    case limitAtAbove
    case detailLimit
    case detailUsual
    case detailOlderRelease
    case detailPeriod
    case detailSeverity
    case detailAgain
    case detailFlapping
    case detailCorrected
    case detailClosed
    case detailWithin
    case details

    // Headlines
    case headlineFigure
    case headlineEscalated
    case headlineWorse
    case headlineStill
    case headlineWorst
    case headlineFlapping
    case headlineSilent
    case headlineAcknowledged
    case headlineBack
    case headlineWithin
    case headlineAgain
    case headlineUsual
    case headlineClosed
    case headlineCorrectedEnd
    case headlineWhat
    case headlineWhatFlapping
    case headlineWhatSilent
    case headlineWhatAcknowledged
    case headlineWhatResolved
    case headlineWhatEnded
    case headlineReplaced
    case headlineSourceAgain
    case headlineWhatClosed
    case endResolved
    case endEnded
    case endSilent
    case endUnwatched
    case whatOf
    case whatIssue
    case carers
    case namesNobody
    case namesTwo
    case namesThree
    case namesMore

    // Fields
    case fieldLasted
    case fieldBegan
    case began
    case fieldSince
    case since
    case fieldNewest
    case fieldUnwatched
    case fieldOnIt
    case fieldTurn
    case turn
    case fieldOwner
    case fieldNoNews
    case noNews
    case noNewsVanished
    case noNewsFailing
    case noNewsUnjudged
    case fieldRelease
    case releaseUsers
    case releaseSessions
    case fieldStandsOut
    case standsOut
    case fieldPeak
    case peakUsers
    case peakSessions
    case peakCases
    case fieldUsersAffected
    case fieldSessionsAffected
    case fieldCasesAffected
    case affected
    case about
    case fieldAtWorst
    case fieldBeforeWorst
    case fieldBeforeNow
    case fieldNow
    case nowOver
    case figureOf
    case fieldHeld
    case heldQuietHours
    case heldMute
    case heldFlapping
    case fieldCorrected
    case correctedSpan
    case correctedEnd
    case issueAge
    case issueFirstSeen
    case footer

    // Links
    case linkStatus
    case linkAcknowledge
    case linkIncident
    case linkMuteHours
    case linkMuteDays
    case linkDashboard
    case linkRunbook
    case linkUntitled

    // Captions of channels
    case captionWhy
    case captionLastDay
    case captionIssues
    case captionLinks
    case captionMessage
    case captionIncidents
    case captionRule
    case captionSentBy
    case captionMore
    case captionUntitled
    case captionRepeated

    // Charts
    case chartTitle
    case chartWords
    case chartDay

    // Messages about several
    case digestPart
    case digestPast
    case digestWhy
    case digestOpened
    case digestOpenedWhy
    case duringQuietHours
    case duringFlapping
    case duringUnreachable
    case duringHold
    case duringMute
    case digestLate
    case digestLateWhy
    case digestMore
    case digestFigure
    case digestWhat
    case digestSince
    case muteHeadline
    case muteHeadlineBy
    case muteEnded
    case muteEverything
    case muteSource
    case muteApp
    case muteRelease
    case muteEnvironment
    case muteRule
    case muteSeverity
    case muteIssue
    case muteLabel
    case muteOr
    case muteWhy
    case muteFooter
    case fieldUntil
    case fieldReason
    case togetherOpened
    case togetherResolved
    case togetherHeld
    case togetherHeldWorst
    case togetherHeldFiring
    case togetherCalm
    case togetherWorst
    case togetherEnded
    case togetherOver
    case togetherWho
    case countFiring
    case countClosed
    case countEnded
    case countPast
    case countResolved

    // What gates say
    case gateBudget
    case gateGroup
    case gateFlapping
    case fieldFlapping
    case flapping
    case flappingSlowly
    case fieldEscalated
    case escalated
    case escalatedWorse

    // Why, in one sentence
    case reasonAtMost
    case reasonAtLeast
    case reasonMeasured
    case reasonPart
    case reasonAtMostUntil
    case reasonAtLeastUntil
    case reasonMeasuredUntil
    case reasonHistory
    case reasonNotClear
    case reasonUnsure
    case reasonAsOf
    case reasonAbsent
    case reasonCorrected
    case reasonAlso
    case reasonCondition
    case reasonStill
    case reasonFall
    case reasonYoung
    case reasonUnclear
    case reasonUsual
    case reasonStayed
    case reasonReleaseWorse
    case reasonRelease
    case releaseWorse
    case releaseBetter
    case releaseSame
    case releaseSameHours
    case releaseSameAdoption
    case releaseLately
    case releaseFine
    case releaseFineOver
    case releaseReplaced
    case staleSource
    case staleApp
    case staleSourceSilent
    case staleAppSilent
    case staleSourceOver
    case staleAppOver

    // Why, of single issues
    case issueNew
    case issueNewHit
    case issueBack
    case issueBackHit
    case issueManyNew
    case issueManyBack
    case issueSpreads
    case issueSpreadsHit
    case issueFast
    case issueFastHit
    case issueOverKnown
    case issueOverForgotten
    case issueOverClosed
    case issueOverIgnored
    case issueOverBack
    case issueOverUnseen
    case issueOverLong

    // The bot's own troubles
    case troubleStale
    case troubleUnpushed
    case troubleFailing
    case troubleFailingWait
    case troubleLack
    case troubleWait
    case troubleStopped
    case troublePartial
    case troubleLate
    case troubleLateWait
    case troubleDead
    case troubleJournal
    case troubleDamage
    case troubleConfig
    case troubleTemplate
    case troubleClockBack
    case troubleClockForward
    case overClock
    case overDamage
    case overConfig
    case overTemplate
    case overWorks
    case overLack

    // Why it was closed
    case closedVanished
    case closedFailing
    case closedUnjudged
    case closedTemplate
    case closedName
    case closedRule
    case closedSource
    case closedUnmatched
    case closedChanged
    case closedOwn
    case closedApp

    // The message of send-test
    case testHeadline
    case testChannel
    case testWhy
    case testChart
}

extension PhraseID {
    /// By the numbers of the ids: the journal asks for a name with every phrase that it has.
    private static let entries = allCases.map { $0.entry }
    private static let named = [String: PhraseID](uniqueKeysWithValues: allCases.map { ($0.name, $0) })

    /// What files and records call it: `headline.figure`.
    public var name: String { PhraseID.entries[rawValue].name }

    /// The phrase of that name; nil where there is none.
    public init?(name: String) {
        guard let id = PhraseID.named[name] else { return nil }
        self = id
    }

    var english: Wording { PhraseID.entries[rawValue].english }
}

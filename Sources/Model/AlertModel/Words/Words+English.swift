// The built-in words, each beside its name. Teams write the names in files of their own, and the journal has them: they
// stay. What is here in one language stands in the other at the same place.

extension PhraseID {
    var entry: (name: String, english: Wording) {
        switch self {
        // Numbers, times and dates
        case .numberDecimal: ("number.decimal", ".")
        case .numberThousands: ("number.thousands", ",")
        case .percent: ("percent", "{number}%")
        case .points: ("points", "{number}pp")
        case .days: ("days", "{count} d")
        case .hours: ("hours", "{count} h")
        case .minutes: ("minutes", "{count} min")
        case .seconds: ("seconds", "{count} s")
        case .weekdays: ("weekdays", "Mon Tue Wed Thu Fri Sat Sun")
        case .months: ("months", "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec")
        case .date: ("date", "{weekday} {day} {month} {time}")
        case .stretch: ("stretch", "{from} to {to}")
        case .span: ("span", "{stretch}, {period}")

        // What is measured
        case .metricUsers: ("metric.users", "users")
        case .metricCrashedUsers: ("metric.crashed_users", "crashed users")
        case .metricCrashFreeUsers: ("metric.crash_free_users", "crash-free users")
        case .metricSessions: ("metric.sessions", "sessions")
        case .metricCrashedSessions: ("metric.crashed_sessions", "crashed sessions")
        case .metricCrashFreeSessions: ("metric.crash_free_sessions", "crash-free sessions")
        case .metricCrashEvents: ("metric.crash_events", "crash events")
        case .metricAnrRate: ("metric.anr_rate", "ANR rate")
        case .metricAdoption: ("metric.adoption", "adoption")
        case .countUsers: ("count.users", Wording(one: "{count} user", other: "{count} users"))
        case .countSessions: ("count.sessions", Wording(one: "{count} session", other: "{count} sessions"))
        case .countEvents: ("count.events", Wording(one: "{count} event", other: "{count} events"))
        case .countIncidents: ("count.incidents", Wording(one: "{count} incident", other: "{count} incidents"))
        case .severityInfo: ("severity.info", "info")
        case .severityWarning: ("severity.warning", "warning")
        case .severityCritical: ("severity.critical", "critical")

        // What a figure is measured by
        case .limitBelow: ("limit.below", "below {limit}")
        case .limitAt: ("limit.at", "at {limit}")
        case .limitAtBelow: ("limit.at_below", "at or below {limit}")
        case .limitAbove: ("limit.above", "above {limit}")
        case .limitAtAbove: ("limit.at_above", "at or above {limit}")
        case .detailLimit: ("detail.limit", "alert {limit}")
        case .detailUsual: ("detail.usual", "usually {usual}")
        case .detailOlderRelease: ("detail.older_release", "older release {figure}")
        case .detailPeriod: ("detail.period", "for {period}")
        case .detailSeverity: ("detail.severity", "now {severity}")
        case .detailAgain: ("detail.again", "firing again since {moment}")
        case .detailFlapping: ("detail.flapping", "Flapping: {headline}")
        case .detailCorrected: ("detail.corrected", "figures corrected")
        case .detailClosed: ("detail.closed", "closed without a known end")
        case .detailWithin: ("detail.within", "not {limit} after all")
        case .details: ("details", "{sentence} ({details})")

        // Headlines
        case .headlineFigure: ("headline.figure", "{who}: {metric} {figure}")
        case .headlineEscalated: ("headline.escalated", "{who}, {severity}")
        case .headlineWorse: ("headline.worse", "{who}: {metric} now {figure}")
        case .headlineStill: ("headline.still", "{who}: {metric} still {figure}")
        case .headlineWorst: ("headline.at_worst", "{who}: {metric} {figure} at worst")
        case .headlineFlapping: ("headline.flapping", "{who} is flapping: {metric} {figure} at worst, now {now}")
        case .headlineSilent: ("headline.silent", "{who}: {metric} last known {figure}, no news for {period}")
        case .headlineAcknowledged: ("headline.acknowledged", "{who}: {carers}; {metric} {figure}")
        case .headlineBack: ("headline.back", "{who}: {metric} {figure}, back {limit}, after {period}")
        case .headlineWithin: ("headline.within", "{who}: {metric} {figure}, not {limit} after all")
        case .headlineAgain: ("headline.again", "{who}: {metric} {figure} again, after {period}")
        case .headlineUsual: ("headline.usual", "{who}: {metric} {figure} now counts as normal, after {period}")
        case .headlineClosed: ("headline.closed", "{who}: {metric} {end}, after {period}; last known {figure}")
        case .headlineCorrectedEnd:
            ("headline.corrected_end", "{who}: {end} after {period}, {metric} {figure} at worst ({details})")
        case .headlineWhat: ("headline.what", "{who}: {what}")
        case .headlineWhatFlapping: ("headline.what_flapping", "{who} is flapping: {what}")
        case .headlineWhatSilent: ("headline.what_silent", "{who}: no news for {period}; last known: {what}")
        case .headlineWhatAcknowledged: ("headline.what_acknowledged", "{who}: {carers}; {what}")
        case .headlineWhatResolved: ("headline.what_resolved", "{who}: {what} is resolved")
        case .headlineWhatEnded: ("headline.what_ended", "{who}: alert {what} has ended")
        case .headlineReplaced: ("headline.replaced", "{who}: no longer the newest release; {metric} {figure} at worst")
        case .headlineSourceAgain: ("headline.source_again", "{who}: source {source} answers again, after {period}")
        case .headlineWhatClosed: ("headline.what_closed", "{who}: {what} {end}, after {period}")
        case .endResolved: ("end.resolved", "resolved")
        case .endEnded: ("end.ended", "ended")
        case .endSilent: ("end.silent", "closed without news")
        case .endUnwatched: ("end.unwatched", "no longer watched")
        case .whatOf: ("what.of", "{rule} ({source})")
        case .whatIssue: ("what.issue", "{rule} for {issue}")
        case .carers: ("carers", Wording(one: "{names} is on it", other: "{names} are on it"))
        case .namesNobody: ("names.nobody", "somebody")
        case .namesTwo: ("names.two", "{name} and {other}")
        case .namesThree: ("names.three", "{name}, {other} and {third}")
        case .namesMore:
            (
                "names.more",
                Wording(one: "{name}, {other} and {count} other", other: "{name}, {other} and {count} others")
            )

        // Fields
        case .fieldLasted: ("field.lasted", "Lasted")
        case .fieldBegan: ("field.began", "Began")
        case .began: ("began", "about {moment}")
        case .fieldSince: ("field.since", "Since")
        case .since: ("since", "{moment}, for {period}")
        case .fieldNewest: ("field.newest", "Newest figures")
        case .fieldUnwatched: ("field.unwatched", "Not watched meanwhile")
        case .fieldOnIt: ("field.on_it", "On it")
        case .fieldTurn: ("field.turn", "Your turn")
        case .turn: ("turn", "since {moment}; notified before you: {channel}, {time}")
        case .fieldOwner: ("field.owner", "Owner")
        case .fieldNoNews: ("field.no_news", "No news since")
        case .noNews: ("no_news", "{moment}, for {period}: {cause}")
        case .noNewsVanished: ("no_news.vanished", "the source answers, but no longer reports it")
        case .noNewsFailing: ("no_news.failing", "the source gives no answer")
        case .noNewsUnjudged: ("no_news.unjudged", "not enough figures since then to judge it")
        case .fieldRelease: ("field.release", "Release")
        case .releaseUsers: ("release.users", "{release}, {share} of users")
        case .releaseSessions: ("release.sessions", "{release}, {share} of sessions")
        case .fieldStandsOut: ("field.stands_out", "Stands out")
        case .standsOut: ("stands_out", "release {release}: {share} of {failures}, {part} of {all}")
        case .fieldPeak: ("field.peak", "Affected at worst")
        case .peakUsers:
            ("peak.users", Wording(one: "{hit} of {total} user ({share})", other: "{hit} of {total} users ({share})"))
        case .peakSessions:
            (
                "peak.sessions",
                Wording(one: "{hit} of {total} session ({share})", other: "{hit} of {total} sessions ({share})")
            )
        case .peakCases:
            ("peak.cases", Wording(one: "{hit} of {total} case ({share})", other: "{hit} of {total} cases ({share})"))
        case .fieldUsersAffected: ("field.users_affected", "Users affected")
        case .fieldSessionsAffected: ("field.sessions_affected", "Sessions affected")
        case .fieldCasesAffected: ("field.cases_affected", "Cases affected")
        case .affected: ("affected", "{hit} of {total} ({share})")
        case .about: ("about", "about {hit}")
        case .fieldAtWorst: ("field.at_worst", "At worst")
        case .fieldBeforeWorst: ("field.before_worst", "Before → at worst")
        case .fieldBeforeNow: ("field.before_now", "Before → now")
        case .fieldNow: ("field.now", "Now")
        case .nowOver: ("now.over", "{figure} over the last {span}")
        case .figureOf: ("figure.of", "{metric} {figure}")
        case .fieldHeld: ("field.held", "Held until now by")
        case .heldQuietHours: ("held.quiet_hours", "quiet hours ({gate})")
        case .heldMute: ("held.mute", "a mute")
        case .heldFlapping: ("held.flapping", "flapping")
        case .fieldCorrected: ("field.corrected", "Corrected")
        case .correctedSpan: ("corrected.span", "{said} was reported for {span}; with late figures it is {now}")
        case .correctedEnd: ("corrected.end", "{said} was reported as the worst; with late figures it is {now}")
        case .issueAge: ("issue.age", "new, {period} old")
        case .issueFirstSeen: ("issue.first_seen", "first seen {moment}")
        case .footer: ("footer", "Rule {rule} · incident {incident}")

        // Links
        case .linkStatus: ("link.status", "Status")
        case .linkAcknowledge: ("link.acknowledge", "Acknowledge")
        case .linkIncident: ("link.incident", "Incident")
        case .linkMuteHours: ("link.mute_hours", "Mute 2 h")
        case .linkMuteDays: ("link.mute_days", "Mute 2 days")
        case .linkDashboard: ("link.dashboard", "Dashboard")
        case .linkRunbook: ("link.runbook", "Runbook")
        case .linkUntitled: ("link.untitled", "link")

        // Captions of channels
        case .captionWhy: ("caption.why", "Why")
        case .captionLastDay: ("caption.last_day", "Last day")
        case .captionIssues: ("caption.issues", "Top issues")
        case .captionLinks: ("caption.links", "Links")
        case .captionMessage: ("caption.message", "Message")
        case .captionIncidents: ("caption.incidents", "Incidents")
        case .captionRule: ("caption.rule", "Rule")
        case .captionSentBy: ("caption.sent_by", "Sent by")
        case .captionMore: ("caption.more", "… and {count} more")
        case .captionUntitled: ("caption.untitled", "(without a title)")
        case .captionRepeated: ("caption.repeated", "(possibly repeated: the answer to the first try was lost)")

        // Charts
        case .chartTitle: ("chart.title", "{metric}, last day")
        case .chartWords: ("chart.words", "{what}: between {from} and {to}, {now} at its end")
        case .chartDay: ("chart.day", "{day} {month}")

        // Messages about several
        case .digestPart: ("digest.part", ", part {part} of {parts}")
        case .digestPast: ("digest.past", "{incidents} came and went {during}")
        case .digestWhy: ("digest.why", "What came and went {during} is summarised once, afterwards.")
        case .digestOpened: ("digest.opened", "{incidents} opened {during}")
        case .digestOpenedWhy: ("digest.opened_why", "What opened {during} is summarised once, afterwards.")
        case .duringQuietHours: ("during.quiet_hours", "while held by quiet hours ({gate})")
        case .duringFlapping: ("during.flapping", "while flapping")
        case .duringUnreachable: ("during.unreachable", "while this channel could not be reached")
        case .duringHold: ("during.hold", "while held by {gate}")
        case .duringMute: ("during.mute", "while muted")
        case .digestLate: ("digest.late", "Resolved in the meantime: {headline}")
        case .digestLateWhy:
            ("digest.late_why", "The message could not be delivered while the incident was open, and was retried.")
        case .digestMore: ("digest.more", "and {count} more")
        case .digestFigure: ("digest.figure", "{who}: {metric} {figure} at worst · {when}")
        case .digestWhat: ("digest.what", "{who}: {what} · {when}")
        case .digestSince: ("digest.since", "{headline} · since {moment}")
        case .muteHeadline: ("mute.headline", "Muted: {what}")
        case .muteHeadlineBy: ("mute.headline_by", "Muted by {who}: {what}")
        case .muteEnded: ("mute.ended", "Mute ended: {what}")
        case .muteEverything: ("mute.everything", "everything")
        case .muteSource: ("mute.source", "source {names}")
        case .muteApp: ("mute.app", "app {names}")
        case .muteRelease: ("mute.release", "release {names}")
        case .muteEnvironment: ("mute.environment", "environment {names}")
        case .muteRule: ("mute.rule", "rule {names}")
        case .muteSeverity: ("mute.severity", "severity {names}")
        case .muteIssue: ("mute.issue", "issue {names}")
        case .muteLabel: ("mute.label", "{name} {names}")
        case .muteOr: ("mute.or", "{name} or {other}")
        case .muteWhy:
            (
                "mute.why",
                """
                Nothing is sent about it until the mute ends. Then what is still wrong and has not been reported is \
                sent, and reminders resume.
                """
            )
        case .muteFooter: ("mute.footer", "Mute {name}")
        case .fieldUntil: ("field.until", "Until")
        case .fieldReason: ("field.reason", "Reason")
        case .togetherOpened: ("together.opened", "{who}: {incidents} at once")
        case .togetherResolved: ("together.resolved", "{who}: {incidents} resolved")
        case .togetherHeld: ("together.held", "{who}: {counts}, held until now by {gate}")
        case .togetherHeldWorst: ("together.held_worst", "{counts}, worst: {what} · {who} (held until now by {gate})")
        case .togetherHeldFiring: ("together.held_firing", "{counts}: {what} · {who} (held until now by {gate})")
        case .togetherCalm: ("together.calm", "{who}: calm for {period} after {incidents} since {moment}")
        case .togetherWorst: ("together.worst", "{headline}, worst: {what}")
        case .togetherEnded: ("together.ended", "{who}: {counts}")
        case .togetherOver: ("together.over", "{who}: {incidents} ended")
        case .togetherWho: ("together.who", "{names} and {count} more")
        case .countFiring: ("count.firing", "{count} firing")
        case .countResolved: ("count.resolved", "{count} resolved")
        case .countClosed: ("count.closed", "{count} closed without a known end")
        case .countEnded: ("count.ended", "{count} ended")
        case .countPast: ("count.past", "{count} came and went")

        // What gates say
        case .gateBudget:
            (
                "gate.budget",
                Wording(
                    one: "At most {count} message in {period} is sent here ({gate}); the rest is summarised.",
                    other: "At most {count} messages in {period} are sent here ({gate}); the rest is summarised.")
            )
        case .gateGroup: ("gate.group", "What opens or resolves within {period} is sent together ({gate}).")
        case .gateFlapping:
            ("gate.flapping", "It was flapping; this is the state after {period} without a change ({gate}).")
        case .fieldFlapping: ("field.flapping", "Flapping")
        case .flapping:
            ("flapping", "{count} changes within {span}; what follows is held until {period} have passed without one")
        case .flappingSlowly:
            (
                "flapping.slowly",
                "{count} changes within {span}; reported as resolved only after {period} without trouble"
            )
        case .fieldEscalated: ("field.escalated", "Not acknowledged")
        case .escalated: ("escalated", "{period} since the first notification")
        case .escalatedWorse: ("escalated.worse", "{period} since it got worse")

        // Why, in one sentence
        case .reasonAtMost:
            ("reason.at_most", "Not chance: at most {bound} over the last {span}, even on a generous count.")
        case .reasonAtLeast:
            ("reason.at_least", "Not chance: at least {bound} over the last {span}, even on a generous count.")
        case .reasonMeasured: ("reason.measured", "Measured over the last {span}.")
        case .reasonPart:
            ("reason.part", "Only {span} of {period} are known: {part} in that time, which would be {figure} in all.")
        case .reasonAtMostUntil:
            (
                "reason.at_most_until",
                "Not chance: at most {bound} over {span} until {until}, even on a generous count."
            )
        case .reasonAtLeastUntil:
            (
                "reason.at_least_until",
                "Not chance: at least {bound} over {span} until {until}, even on a generous count."
            )
        case .reasonMeasuredUntil: ("reason.measured_until", "Measured over {span} until {until}.")
        case .reasonHistory: ("reason.history", "Its newest figures ended on {moment}: history, not judged.")
        case .reasonNotClear: ("reason.not_clear", "Back inside its limit, but not yet clear of it.")
        case .reasonUnsure: ("reason.unsure", "Too little is known to be sure that it is over.")
        case .reasonAsOf: ("reason.as_of", "As of {moment}: {reason}")
        case .reasonAbsent:
            ("reason.absent", "Not measured: it counts as {figure} while the source does not report it.")
        case .reasonCorrected: ("reason.corrected", "Corrected by figures that came late.")
        case .reasonAlso: ("reason.also", "{reason} Also {others}.")
        case .reasonCondition: ("reason.condition", "{metric} {figure} ({limit})")
        case .reasonStill: ("reason.still", "Still beyond its limit: {others}.")
        case .reasonFall:
            (
                "reason.fall",
                Wording(
                    one: """
                        Not chance: by chance alone, a drop this deep over {span} happens less than once in \
                        {period}.
                        """,
                    other: """
                        Not chance: by chance alone, a drop this deep over {span} happens fewer than {count} times \
                        in {period}.
                        """)
            )
        case .reasonYoung: ("reason.young", "{reason} The usual level is learned from only {age} so far.")
        case .reasonUnclear: ("reason.unclear", "Not yet clear whether this is normal.")
        case .reasonUsual: ("reason.usual", "Usually {usual} at this time.")
        case .reasonStayed:
            ("reason.stayed", "It has stayed like this for {period}, so it now counts as normal; it has not improved.")
        case .reasonReleaseWorse: ("reason.release_worse", "Not chance: {comparison} {basis}.")
        case .reasonRelease: ("reason.release", "Now {comparison} {basis}.")
        case .releaseWorse: ("release.worse", "{difference} worse than {release}")
        case .releaseBetter: ("release.better", "{difference} better than {release}")
        case .releaseSame: ("release.same", "the same as {release}")
        case .releaseSameHours: ("release.same_hours", "in the same {span}")
        case .releaseSameAdoption: ("release.same_adoption", "at the same adoption")
        case .releaseLately: ("release.lately", "over its last {span}")
        case .releaseFine:
            (
                "release.fine",
                "{release} looks fine so far: {metric} {figure} of {total}, {comparison} ({usual} of {all}) {basis}"
            )
        case .releaseFineOver: ("release.fine_over", "It no longer looks fine.")
        case .releaseReplaced: ("release.replaced", "{release} is the newest release now.")
        case .staleSource:
            (
                "stale.source",
                """
                the source answers, but its newest figures are from {moment}, {age} before the answer; the limit \
                is {limit}
                """
            )
        case .staleApp:
            (
                "stale.app",
                "its newest figures are from {moment}, {age} before the source's last answer; the limit is {limit}"
            )
        case .staleSourceSilent:
            ("stale.source_silent", "no figures for {age}, though the source answers (alert after {limit})")
        case .staleAppSilent: ("stale.app_silent", "no figures for {age} (alert after {limit})")
        case .staleSourceOver: ("stale.source_over", "The newest figures are {age} old now.")
        case .staleAppOver: ("stale.app_over", "Its newest figures are {age} old now.")

        // Why, of single issues
        case .issueNew: ("issue.new", "new issue {issue}")
        case .issueNewHit: ("issue.new_hit", "new issue, {users} hit: {issue}")
        case .issueBack: ("issue.back", "back after it was resolved: {issue}")
        case .issueBackHit: ("issue.back_hit", "back after it was resolved, {users} hit since: {issue}")
        case .issueManyNew:
            (
                "issue.many_new",
                """
                {count} new issues at once: {names} and {rest} more; this happens when a source regroups its \
                issues, or when everything is broken
                """
            )
        case .issueManyBack:
            (
                "issue.many_back",
                """
                {count} issues that were resolved are back at once: {names} and {rest} more; this happens \
                when a source regroups its issues, or when everything is broken
                """
            )
        case .issueSpreads: ("issue.spreads", "{issue} affects {share} of {total} in {span}")
        case .issueSpreadsHit: ("issue.spreads_hit", "{issue} affects {share} of {total} in {span}, {users} hit")
        case .issueFast: ("issue.fast", "{share} of {total} hit in {span} (the limit is {limit}): {issue}")
        case .issueFastHit:
            ("issue.fast_hit", "{share} of {total} hit in {span} ({users}; the limit is {limit}): {issue}")
        case .issueOverKnown: ("issue.over_known", "It has been known for {period}, so it is no longer new.")
        case .issueOverForgotten:
            ("issue.over_forgotten", "The source has not reported it for so long that it was forgotten.")
        case .issueOverClosed: ("issue.over_closed", "It is resolved in the source.")
        case .issueOverIgnored: ("issue.over_ignored", "It was ignored in the source.")
        case .issueOverBack: ("issue.over_back", "It is no longer new: it was resolved and is back.")
        case .issueOverUnseen: ("issue.over_unseen", "It has not been seen for {period}.")
        case .issueOverLong: ("issue.over_long", "It has not been seen for a long time.")

        // The bot's own troubles
        case .troubleUnpushed: ("trouble.unpushed", "Nobody has pushed anything to source {source} since {moment}.")
        case .troubleStale:
            ("trouble.stale", "Source {source} answers, but its newest figures are from {moment}, older than allowed.")
        case .troubleFailing: ("trouble.failing", "No usable answer from source {source}: {cause} (since {moment})")
        case .troubleFailingWait:
            (
                "trouble.failing_wait",
                """
                No usable answer from source {source}: {cause} (since {moment}); it asks not to be polled \
                before {until}
                """
            )
        case .troubleLack: ("trouble.lack", "Only partial answers from source {source}: {cause} (since {moment})")
        case .troubleWait:
            (
                "trouble.wait",
                """
                Source {source} asks not to be polled before {until}, so there are no figures from it until then: \
                {cause}
                """
            )
        case .troubleStopped:
            (
                "trouble.stopped",
                """
                The credential of source {source} was refused twice, so the source is no longer polled: {cause}. \
                Renew the credential, then reload or restart.
                """
            )
        case .troublePartial: ("trouble.partial", "Messages to channel {channel} do not reach everybody: {cause}")
        case .troubleLate: ("trouble.late", "Messages to channel {channel} are waiting: {cause} (since {moment})")
        case .troubleLateWait:
            (
                "trouble.late_wait",
                """
                Messages to channel {channel} are waiting: {cause} (since {moment}); it asks the bot \
                to wait {period}
                """
            )
        case .troubleDead: ("trouble.dead", "A message to channel {channel} cannot be delivered: {cause}")
        case .troubleJournal:
            ("trouble.journal", "The journal cannot be written, so nothing new is sent until it can be: {cause}")
        case .troubleDamage:
            (
                "trouble.damage",
                """
                The journal was damaged when the bot started: {cause}. What those lines said is lost, so a \
                message may be sent twice. Check the disk; `alertbot journal verify` shows where.
                """
            )
        case .troubleConfig:
            (
                "trouble.config",
                "The config has changed and has errors, so the bot is still using the previous one: {cause}"
            )
        case .troubleTemplate:
            (
                "trouble.template",
                """
                The template {file} of {name} fails: {cause}; the built-in text was sent instead, \
                and will be until the template is fixed
                """
            )
        case .troubleClockBack:
            (
                "trouble.clock_back",
                """
                The clock of this machine was set back by {period}. Waits and reminders moved with it; quiet \
                hours and mutes follow the new time.
                """
            )
        case .troubleClockForward:
            (
                "trouble.clock_forward",
                """
                The clock of this machine was set forward by {period}. Waits and reminders moved with it; quiet \
                hours and mutes follow the new time.
                """
            )
        case .overClock: ("over.clock", "The clock has not been set again since.")
        case .overTemplate: ("over.template", "The template works again.")
        case .overDamage: ("over.damage", "The bot continued with what it could read.")
        case .overConfig: ("over.config", "The config is valid again and in use.")
        case .overWorks: ("over.works", "It is working again.")
        case .overLack: ("over.lack", "Its answers are complete again.")

        // Why it was closed
        case .closedVanished:
            ("closed.vanished", "No figures have come since {moment}: nobody knows whether it is over.")
        case .closedFailing:
            ("closed.failing", "The source has given no figures since {moment}: nobody knows whether it is over.")
        case .closedUnjudged:
            (
                "closed.unjudged",
                "There have not been enough figures to judge it since {moment}: nobody knows whether it is over."
            )
        case .closedTemplate: ("closed.template", "A template of {name} is no longer in the config.")
        case .closedName: ("closed.name", "{name} is no longer in the config.")
        case .closedRule: ("closed.rule", "Rule {rule} is no longer in the config.")
        case .closedSource: ("closed.source", "The source {source} is no longer in the config.")
        case .closedUnmatched: ("closed.unmatched", "Rule {rule} no longer matches it.")
        case .closedChanged: ("closed.changed", "Rule {rule} has changed and no longer judges this.")
        case .closedOwn: ("closed.own", "Rule {rule} no longer judges this on its own.")
        case .closedApp: ("closed.app", "Rule {rule} no longer judges this.")

        // The message of send-test
        case .testHeadline: ("test.headline", "{name}: this is a test message")
        case .testChannel: ("test.channel", "Channel")
        case .testWhy: ("test.why", "somebody ran 'alertbot send-test {channel}'; nothing is wrong")
        case .testChart: ("test.chart", "{metric}, an example")
        }
    }
}

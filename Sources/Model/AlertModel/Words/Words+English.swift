// The built-in words. What is here in one language stands in the other at the same place.

extension PhraseID {
    var english: Wording {
        switch self {
        // Numbers, times and dates
        case .numberDecimal: "."
        case .numberThousands: ","
        case .percent: "{number}%"
        case .points: "{number}pp"
        case .days: "{count} d"
        case .hours: "{count} h"
        case .minutes: "{count} min"
        case .seconds: "{count} s"
        case .weekdays: "Mon Tue Wed Thu Fri Sat Sun"
        case .months: "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec"
        case .date: "{weekday} {day} {month} {time}"
        case .stretch: "{from} to {to}"
        case .span: "{stretch}, {period}"

        // What is measured
        case .metricUsers: "users"
        case .metricCrashedUsers: "crashed users"
        case .metricCrashFreeUsers: "crash-free users"
        case .metricSessions: "sessions"
        case .metricCrashedSessions: "crashed sessions"
        case .metricCrashFreeSessions: "crash-free sessions"
        case .metricCrashEvents: "crash events"
        case .metricAnrRate: "ANR rate"
        case .metricAdoption: "adoption"
        case .countUsers:
            Wording(
                one: "{count} user",
                other: "{count} users")
        case .countSessions:
            Wording(
                one: "{count} session",
                other: "{count} sessions")
        case .countEvents:
            Wording(
                one: "{count} event",
                other: "{count} events")
        case .countIncidents:
            Wording(
                one: "{count} incident",
                other: "{count} incidents")
        case .severityInfo: "info"
        case .severityWarning: "warning"
        case .severityCritical: "critical"

        // What a figure is measured by
        case .limitBelow: "below {limit}"
        case .limitAt: "at {limit}"
        case .limitAtBelow: "at or below {limit}"
        case .limitAbove: "above {limit}"
        case .limitAtAbove: "at or above {limit}"
        case .detailLimit: "alert {limit}"
        case .detailUsual: "usually {usual}"
        case .detailOlderRelease: "older release {figure}"
        case .detailPeriod: "for {period}"
        case .detailSeverity: "now {severity}"
        case .detailAgain: "firing again since {moment}"
        case .detailFlapping: "{headline}, flapping"
        case .detailCorrected: "figures corrected"
        case .detailClosed: "closed without a known end"
        case .details: "{sentence} ({details})"

        // Headlines
        case .headlineFigure: "{who}: {metric} {figure}"
        case .headlineEscalated: "{who}, {severity}"
        case .headlineWorse: "{who}: {metric} now {figure}"
        case .headlineStill: "{who}: {metric} still {figure}"
        case .headlineWorst: "{who}: {metric} {figure} at worst"
        case .headlineSilent: "{who}: {metric} last known {figure}, no news for {period}"
        case .headlineAcknowledged: "{who}: {carers}; {metric} {figure}"
        case .headlineBack: "{who}: {metric} {figure}, back {limit}, after {period}"
        case .headlineWithin: "{who}: {metric} {figure}, not {limit} after all"
        case .headlineAgain: "{who}: {metric} {figure} again, after {period}"
        case .headlineUsual: "{who}: {metric} {figure} now counts as normal, after {period}"
        case .headlineClosed: "{who}: {metric} {end}, after {period}; last known {figure}"
        case .headlineCorrectedEnd: "{who}: {end} after {period}, {metric} {figure} at worst ({details})"
        case .headlineWhat: "{who}: {what}"
        case .headlineWhatSilent: "{who}: no news for {period}; last known: {what}"
        case .headlineWhatAcknowledged: "{who}: {carers}; {what}"
        case .headlineWhatResolved: "{who}: {what} is resolved"
        case .headlineWhatEnded: "{who}: alert {what} has ended"
        case .headlineWhatClosed: "{who}: {what} {end}, after {period}"
        case .endResolved: "resolved"
        case .endEnded: "ended"
        case .endSilent: "closed without news"
        case .endUnwatched: "no longer watched"
        case .whatOf: "{rule} ({source})"
        case .whatIssue: "{rule} for {issue}"
        case .carers:
            Wording(
                one: "{names} is on it",
                other: "{names} are on it")
        case .namesNobody: "somebody"
        case .namesTwo: "{name} and {other}"
        case .namesThree: "{name}, {other} and {third}"
        case .namesMore:
            Wording(
                one: "{name}, {other} and {count} other",
                other: "{name}, {other} and {count} others")

        // Fields
        case .fieldLasted: "Lasted"
        case .fieldSince: "Since"
        case .since: "{moment}, for {period}"
        case .fieldOnIt: "On it"
        case .fieldOwner: "Owner"
        case .fieldNoNews: "No news since"
        case .noNews: "{moment}, for {period}: {cause}"
        case .noNewsVanished: "the source answers, but no longer reports it"
        case .noNewsFailing: "the source gives no answer"
        case .noNewsUnjudged: "not enough figures since then to judge it"
        case .fieldRelease: "Release"
        case .releaseUsers: "{release}, {share} of users"
        case .releaseSessions: "{release}, {share} of sessions"
        case .fieldStandsOut: "Stands out"
        case .standsOut: "release {release}: {share} of {failures}, {part} of {all}"
        case .fieldPeak: "Affected at worst"
        case .peakUsers:
            Wording(
                one: "{hit} of {total} user ({share})",
                other: "{hit} of {total} users ({share})")
        case .peakSessions:
            Wording(
                one: "{hit} of {total} session ({share})",
                other: "{hit} of {total} sessions ({share})")
        case .peakCases:
            Wording(
                one: "{hit} of {total} case ({share})",
                other: "{hit} of {total} cases ({share})")
        case .fieldUsersAffected: "Users affected"
        case .fieldSessionsAffected: "Sessions affected"
        case .fieldCasesAffected: "Cases affected"
        case .affected: "{hit} of {total} ({share})"
        case .about: "about {hit}"
        case .fieldAtWorst: "At worst"
        case .fieldBeforeWorst: "Before → at worst"
        case .fieldBeforeNow: "Before → now"
        case .fieldNow: "Now"
        case .figureOf: "{metric} {figure}"
        case .fieldHeld: "Held until now by"
        case .heldQuietHours: "quiet hours ({gate})"
        case .heldMute: "a mute"
        case .heldFlapping: "flapping"
        case .fieldCorrected: "Corrected"
        case .correctedSpan: "{said} was reported for {span}; with late figures it is {now}"
        case .correctedEnd: "{said} was reported as the worst; with late figures it is {now}"
        case .issueAge: "new, {period} old"
        case .issueFirstSeen: "first seen {moment}"
        case .footer: "Rule {rule} · incident {incident}"

        // Links
        case .linkStatus: "Status"
        case .linkAcknowledge: "Acknowledge"
        case .linkIncident: "Incident"
        case .linkMuteHours: "Mute 2 h"
        case .linkMuteDays: "Mute 2 days"
        case .linkDashboard: "Dashboard"
        case .linkRunbook: "Runbook"
        case .linkUntitled: "link"

        // Captions of channels
        case .captionWhy: "Why"
        case .captionLastDay: "Last day"
        case .captionIssues: "Top issues"
        case .captionLinks: "Links"
        case .captionMessage: "Message"
        case .captionIncidents: "Incidents"
        case .captionRule: "Rule"
        case .captionSentBy: "Sent by"
        case .captionMore: "… and {count} more"
        case .captionUntitled: "(without a title)"
        case .captionRepeated: "(possibly repeated: the answer to the first try was lost)"

        // Charts
        case .chartTitle: "{metric}, last day"
        case .chartWords: "{what}: between {from} and {to}, {now} at its end"
        case .chartDay: "{day} {month}"

        // Messages about several
        case .digestPart: ", part {part} of {parts}"
        case .digestPast: "{incidents} came and went {during}"
        case .digestWhy: "What came and went {during} is summarised once, afterwards."
        case .digestOpened: "{incidents} opened {during}"
        case .digestOpenedWhy: "What opened {during} is summarised once, afterwards."
        case .duringQuietHours: "while held by quiet hours ({gate})"
        case .duringFlapping: "while flapping"
        case .duringUnreachable: "while this channel could not be reached"
        case .duringHold: "while held by {gate}"
        case .duringMute: "while muted"
        case .digestLate: "Resolved in the meantime: {headline}"
        case .digestLateWhy: "The message could not be delivered while the incident was open, and was retried."
        case .digestMore: "and {count} more"
        case .digestFigure: "{who}: {metric} {figure} at worst · {when}"
        case .digestWhat: "{who}: {what} · {when}"
        case .digestSince: "{headline} · since {moment}"
        case .muteHeadline: "Muted: {what}"
        case .muteHeadlineBy: "Muted by {who}: {what}"
        case .muteEnded: "Mute ended: {what}"
        case .muteEverything: "everything"
        case .muteSource: "source {names}"
        case .muteApp: "app {names}"
        case .muteRelease: "release {names}"
        case .muteEnvironment: "environment {names}"
        case .muteRule: "rule {names}"
        case .muteSeverity: "severity {names}"
        case .muteIssue: "issue {names}"
        case .muteLabel: "{name} {names}"
        case .muteOr: "{name} or {other}"
        case .muteWhy:
            """
            Nothing is sent about it until the mute ends. Then what is still wrong and has not been reported is \
            sent, and reminders resume.
            """
        case .muteFooter: "Mute {name}"
        case .fieldUntil: "Until"
        case .fieldReason: "Reason"
        case .togetherOpened: "{who}: {incidents} at once"
        case .togetherResolved: "{who}: {incidents} resolved"
        case .togetherHeld: "{who}: {counts}, held until now by {gate}"
        case .togetherWorst: "{headline}, worst: {what}"
        case .togetherEnded: "{who}: {counts}"
        case .togetherOver: "{who}: {incidents} ended"
        case .togetherWho: "{names} and {count} more"
        case .countFiring: "{count} firing"
        case .countResolved: "{count} resolved"
        case .countClosed: "{count} closed without a known end"
        case .countEnded: "{count} ended"
        case .countPast: "{count} came and went"

        // What gates say
        case .gateBudget:
            Wording(
                one: "At most {count} message in {period} is sent here ({gate}); the rest is summarised.",
                other: "At most {count} messages in {period} are sent here ({gate}); the rest is summarised.")
        case .gateGroup: "What opens or resolves within {period} is sent together ({gate})."
        case .gateFlapping: "It was flapping; this is the state after {period} without a change ({gate})."
        case .fieldFlapping: "Flapping"
        case .flapping: "{count} changes within {span}; the next message comes after {period} without a change"
        case .fieldEscalated: "Not acknowledged"
        case .escalated: "{period} since the first notification"
        case .escalatedWorse: "{period} since it got worse"

        // Why, in one sentence
        case .reasonAtMost: "Not chance: at most {bound} over the last {span}, even on a generous count."
        case .reasonAtLeast: "Not chance: at least {bound} over the last {span}, even on a generous count."
        case .reasonMeasured: "Measured over the last {span}."
        case .reasonNotClear: "Back inside its limit, but not yet clear of it."
        case .reasonUnsure: "Too little is known to be sure that it is over."
        case .reasonAsOf: "As of {moment}: {reason}"
        case .reasonAbsent: "Not measured: it counts as {figure} while the source does not report it."
        case .reasonCorrected: "Corrected by figures that came late."
        case .reasonAlso: "{reason} Also {others}."
        case .reasonCondition: "{metric} {figure} ({limit})"
        case .reasonStill: "Still beyond its limit: {others}."
        case .reasonFall:
            Wording(
                one: "Not chance: by chance alone, a drop this deep over {span} happens less than once in {period}.",
                other: """
                    Not chance: by chance alone, a drop this deep over {span} happens fewer than {count} times in \
                    {period}.
                    """)
        case .reasonYoung: "{reason} The usual level is learned from only {age} so far."
        case .reasonUnclear: "Not yet clear whether this is normal."
        case .reasonUsual: "Usually {usual} at this time."
        case .reasonStayed: "It has stayed like this for {period}, so it now counts as normal; it has not improved."
        case .reasonReleaseWorse: "Not chance: {comparison} {basis}."
        case .reasonRelease: "Now {comparison} {basis}."
        case .releaseWorse: "{difference} worse than {release}"
        case .releaseBetter: "{difference} better than {release}"
        case .releaseSame: "the same as {release}"
        case .releaseSameHours: "in the same {span}"
        case .releaseSameAdoption: "at the same adoption"
        case .releaseLately: "over its last {span}"
        case .releaseFine:
            "{release} looks fine so far: {metric} {figure} of {total}, {comparison} ({usual} of {all}) {basis}"
        case .releaseFineOver: "It no longer looks fine."
        case .releaseReplaced: "{release} is the newest release now."
        case .staleSource:
            "the source answers, but its newest figures are from {moment}, {age} before the answer; the limit is {limit}"
        case .staleApp:
            "its newest figures are from {moment}, {age} before the source's last answer; the limit is {limit}"
        case .staleSourceOver: "The newest figures are {age} old now."
        case .staleAppOver: "Its newest figures are {age} old now."

        // Why, of single issues
        case .issueNew: "new issue {issue}"
        case .issueNewHit: "new issue, {users} hit: {issue}"
        case .issueBack: "back after it was resolved: {issue}"
        case .issueBackHit: "back after it was resolved, {users} hit since: {issue}"
        case .issueManyNew:
            """
            {count} new issues at once: {names} and {rest} more; this happens when a source regroups its \
            issues, or when everything is broken
            """
        case .issueManyBack:
            """
            {count} issues that were resolved are back at once: {names} and {rest} more; this happens \
            when a source regroups its issues, or when everything is broken
            """
        case .issueSpreads: "{issue} affects {share} of {total} in {span}"
        case .issueSpreadsHit: "{issue} affects {share} of {total} in {span}, {users} hit"
        case .issueFast: "{share} of {total} hit in {span} (the limit is {limit}): {issue}"
        case .issueFastHit: "{share} of {total} hit in {span} ({users}; the limit is {limit}): {issue}"
        case .issueOverKnown: "It has been known for {period}, so it is no longer new."
        case .issueOverForgotten: "The source has not reported it for so long that it was forgotten."
        case .issueOverClosed: "It is resolved in the source."
        case .issueOverIgnored: "It was ignored in the source."
        case .issueOverBack: "It is no longer new: it was resolved and is back."
        case .issueOverUnseen: "It has not been seen for {period}."
        case .issueOverLong: "It has not been seen for a long time."

        // The bot's own troubles
        case .troubleUnpushed: "Nobody has pushed anything to source {source} since {moment}."
        case .troubleStale: "Source {source} answers, but its newest figures are from {moment}, older than allowed."
        case .troubleFailing: "No usable answer from source {source}: {cause} (since {moment})"
        case .troubleFailingWait:
            """
            No usable answer from source {source}: {cause} (since {moment}); it asks not to be polled \
            before {until}
            """
        case .troubleLack: "Only partial answers from source {source}: {cause} (since {moment})"
        case .troubleWait:
            "Source {source} asks not to be polled before {until}, so there are no figures from it until then: {cause}"
        case .troubleStopped:
            """
            The credential of source {source} was refused twice, so the source is no longer polled: {cause}. \
            Renew the credential, then reload or restart.
            """
        case .troublePartial: "Messages to channel {channel} do not reach everybody: {cause}"
        case .troubleLate: "Messages to channel {channel} are waiting: {cause} (since {moment})"
        case .troubleLateWait:
            """
            Messages to channel {channel} are waiting: {cause} (since {moment}); it asks the bot \
            to wait {period}
            """
        case .troubleDead: "A message to channel {channel} cannot be delivered: {cause}"
        case .troubleJournal: "The journal cannot be written, so nothing new is sent until it can be: {cause}"
        case .troubleDamage:
            """
            The journal was damaged when the bot started: {cause}. What those lines said is lost, so a \
            message may be sent twice. Check the disk; `alertbot journal verify` shows where.
            """
        case .troubleConfig:
            "The config has changed and has errors, so the bot is still using the previous one: {cause}"
        case .troubleTemplate:
            """
            The template {file} of {name} fails: {cause}; the built-in text was sent instead, \
            and will be until the template is fixed
            """
        case .troubleClockBack:
            """
            The clock of this machine was set back by {period}. Waits and reminders moved with it; quiet \
            hours and mutes follow the new time.
            """
        case .troubleClockForward:
            """
            The clock of this machine was set forward by {period}. Waits and reminders moved with it; quiet \
            hours and mutes follow the new time.
            """
        case .overClock: "The clock has not been set again since."
        case .overTemplate: "The template works again."
        case .overDamage: "The bot continued with what it could read."
        case .overConfig: "The config is valid again and in use."
        case .overWorks: "It is working again."
        case .overLack: "Its answers are complete again."

        // Why it was closed
        case .closedVanished: "No figures have come since {moment}: nobody knows whether it is over."
        case .closedFailing: "The source has given no figures since {moment}: nobody knows whether it is over."
        case .closedUnjudged:
            "There have not been enough figures to judge it since {moment}: nobody knows whether it is over."
        case .closedTemplate: "A template of {name} is no longer in the config."
        case .closedName: "{name} is no longer in the config."
        case .closedRule: "Rule {rule} is no longer in the config."
        case .closedSource: "The source {source} is no longer in the config."
        case .closedUnmatched: "Rule {rule} no longer matches it."
        case .closedChanged: "Rule {rule} has changed and no longer judges this."
        case .closedOwn: "Rule {rule} no longer judges this on its own."
        case .closedApp: "Rule {rule} no longer judges this."

        // The message of send-test
        case .testHeadline: "{name}: this is a test message"
        case .testChannel: "Channel"
        case .testWhy: "somebody ran 'alertbot send-test {channel}'; nothing is wrong"
        case .testChart: "{metric}, an example"
        }
    }
}

// The same in Spanish: of every phrase the same placeholders.

extension PhraseID {
    var spanish: Wording {
        switch self {
        // Numbers, times and dates
        case .numberDecimal: ","
        case .numberThousands: "."
        case .percent: "{number}\u{A0}%"
        case .points: "{number}\u{A0}p.\u{A0}p."
        case .days: "{count} d"
        case .hours: "{count} h"
        case .minutes: "{count} min"
        case .seconds: "{count} s"
        case .weekdays: "lun mar mié jue vie sáb dom"
        case .months: "ene feb mar abr may jun jul ago sep oct nov dic"
        case .date: "{weekday} {day} {month} {time}"
        case .stretch: "de {from} a {to}"
        case .span: "{stretch}, {period}"

        // What is measured
        case .metricUsers: "usuarios"
        case .metricCrashedUsers: "usuarios con fallos"
        case .metricCrashFreeUsers: "usuarios sin fallos"
        case .metricSessions: "sesiones"
        case .metricCrashedSessions: "sesiones con fallos"
        case .metricCrashFreeSessions: "sesiones sin fallos"
        case .metricCrashEvents: "fallos"
        case .metricAnrRate: "tasa de ANR"
        case .metricAdoption: "adopción"
        case .countUsers:
            Wording(
                one: "{count} usuario",
                other: "{count} usuarios")
        case .countSessions:
            Wording(
                one: "{count} sesión",
                other: "{count} sesiones")
        case .countEvents:
            Wording(
                one: "{count} evento",
                other: "{count} eventos")
        case .countIncidents:
            Wording(
                one: "{count} incidente",
                other: "{count} incidentes")
        case .severityInfo: "aviso"
        case .severityWarning: "advertencia"
        case .severityCritical: "crítico"

        // What a figure is measured by
        case .limitBelow: "por debajo de {limit}"
        case .limitAt: "en {limit}"
        case .limitAtBelow: "en {limit} o menos"
        case .limitAbove: "por encima de {limit}"
        case .limitAtAbove: "en {limit} o más"
        case .detailLimit: "alerta {limit}"
        case .detailUsual: "lo habitual: {usual}"
        case .detailOlderRelease: "versión anterior: {figure}"
        case .detailPeriod: "desde hace {period}"
        case .detailSeverity: "ahora {severity}"
        case .detailAgain: "activo de nuevo desde {moment}"
        case .detailFlapping: "Oscila: {headline}"
        case .detailCorrected: "cifras corregidas"
        case .detailClosed: "cerrado sin final conocido"
        case .detailWithin: "al final no {limit}"
        case .details: "{sentence} ({details})"

        // Headlines
        case .headlineFigure: "{who}: {metric} {figure}"
        case .headlineEscalated: "{who}, {severity}"
        case .headlineWorse: "{who}: {metric} ahora {figure}"
        case .headlineStill: "{who}: {metric}, todavía {figure}"
        case .headlineWorst: "{who}: {metric}, en el peor momento {figure}"
        case .headlineFlapping: "{who} oscila: {metric} {figure} en el peor momento, ahora {now}"
        case .headlineSilent: "{who}: {metric}, último dato {figure}, sin noticias desde hace {period}"
        case .headlineAcknowledged: "{who}: {carers}; {metric} {figure}"
        case .headlineBack: "{who}: {metric} {figure}, de nuevo {limit}, tras {period}"
        case .headlineWithin: "{who}: {metric} {figure}, al final no {limit}"
        case .headlineAgain: "{who}: {metric} de nuevo {figure}, tras {period}"
        case .headlineUsual: "{who}: {metric} {figure} cuenta ya como lo habitual, tras {period}"
        case .headlineClosed: "{who}: {metric}, {end}, tras {period}; último dato {figure}"
        case .headlineCorrectedEnd: "{who}: {end} tras {period}, {metric} {figure} en el peor momento ({details})"
        case .headlineWhat: "{who}: {what}"
        case .headlineWhatFlapping: "{who} oscila: {what}"
        case .headlineWhatSilent: "{who}: sin noticias desde hace {period}; lo último: {what}"
        case .headlineWhatAcknowledged: "{who}: {carers}; {what}"
        case .headlineWhatResolved: "{who}: {what} se ha resuelto"
        case .headlineWhatEnded: "{who}: la alerta {what} ha terminado"
        case .headlineReplaced: "{who}: ya no es la versión más reciente; {metric} {figure} en el peor momento"
        case .headlineSourceAgain: "{who}: la fuente {source} responde de nuevo, tras {period}"
        case .headlineWhatClosed: "{who}: {what}, {end}, tras {period}"
        case .endResolved: "resuelto"
        case .endEnded: "terminado"
        case .endSilent: "cerrado sin noticias"
        case .endUnwatched: "ya no se vigila"
        case .whatOf: "{rule} ({source})"
        case .whatIssue: "{rule} por {issue}"
        case .carers:
            Wording(
                one: "{names} se ocupa",
                other: "{names} se ocupan")
        case .namesNobody: "alguien"
        case .namesTwo: "{name} y {other}"
        case .namesThree: "{name}, {other} y {third}"
        case .namesMore:
            Wording(
                one: "{name}, {other} y {count} persona más",
                other: "{name}, {other} y {count} personas más")

        // Fields
        case .fieldLasted: "Duración"
        case .fieldBegan: "Comienzo"
        case .began: "hacia {moment}"
        case .fieldSince: "Desde"
        case .since: "{moment}, hace {period}"
        case .fieldNewest: "Datos más recientes"
        case .fieldUnwatched: "Sin vigilancia entretanto"
        case .fieldOnIt: "Se ocupa"
        case .fieldTurn: "Tu turno"
        case .turn: "desde {moment}; avisado antes que tú: {channel}, {time}"
        case .fieldOwner: "Responsable"
        case .fieldNoNews: "Sin noticias desde"
        case .noNews: "{moment}, hace {period}: {cause}"
        case .noNewsVanished: "la fuente responde, pero ya no da datos de ello"
        case .noNewsFailing: "la fuente no responde"
        case .noNewsUnjudged: "sin datos suficientes para juzgar desde entonces"
        case .fieldRelease: "Versión"
        case .releaseUsers: "{release}, {share} de los usuarios"
        case .releaseSessions: "{release}, {share} de las sesiones"
        case .fieldStandsOut: "Destaca"
        case .standsOut: "versión {release}: {share} de {failures}, {part} de {all}"
        case .fieldPeak: "Afectados en el peor momento"
        case .peakUsers:
            Wording(
                one: "{hit} de {total} usuario ({share})",
                other: "{hit} de {total} usuarios ({share})")
        case .peakSessions:
            Wording(
                one: "{hit} de {total} sesión ({share})",
                other: "{hit} de {total} sesiones ({share})")
        case .peakCases:
            Wording(
                one: "{hit} de {total} caso ({share})",
                other: "{hit} de {total} casos ({share})")
        case .fieldUsersAffected: "Usuarios afectados"
        case .fieldSessionsAffected: "Sesiones afectadas"
        case .fieldCasesAffected: "Casos afectados"
        case .affected: "{hit} de {total} ({share})"
        case .about: "unos {hit}"
        case .fieldAtWorst: "En el peor momento"
        case .fieldBeforeWorst: "Antes → en el peor momento"
        case .fieldBeforeNow: "Antes → ahora"
        case .fieldNow: "Ahora"
        case .nowOver: "{figure} en {span}"
        case .figureOf: "{metric} {figure}"
        case .fieldHeld: "En espera hasta ahora por"
        case .heldQuietHours: "las horas de silencio ({gate})"
        case .heldMute: "un silencio"
        case .heldFlapping: "oscilación"
        case .fieldCorrected: "Corregido"
        case .correctedSpan: "se informó de {said} ({span}); con los datos tardíos son {now}"
        case .correctedEnd: "se informó de {said} en el peor momento; con los datos tardíos son {now}"
        case .issueAge: "nuevo, desde hace {period}"
        case .issueFirstSeen: "visto por primera vez: {moment}"
        case .footer: "Regla {rule} · incidente {incident}"

        // Links
        case .linkStatus: "Estado"
        case .linkAcknowledge: "Me ocupo"
        case .linkIncident: "Incidente"
        case .linkMuteHours: "Silenciar 2 h"
        case .linkMuteDays: "Silenciar 2 días"
        case .linkDashboard: "Panel"
        case .linkRunbook: "Procedimiento"
        case .linkUntitled: "enlace"

        // Captions of channels
        case .captionWhy: "Por qué"
        case .captionLastDay: "Último día"
        case .captionIssues: "Problemas principales"
        case .captionLinks: "Enlaces"
        case .captionMessage: "Mensaje"
        case .captionIncidents: "Incidentes"
        case .captionRule: "Regla"
        case .captionSentBy: "Enviado por"
        case .captionMore: "… y {count} más"
        case .captionUntitled: "(sin título)"
        case .captionRepeated: "(posible repetición: se perdió la respuesta al primer intento)"

        // Charts
        case .chartTitle: "{metric}, último día"
        case .chartWords: "{what}: entre {from} y {to}, al final {now}"
        case .chartDay: "{day} {month}"

        // Messages about several
        case .digestPart: ", parte {part} de {parts}"
        case .digestPast: "{incidents} de paso {during}"
        case .digestWhy: "Lo que se abrió y terminó {during} se resume una sola vez, después."
        case .digestOpened: "apertura de {incidents} {during}"
        case .digestOpenedWhy: "Lo que se abrió {during} se resume una sola vez, después."
        case .duringQuietHours: "mientras lo retenían las horas de silencio ({gate})"
        case .duringFlapping: "mientras oscilaba"
        case .duringUnreachable: "mientras no se podía llegar a este canal"
        case .duringHold: "mientras lo retenía {gate}"
        case .duringMute: "mientras estaba silenciado"
        case .digestLate: "Resuelto entretanto: {headline}"
        case .digestLateWhy:
            "El mensaje no se pudo entregar mientras el incidente estaba abierto, y se volvió a intentar."
        case .digestMore: "y {count} más"
        case .digestFigure: "{who}: {metric} {figure} en el peor momento · {when}"
        case .digestWhat: "{who}: {what} · {when}"
        case .digestSince: "{headline} · desde {moment}"
        case .muteHeadline: "Silenciado: {what}"
        case .muteHeadlineBy: "Silenciado por {who}: {what}"
        case .muteEnded: "Silencio terminado: {what}"
        case .muteEverything: "todo"
        case .muteSource: "fuente {names}"
        case .muteApp: "app {names}"
        case .muteRelease: "versión {names}"
        case .muteEnvironment: "entorno {names}"
        case .muteRule: "regla {names}"
        case .muteSeverity: "gravedad {names}"
        case .muteIssue: "problema {names}"
        case .muteLabel: "{name} {names}"
        case .muteOr: "{name} o {other}"
        case .muteWhy:
            """
            No se envía nada sobre ello hasta que acabe el silencio. Después, lo que siga mal y no se haya avisado \
            se enviará, y los recordatorios se reanudarán.
            """
        case .muteFooter: "Silencio {name}"
        case .fieldUntil: "Hasta"
        case .fieldReason: "Motivo"
        case .togetherOpened: "{who}: {incidents} a la vez"
        case .togetherResolved: "{who}: {incidents} con final"
        case .togetherHeld: "{who}: {counts}, en espera hasta ahora por {gate}"
        case .togetherHeldWorst: "{counts}; lo peor: {what} · {who} (en espera hasta ahora por {gate})"
        case .togetherHeldFiring: "{counts}: {what} · {who} (en espera hasta ahora por {gate})"
        case .togetherCalm: "{who}: {period} en calma tras {incidents} desde {moment}"
        case .togetherWorst: "{headline}; lo peor: {what}"
        case .togetherEnded: "{who}: {counts}"
        case .togetherOver: "{who}: {incidents} con final"
        case .togetherWho: "{names} y {count} más"
        case .countFiring:
            Wording(
                one: "{count} activo",
                other: "{count} activos")
        case .countClosed:
            Wording(
                one: "{count} cerrado sin final conocido",
                other: "{count} cerrados sin final conocido")
        case .countEnded: "{count} con final"
        case .countPast: "{count} de paso"
        case .countResolved:
            Wording(
                one: "{count} resuelto",
                other: "{count} resueltos")

        // What gates say
        case .gateBudget:
            Wording(
                one: "Aquí se envía como mucho {count} mensaje cada {period} ({gate}); lo demás se resume.",
                other: "Aquí se envían como mucho {count} mensajes cada {period} ({gate}); lo demás se resume.")
        case .gateGroup: "Lo que se abre o se resuelve en {period} se envía junto ({gate})."
        case .gateFlapping: "Oscilaba; así está tras {period} sin cambios ({gate})."
        case .fieldFlapping: "Oscilación"
        case .flapping: "{count} cambios en {span}; lo que siga se retiene hasta que pasen {period} sin ninguno"
        case .flappingSlowly: "{count} cambios en {span}; solo se dará por resuelto tras {period} sin problemas"
        case .fieldEscalated: "Sin respuesta"
        case .escalated: "desde hace {period}, tras el primer aviso"
        case .escalatedWorse: "{period} desde que empeoró"

        // Why, in one sentence
        case .reasonAtMost: "No es casualidad: como mucho {bound} en {span}, aun contando con generosidad."
        case .reasonAtLeast: "No es casualidad: como mínimo {bound} en {span}, aun contando con generosidad."
        case .reasonMeasured: "Medido a lo largo de {span}."
        case .reasonPart:
            "Solo se conocen {span} de {period}: {part} en ese tiempo, lo que equivale a {figure} en total."
        case .reasonAtMostUntil:
            "No es casualidad: como mucho {bound} en {span} hasta {until}, aun contando con generosidad."
        case .reasonAtLeastUntil:
            "No es casualidad: como mínimo {bound} en {span} hasta {until}, aun contando con generosidad."
        case .reasonMeasuredUntil: "Medido a lo largo de {span} hasta {until}."
        case .reasonHistory: "Sus datos más recientes terminan el {moment}: son históricos y no se juzgan."
        case .reasonNotClear: "Ha vuelto dentro del límite, pero aún sin margen."
        case .reasonUnsure: "Se sabe demasiado poco para estar seguros de que ha terminado."
        case .reasonAsOf: "Datos de {moment}: {reason}"
        case .reasonAbsent: "No se ha medido: cuenta como {figure} mientras la fuente no dé datos de ello."
        case .reasonCorrected: "Corregido con datos que llegaron tarde."
        case .reasonAlso: "{reason} Además: {others}."
        case .reasonCondition: "{metric} {figure} ({limit})"
        case .reasonStill: "Aún fuera de su límite: {others}."
        case .reasonFall:
            Wording(
                one: "No es casualidad: por puro azar, una caída así en {span} se da menos de una vez cada {period}.",
                other:
                    """
                    No es casualidad: por puro azar, una caída así en {span} se da menos de {count} veces \
                    cada {period}.
                    """
            )
        case .reasonYoung: "{reason} Hasta ahora, lo habitual solo se ha aprendido de {age}."
        case .reasonUnclear: "Aún no está claro si esto es normal."
        case .reasonUsual: "Lo habitual a esta hora: {usual}."
        case .reasonStayed: "Lleva así {period}, así que cuenta ya como lo habitual; no ha mejorado."
        case .reasonReleaseWorse: "No es casualidad: {comparison} {basis}."
        case .reasonRelease: "Ahora {comparison} {basis}."
        case .releaseWorse: "{difference} peor que {release}"
        case .releaseBetter: "{difference} mejor que {release}"
        case .releaseSame: "igual que {release}"
        case .releaseSameHours: "en las mismas horas ({span})"
        case .releaseSameAdoption: "con la misma adopción"
        case .releaseLately: "en su último tiempo ({span})"
        case .releaseFine:
            "{release} va bien por ahora: {metric} {figure} de {total}, {comparison} ({usual} de {all}) {basis}"
        case .releaseFineOver: "Ya no va bien."
        case .releaseReplaced: "{release} es ahora la versión más reciente."
        case .staleSource:
            """
            la fuente responde, pero sus datos más recientes son de {moment}, {age} antes de la respuesta; se \
            admiten como mucho {limit}
            """
        case .staleApp:
            """
            sus datos más recientes son de {moment}, {age} antes de la última respuesta de la fuente; se \
            admiten como mucho {limit}
            """
        case .staleSourceSilent: "sin datos desde hace {age}, aunque la fuente responde (alerta a partir de {limit})"
        case .staleAppSilent: "sin datos desde hace {age} (alerta a partir de {limit})"
        case .staleSourceOver: "Los datos más recientes tienen ahora {age}."
        case .staleAppOver: "Sus datos más recientes tienen ahora {age}."

        // Why, of single issues
        case .issueNew: "problema nuevo: {issue}"
        case .issueNewHit: "problema nuevo, afecta a {users}: {issue}"
        case .issueBack: "ha vuelto tras resolverse: {issue}"
        case .issueBackHit: "ha vuelto tras resolverse, desde entonces afecta a {users}: {issue}"
        case .issueManyNew:
            """
            {count} problemas nuevos a la vez: {names} y {rest} más; tantos llegan cuando una fuente \
            reagrupa sus problemas, o cuando todo está roto
            """
        case .issueManyBack:
            """
            {count} problemas ya resueltos han vuelto a la vez: {names} y {rest} más; tantos llegan \
            cuando una fuente reagrupa sus problemas, o cuando todo está roto
            """
        case .issueSpreads: "{issue} afecta a un {share} de {total} en {span}"
        case .issueSpreadsHit: "{issue} afecta a un {share} de {total} en {span}: {users}"
        case .issueFast: "afecta a un {share} de {total} en {span} (el límite es {limit}): {issue}"
        case .issueFastHit: "afecta a un {share} de {total} en {span} ({users}; el límite es {limit}): {issue}"
        case .issueOverKnown: "Se conoce desde hace {period}, así que ya no es nuevo."
        case .issueOverForgotten: "La fuente lleva tanto tiempo sin nombrarlo que se ha olvidado."
        case .issueOverClosed: "Está resuelto en la fuente."
        case .issueOverIgnored: "Se ha ignorado en la fuente."
        case .issueOverBack: "Ya no es nuevo: se había resuelto y ha vuelto."
        case .issueOverUnseen: "No se ha visto desde hace {period}."
        case .issueOverLong: "No se ha visto desde hace mucho."

        // The bot's own troubles
        case .troubleUnpushed: "Nadie ha enviado nada a la fuente {source} desde {moment}."
        case .troubleStale:
            "La fuente {source} responde, pero sus datos más recientes son de {moment}, más antiguos de lo permitido."
        case .troubleFailing: "La fuente {source} no da ninguna respuesta útil: {cause} (desde {moment})"
        case .troubleFailingWait:
            """
            La fuente {source} no da ninguna respuesta útil: {cause} (desde {moment}); pide que no se la \
            consulte antes de {until}
            """
        case .troubleLack: "La fuente {source} solo responde en parte: {cause} (desde {moment})"
        case .troubleWait:
            "La fuente {source} pide que no se la consulte antes de {until}; hasta entonces no habrá datos de ella: {cause}"
        case .troubleStopped:
            """
            La credencial de la fuente {source} se rechazó dos veces, así que la fuente ya no se consulta: {cause}. \
            Renueva la credencial y recarga o reinicia.
            """
        case .troublePartial: "Los mensajes al canal {channel} no llegan a todos: {cause}"
        case .troubleLate: "Los mensajes al canal {channel} esperan: {cause} (desde {moment})"
        case .troubleLateWait:
            "Los mensajes al canal {channel} esperan: {cause} (desde {moment}); pide una pausa de {period}"
        case .troubleDead: "No se puede entregar un mensaje al canal {channel}: {cause}"
        case .troubleJournal:
            "No se puede escribir el diario, así que no se envía nada nuevo hasta que se pueda: {cause}"
        case .troubleDamage:
            """
            El diario estaba dañado cuando arrancó el bot: {cause}. Lo que decían esas líneas se ha perdido, así \
            que un mensaje puede llegar dos veces. Revisa el disco; `alertbot journal verify` indica dónde.
            """
        case .troubleConfig:
            "La configuración ha cambiado y tiene errores, así que el bot sigue usando la anterior: {cause}"
        case .troubleTemplate:
            """
            La plantilla {file} de {name} no da ningún mensaje: {cause}; se envió el texto incorporado, y \
            así será hasta que se arregle la plantilla
            """
        case .troubleClockBack:
            """
            El reloj de esta máquina se atrasó {period}. Las esperas y los recordatorios se han movido \
            con él; las horas de silencio y los silencios siguen la hora nueva.
            """
        case .troubleClockForward:
            """
            El reloj de esta máquina se adelantó {period}. Las esperas y los recordatorios se han movido \
            con él; las horas de silencio y los silencios siguen la hora nueva.
            """
        case .overClock: "Desde entonces no se ha vuelto a cambiar el reloj."
        case .overTemplate: "La plantilla vuelve a dar mensajes."
        case .overDamage: "El bot ha seguido con lo que se podía leer."
        case .overConfig: "La configuración vuelve a ser válida y está en uso."
        case .overWorks: "Vuelve a funcionar."
        case .overLack: "Sus respuestas vuelven a estar completas."

        // Why it was closed
        case .closedVanished: "No han llegado datos desde {moment}: nadie sabe si ha terminado."
        case .closedFailing: "La fuente no da datos desde {moment}: nadie sabe si ha terminado."
        case .closedUnjudged: "No hay datos suficientes para juzgar desde {moment}: nadie sabe si ha terminado."
        case .closedTemplate: "Ya no hay plantilla de {name} en la configuración."
        case .closedName: "{name} ya no está en la configuración."
        case .closedRule: "La regla {rule} ya no está en la configuración."
        case .closedSource: "La fuente {source} ya no está en la configuración."
        case .closedUnmatched: "La regla {rule} ya no lo abarca."
        case .closedChanged: "La regla {rule} ha cambiado y ya no juzga esto."
        case .closedOwn: "La regla {rule} ya no juzga esto por separado."
        case .closedApp: "La regla {rule} ya no juzga esto."

        // The message of send-test
        case .testHeadline: "{name}: esto es un mensaje de prueba"
        case .testChannel: "Canal"
        case .testWhy: "alguien ha ejecutado «alertbot send-test {channel}»; no pasa nada malo"
        case .testChart: "{metric}, un ejemplo"
        }
    }
}

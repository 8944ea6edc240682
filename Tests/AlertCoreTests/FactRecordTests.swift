import AlertCore
import DropDetector
import IssueKit
import PluginKit
import ReleaseDetector
import Testing

/// The journal's records, byte for byte: what one release writes every later one reads, and other programs read it too.
@Suite struct `Facts as records` {
    private static let memories = MemoryKinds(
        [MemoryKind(IssueMemory.self), MemoryKind(Launch.self), MemoryKind(DropMemory.self)])
    private static let subject = #"{"source":"ios","app":"shop","release":"5.2.0","environment":null}"#
    private static let evidence =
        #"{"metric":"crash_free_users","value":0.9812,"numerator":31,"denominator":1840,"limit":"< 99.5%","#
        + #""confidence":0.95,"bound":0.985,"from":"2026-11-20T21:00:00Z","to":"2026-11-20T22:00:00Z","#
        + #""issue":{"id":"SHOP-12","title":"NullPointerException in \"CartView\"","events":40,"users":29,"#
        + #""first_seen":"2026-11-20T21:40:00Z","last_seen":"2026-11-20T22:04:50.250Z","release":"5.2.0","#
        + #""status":"unresolved","url":"https://sentry.io/12"},"sentence":"it fell"}"#
    private static let summary =
        #""id":"bkvhhigh3rlfj","rule":"floor","source":"ios","app":"shop","release":null,"environment":"production","#
        + #""key":"SHOP-12","severity":"critical","state":"firing","since":"2026-11-20T22:00:00Z","until":null,"#
        + #""evidence":\#(evidence)"#
    private static let incident =
        #""id":"bkvhhigh3rlfj","rule":"floor","source":"ios","app":"shop","environment":"production","#
        + #""key":"SHOP-12","severity":"critical","state":"firing","since":"2026-11-20T22:00:00Z","#
        + #""evidence":\#(evidence)"#
    private static let standing =
        #"{"announced":"critical","dropped":"info","undelivered":"warning","first_said":"2026-11-20T22:00:00Z","#
        + #""last_said":"2026-11-20T22:00:01.005Z","reminders":2,"said":{"metric":"crash_free_users","value":0.98,"#
        + #""from":"2026-11-20T21:00:00Z","to":"2026-11-20T22:00:00Z","limit":"< 99.5%"},"#
        + #""hold":{"kind":"escalated","severity":"critical","reason":"quiet_hours:nights","since":"2026-11-20T22:00:00Z","#
        + #""until":"2026-11-21T07:00:00Z","look_again":"2026-11-20T23:00:00Z","summarizes":true,"for_summary":false,"#
        + #""gathering":{"gate":"calm","key":"","style":"digest"}}}"#
    private static let message =
        #""severity":"critical","headline":"🔴 shop","facts":[{"label":"Users","value":"1,840"}],"reason":"it\nfell","#
        + #""issues":[{"title":"NPE","detail":"40 events"},{"title":"OOM","detail":"2","url":"https://i"}],"#
        + #""sparkline":"▁█","lines":["one","two"],"body":["three"],"#
        + #""links":[{"title":"Mute 2 h","url":"https://m"}],"footer":"rule floor","incidents":[{\#(incident)}],"#
        + #""labels":{"team":"checkout"}"#
    private static let delivery =
        #"{"id":"7-team","channel":"team","number":7,"kind":"opened","incident":"bkvhhigh3rlfj","#
        + #""queued":"2026-11-20T22:00:00Z","attempts":1,"attempting_since":"2026-11-20T22:00:02Z","#
        + #""may_have_arrived":true,"possibly_repeated":true,"message":{\#(message)}}"#
    /// Accepted and nothing else, and about no incident.
    private static let plainDelivery =
        #"{"id":"8-team","channel":"team","number":8,"kind":"opened","queued":"2026-11-20T22:00:00Z","#
        + #""message":{"severity":"critical","headline":"🔴 shop","footer":"rule floor"}}"#
    /// The same as deliveries were written before: their message by itself, and with all that is empty.
    private static let wordyDelivery =
        #"{"id":"8-team","channel":"team","number":8,"kind":"opened","incident":null,"queued":"2026-11-20T22:00:00Z","#
        + #""attempts":0,"not_before":"2026-11-20T22:00:00Z","message":{"kind":"opened","severity":"critical","#
        + #""at":"2026-11-20T22:00:00Z","headline":"🔴 shop","facts":[],"reason":"","issues":[],"lines":[],"links":[],"#
        + #""footer":"rule floor","incidents":[]}}"#
    /// Its message says another kind and another time, and it has been put off.
    private static let lateDelivery =
        #"{"id":"9-team","channel":"team","number":9,"kind":"opened","queued":"2026-11-20T22:00:01Z","#
        + #""attempts":0,"not_before":"2026-11-20T22:00:02Z","message":{"kind":"digest","at":"2026-11-20T22:00:00Z","#
        + #""severity":"critical","headline":"🔴 shop","footer":"rule floor","incidents":[{\#(incident)}]}}"#
    private static let observation =
        #"{"source":"ios","app":"shop","release":"5.2.0","from":"2026-11-20T22:00:00Z","to":"2026-11-20T22:05:00Z","#
        + #""seen":"2026-11-20T22:05:30Z","complete":true,"metrics":{"users":1840,"crash_free_users":0.9831521739},"#
        + #""issues":[{"id":"a","title":""}],"labels":{"team":"checkout","zone":"eu"}}"#
    private static let sheet =
        #"{"source":"ios","from":"2026-11-20T22:00:00Z","to":"2026-11-20T22:05:00Z","seen":"2026-11-20T22:05:30Z","#
        + #""metrics":["users","crash_free_users","of its own"],"rows":["#
        + #"{"app":"shop","release":"5.2.0","environment":"production","values":[1840,0.9831521739,0],"#
        + #""labels":{"team":"checkout","zone":"eu"},"keep_since":"2026-11-20T12:00:00Z"},"#
        + #"{"app":"ga\"me","values":[17,1,2.5]}]}"#
    private static let unfinishedSheet =
        #"{"source":"ios","from":"2026-11-20T22:00:00Z","to":"2026-11-20T22:05:00Z","seen":"2026-11-20T22:05:30Z","#
        + #""complete":false,"metrics":[],"rows":[{"app":"shop","values":[]},{"app":"game","values":[]}]}"#
    private static let said =
        #"{"metric":"crash_free_users","value":0.98,"from":"2026-11-20T21:00:00Z","to":"2026-11-20T22:00:00Z","#
        + #""limit":"< 99.5%"}"#
    private static let sighting =
        #"{"metric":"crash_free_users","value":0.9812,"numerator":31,"denominator":1840,"limit":"< 99.5%","#
        + #""from":"2026-11-20T21:00:00Z","to":"2026-11-20T22:00:00Z","usual":0.998,"sentence":""}"#
    private static let telling = #"{"number":7,"at":"2026-11-20T22:00:00Z","apps":["shop","game"]}"#

    static let records = [
        #"{"kind":"observed","keep_ms":3600000,"observation":\#(observation)}"#,
        #"{"kind":"observed","keep_ms":3600000,"keep_polls":3,"observation":\#(observation)}"#,
        #"{"kind":"summed","releases":3,"keep_ms":3600000,"keep_polls":3,"observation":\#(observation)}"#,
        #"{"kind":"observed","keep_ms":3600000,"keep_since":"2026-11-20T12:00:00Z","observation":\#(observation)}"#,
        #"{"kind":"sheet","keep_ms":3600000,"keep_polls":3,"sheet":\#(sheet)}"#,
        #"{"kind":"sheet","keep_ms":3600000,"sheet":\#(unfinishedSheet)}"#,
        #"{"kind":"learning","subject":\#(subject),"needs":[{"metric":"crash_free_users","by":0.005}]}"#,
        #"{"kind":"begun","source":"ios","at":"2026-11-20T22:00:00Z"}"#,
        #"{"kind":"source","name":"ios","source":{"cursor":{"page":[1,2.5,null,true]},"#
            + #""validators":{"a":{"etag":"\"x\"","last_modified":null}},"last_polled":"2026-11-20T22:05:00Z","#
            + #""last_good":"2026-11-20T22:05:00Z","last_changed":"2026-11-20T22:00:00Z","last_outcome":"values","#
            + #""failure":{"reason":"timeout","sentence":"no answer","since":"2026-11-20T22:05:00Z","count":3},"#
            + #""unchanged_count":1,"near":true,"stopped":"401","due":"2026-11-20T22:10:00Z","#
            + #""reasons":["failing","near"]}}"#,
        #"{"kind":"source","name":"ios","source":{"calm_count":2}}"#,
        #"{"kind":"source","name":"ios","source":{"last_good":"2026-11-20T22:05:00Z","#
            + #""open_since":"2026-11-20T21:00:00Z","part_since":"2026-11-20T20:00:00Z","#
            + #""breaks":[{"from":"2026-11-20T17:00:00Z","to":"2026-11-20T19:00:00Z"}],"#
            + #""answered_before":"2026-11-20T17:00:00Z"}}"#,
        #"{"kind":"polling","name":"ios","at":"2026-11-20T22:05:00Z","due":"2026-11-20T22:10:00Z"}"#,
        #"{"kind":"source","name":"web","source":{"last_polled":"2026-11-20T22:05:00Z","#
            + #""first_polled":"2026-11-20T21:05:00Z","last_outcome":"stale","unchanged_count":1,"#
            + #""due":"2026-11-20T22:10:00Z"}}"#,
        #"{"kind":"source","name":"ios","source":{"last_good":"2026-11-20T22:05:00Z","last_outcome":"values","#
            + #""warnings":["a row of shop is left out"]}}"#,
        #"{"kind":"incident","incident":{\#(incident),"worst":\#(sighting),"uncertain":true,"#
            + #""acknowledged":{"at":"2026-11-20T22:10:00Z","by":null},"labels":{"team":"checkout"},"#
            + #""standings":{"ops":{},"team":\#(standing)}}}"#,
        #"{"kind":"incident","incident":{\#(incident)}}"#,
        #"{"kind":"standing","incident":"bkvhhigh3rlfj","channel":"team","standing":\#(standing)}"#,
        #"{"kind":"standing","incident":"bkvhhigh3rlfj","channel":"team","standing":null}"#,
        #"{"kind":"standing","incident":"bkvhhigh3rlfj","channel":"team","standing":{"dropped":"warning","#
            + #""dropped_by":"quiet_hours:nights","last_said":"2026-11-20T22:00:00Z"}}"#,
        #"{"kind":"incident_seen","id":"bkvhhigh3rlfj","state":"recovering","evidence":\#(evidence)}"#,
        #"{"kind":"incident_seen","id":"bkvhhigh3rlfj","worst":true,"evidence":\#(evidence)}"#,
        #"{"kind":"incident_ended","id":"bkvhhigh3rlfj"}"#,
        #"{"kind":"standing","incident":"bkvhhigh3rlfj","channel":"team","standing":{"announced":"warning","#
            + #""last_said":"2026-11-20T22:00:00Z","said":\#(said),"alarmed":\#(said),"heard_end":true}}"#,
        #"{"kind":"sightings","incident":"bkvhhigh3rlfj","sightings":[\#(sighting)]}"#,
        #"{"kind":"sightings","incident":"bkvhhigh3rlfj","sightings":[]}"#,
        #"{"kind":"aftermath","incident":{\#(incident),"worst":\#(sighting),"#
            + #""standings":{"team":{"heard_end":true}}},"sightings":[\#(sighting),\#(sighting)]}"#,
        #"{"kind":"settled","id":"bkvhhigh3rlfj"}"#,
        #"{"kind":"delivery","delivery":\#(delivery)}"#,
        #"{"kind":"delivery","delivery":\#(plainDelivery)}"#,
        #"{"kind":"delivery","delivery":\#(lateDelivery)}"#,
        #"{"kind":"delivery_progress","id":"7-team","attempts":2,"not_before":"2026-11-20T22:01:00Z","#
            + #""plain":true}"#,
        #"{"kind":"delivery_done","id":"7-team","at":"2026-11-20T22:00:02Z","end":"delivered","receipt":"$e:1"}"#,
        #"{"kind":"delivery_done","id":"7-team","at":"2026-11-20T22:00:02Z","end":"replaced"}"#,
        #"{"kind":"delivery_done","id":"7-team","at":"2026-11-20T22:00:02Z","end":"dead","sentence":"gone"}"#,
        #"{"kind":"delivery_ended","entry":{"at":"2026-11-20T22:00:02Z","end":"delivered","delivery":\#(delivery)}}"#,
        #"{"kind":"retried","delivery":\#(delivery)}"#,
        #"{"kind":"mute","mute":{"id":"m1","match":{"app":["shop-*","game"],"severity":["info"]},"#
            + #""from":"2026-11-20T22:00:00Z","until":"2026-11-21T22:00:00Z","reason":"hotfix","by":null}}"#,
        #"{"kind":"mute_ended","id":"m1"}"#,
        #"{"kind":"told","channel":"team","telling":\#(telling)}"#,
        #"{"kind":"tellings","channel":"team","tellings":[\#(telling)]}"#,
        #"{"kind":"swung","rule":"floor","subject":\#(subject),"at":"2026-11-20T22:00:00Z"}"#,
        #"{"kind":"swung","rule":"floor","subject":\#(subject),"key":"SHOP-12","at":"2026-11-20T22:00:00Z"}"#,
        #"{"kind":"swings","rule":"floor","subject":\#(subject),"key":"SHOP-12","swings":["2026-11-20T22:00:00Z"]}"#,
        #"{"kind":"swings_told","rule":"floor","subject":\#(subject),"key":"SHOP-12","channel":"team","at":"2026-11-20T22:00:00Z","severity":"critical"}"#,
        #"{"kind":"swings_told","rule":"floor","subject":\#(subject),"channel":"team"}"#,
        #"{"kind":"channel","name":"team","channel":{"failures":3,"paused_until":"2026-11-20T22:00:00Z"}}"#,
        #"{"kind":"channel","name":"team","channel":{"failures":1,"paused_until":"2026-11-20T22:00:00Z","#
            + #""asked_until":"2026-11-20T21:59:00Z"}}"#,
        #"{"kind":"channel","name":"ops","channel":{"failures":0,"paused_until":null,"last_error":"answered 503"}}"#,
        #"{"kind":"forgotten","subject":\#(subject)}"#,
        #"{"kind":"series","subject":\#(subject),"series":{"samples":[{"from":"2026-11-20T22:00:00Z","#
            + #""to":"2026-11-20T22:05:00Z","seen":"2026-11-20T22:05:30Z","complete":true,"metrics":{"users":18}}],"#
            + #""trail":[{"hour":496390,"from":"2026-11-20T22:00:00Z","to":"2026-11-20T22:05:00Z","#
            + #""metrics":{"users":18}}],"issues":[{"id":"a","title":"b"}],"labels":{"team":"x"},"#
            + #""issue_memory":{"began":"2026-11-20T22:00:00Z"},"#
            + #""launch":{"sessions":300,"crashed":1.5,"to":"2026-11-20T22:00:00Z","stages":[[0,100,1],[1,200,1.5]]},"#
            + #""first_seen":"2026-11-20T22:00:00Z","last_seen":"2026-11-20T22:05:30Z","#
            + #""reach":"2026-11-20T12:00:00Z","past":[{"from":"2026-11-20T12:00:00Z","to":"2026-11-20T12:05:00Z","#
            + #""seen":"2026-11-20T12:05:30Z","complete":true,"metrics":{"users":17}}],"learned":[]}}"#,
        #"{"kind":"series","subject":\#(subject),"series":{"samples":[],"trail":[],"issues":[],"labels":{},"#
            + #""issue_memory":{"began":"2026-11-20T22:00:00Z"},"#
            + #""launch":{"sessions":300,"crashed":1.5,"to":"2026-11-20T22:00:00Z","stages":[[0,100,1],[1,200,1.5]]},"#
            + #""first_seen":"2026-11-20T22:00:00Z","last_seen":"2026-11-20T22:05:30Z","releases":3,"learned":[]}}"#,
        #"{"kind":"numbering","next":8}"#,
    ]

    @Test(arguments: records)
    func `a record that is read is written again byte for byte`(record: String) throws {
        let fact = try Fact(JSON(parsing: record), Self.memories)
        #expect(String(decoding: fact.bytes, as: UTF8.self) == record)
        #expect(fact.json.text == record)
    }

    /// What went without saying was said once.
    static let wordyRecords: [(wordy: String, now: String)] = [
        (
            #"{"kind":"incident","incident":{\#(summary),"worst":\#(evidence),"uncertain":false,"labels":{},"standings":{}}}"#,
            #"{"kind":"incident","incident":{\#(incident)}}"#
        ),
        (
            #"{"kind":"incident_seen","id":"bkvhhigh3rlfj","state":"firing","evidence":\#(evidence)}"#,
            #"{"kind":"incident_seen","id":"bkvhhigh3rlfj","evidence":\#(evidence)}"#
        ),
        (
            #"{"kind":"delivery_progress","id":"7-team","attempts":2,"not_before":"2026-11-20T22:01:00Z","#
                + #""possibly_repeated":false,"plain":false}"#,
            #"{"kind":"delivery_progress","id":"7-team","attempts":2,"not_before":"2026-11-20T22:01:00Z"}"#
        ),
        (
            #"{"kind":"delivery","delivery":\#(wordyDelivery)}"#, #"{"kind":"delivery","delivery":\#(plainDelivery)}"#
        ),
        (
            #"{"kind":"delivery","delivery":\#(lateDelivery.replacing(incident, with: summary))}"#,
            #"{"kind":"delivery","delivery":\#(lateDelivery)}"#
        ),
        (
            #"{"kind":"swung","rule":"floor","subject":\#(subject),"key":null,"at":"2026-11-20T22:00:00Z"}"#,
            #"{"kind":"swung","rule":"floor","subject":\#(subject),"at":"2026-11-20T22:00:00Z"}"#
        ),
    ]

    @Test(arguments: wordyRecords)
    func `a record that says what goes without saying is read all the same`(wordy: String, now: String) throws {
        let fact = try Fact(JSON(parsing: wordy), Self.memories)
        #expect(try fact == Fact(JSON(parsing: now), Self.memories))
        #expect(String(decoding: fact.bytes, as: UTF8.self) == now)
    }

    @Test func `a sheet is read from its bytes as from its tree`() throws {
        let sheets = Self.records.filter { $0.contains(#""kind":"sheet""#) }
        #expect(sheets.count == 2)
        for record in sheets {
            // An escape is for the general reader; all else is plain.
            for text in [record, record.replacing(#"\""#, with: "")] {
                let fact = try Fact(JSON(parsing: text), Self.memories)
                #expect(try Fact(record: Array(text.utf8)[...], Self.memories) == fact)
            }
        }
    }

    @Test(arguments: [
        (#""values":[17,1,2.5]"#, #""values":[17,1]"#), (#""values":[17,1,2.5]"#, #""values":[17,1,"2.5"]"#),
        (#""values":[17,1,2.5]"#, #""values":[-17,1,2.5]"#), (#""app":"shop","#, ""),
        (#""to":"2026-11-20T22:05:00Z""#, #""to":"2026-11-20T22:00:00Z""#),
    ])
    func `a sheet that makes no sense is a mismatch`(right: String, wrong: String) throws {
        let record = #"{"kind":"sheet","keep_ms":3600000,"sheet":\#(Self.sheet)}"#
        #expect(record.contains(right))
        let bytes = Array(record.replacing(right, with: wrong).utf8)
        #expect(throws: JSONMismatch.self) { try Fact(record: bytes[...], Self.memories) }
    }

    @Test func `an empty sheet is a mismatch`() {
        let sheet = Self.unfinishedSheet.replacing(#"{"app":"shop","values":[]},{"app":"game","values":[]}"#, with: "")
        let bytes = Array(#"{"kind":"sheet","keep_ms":3600000,"sheet":\#(sheet)}"#.utf8)
        #expect(throws: JSONMismatch.self) { try Fact(record: bytes[...], Self.memories) }
    }

    @Test func `every kind of fact is among them`() throws {
        let kinds = Set(try Self.records.map { try JSON(parsing: $0)["kind"]?.string })
        #expect(kinds.count == 30)
    }
}

import GooglePlaySource
import PluginKit
import PluginTesting
import Testing

@Suite struct `Names of versions in Google Play` {
    private func named(_ title: String, _ codes: String...) -> FetchResult {
        let codes = codes.map { "\"\($0)\"" }.joined(separator: ", ")
        return answer(
            """
            {"tracks": [{"displayName": "Production", "type": "Production",
              "servingReleases": [{"displayName": "\(title)", "versionCodes": [\(codes)]}]}]}
            """)
    }

    private func releases(_ played: PlayedPoll) -> Set<String> {
        Set(played.observations.compactMap(\.subject.release))
    }

    @Test func `stand before the codes under which Play counts`() throws {
        let codes = releases(Play().play(try source(), poll(.hours(1))))
        #expect(codes.contains("5401"))
        let played = Play(names: answer(fixture: "release_filter_options.json")).play(try source(), poll(.hours(1)))
        #expect(releases(played).contains("5.4.0 (5401)"))
        #expect(!releases(played).contains("5401"))
        #expect(played.observations.flatMap(\.issues).map(\.release).contains("5.4.0 (5401)"))
        #expect(played.report?.warnings == [])
    }

    @Test(arguments: [
        ("5.4.0", "5.4.0 (5401)"), ("5401 (5.4.0)", "5.4.0 (5401)"), ("Spring 5401", "Spring 5401"), ("5401", "5401"),
        ("", "5401"), (" ", "5401"), ("A\\u202EB\\n", "AB (5401)"),
    ]) func `say the version and its code, each once`(_ title: String, _ name: String) throws {
        let played = Play(names: named(title, "5401")).play(try source(), poll(.hours(1)))
        #expect(releases(played).contains(name), "\(releases(played))")
    }

    @Test func `are asked for once a day, and kept when a version is offered no more`() throws {
        let play = try source(["max_age": option(.duration(.days(7)))])
        var server = Play(names: named("5.4.0", "5401"))
        let first = server.play(play, poll(.hours(1)))
        #expect(first.paths.count { $0.hasSuffix(":fetchReleaseFilterOptions") } == 1)
        // Play has moved on, and nobody is offered 5401 any more.
        let mark = String(decoding: fixture("crashrate_metric_set.json"), as: UTF8.self)
        server.freshness = answer(mark.replacing("\"hours\": 21", with: "\"hours\": 23"))
        server.names = named("5.5.0", "5500")
        let soon = server.play(play, poll(.hours(1), cursor: first.report?.cursor, at: now + .hours(2)))
        #expect(!soon.paths.contains { $0.hasSuffix(":fetchReleaseFilterOptions") })
        #expect(releases(soon).contains("5.4.0 (5401)"))
        let later = server.play(play, poll(.hours(1), cursor: first.report?.cursor, at: now + .hours(25)))
        #expect(later.paths.contains { $0.hasSuffix(":fetchReleaseFilterOptions") })
        #expect(releases(later).contains("5.4.0 (5401)"))
    }

    @Test(arguments: [(Duration.minutes(10), "5402"), (.minutes(15), "5.4.1 (5402)"), (.hours(2), "5.4.1 (5402)")])
    func `are asked for again with the first figures of a version that has none`(
        _ later: Duration, _ name: String
    ) throws {
        let play = try source()
        var server = Play(names: named("5.4.0", "5401"))
        let first = server.play(play, poll(.hours(1)))
        #expect(releases(first) == ["5.4.0 (5401)"])
        let mark = String(decoding: fixture("crashrate_metric_set.json"), as: UTF8.self)
        server.freshness = answer(mark.replacing("\"hours\": 21", with: "\"hours\": 22"))
        let rows = String(decoding: fixture("errorcount_query_response.json"), as: UTF8.self)
        server.eventVersions = answer(rows.replacing("5401", with: "5402"))
        server.names = named("5.4.1", "5402")
        let next = server.play(play, poll(.hours(1), cursor: first.report?.cursor, at: now + later))
        #expect(releases(next) == [name])
        let asked = next.paths.count { $0.hasSuffix(":fetchReleaseFilterOptions") }
        #expect(asked == (later < .minutes(15) ? 0 : 1))
    }

    @Test(arguments: [
        answer("no", status: 403), answer(#"{"tracks": {}}"#),
        answer(#"{"tracks": [{"servingReleases": [{"versionCodes": [5401]}]}]}"#),
    ]) func `that cannot be had leave the codes, and the figures alone`(_ trouble: FetchResult) throws {
        let played = Play(names: trouble).play(try source(), poll(.hours(1)))
        #expect(releases(played).contains("5401"))
        #expect(played.report?.warnings.count == 1)
        #expect(played.report?.warnings.first?.hasPrefix("names of releases of com.acme.wallet: ") == true)
    }
}

@Suite struct `What Google Play itself finds unusual` {
    private func watching() throws -> GooglePlaySource { try source(["anomalies": option(.flag(true))]) }

    @Test func `is asked for only where the config says so`() throws {
        #expect(!Play().play(try source(), poll(.hours(1))).paths.contains { $0.contains("/anomalies") })
        let asked = Play().play(try watching(), poll(.hours(1))).paths.filter { $0.contains("/anomalies") }
        #expect(
            asked == [
                "apps/com.acme.wallet/anomalies?filter=activeBetween%28%222026-11-18T23%3A00%3A00Z%22%2C%20UNBOUNDED%29"
                    + "&pageSize=100"
            ])
    }

    @Test func `becomes an issue in words`() throws {
        let server = Play(
            names: answer(fixture: "release_filter_options.json"), anomalies: answer(fixture: "anomalies.json"))
        let issues = server.play(try watching(), poll(.hours(1))).observations.flatMap(\.issues)
        let found = try #require(issues.first)
        #expect(found.id == "anomaly-7f3a")
        #expect(
            found.title
                == "Play reports an unusual user-perceived crash rate: 2.42% (version 5.4.0 (5401))")
        #expect(found.release == "5.4.0 (5401)")
        #expect(issues.count > 1, "the issues are still there")
    }

    @Test(arguments: [
        (
            #"{"anomalies": [{"name": "", "metric": {"metric": "crashRate"}}]}"#,
            "$.anomalies[0].name: expected a name such as"
        ),
        (
            #"{"anomalies": [{"name": "a/b", "metric": {"metric": "crashRate", "decimalValue": {"value": "2.42"}}}]}"#,
            "$.anomalies[0].metric.decimalValue: expected for 'crashRate' a fraction from 0 to 1"
        ), (#"{"anomalies": [{"name": "a/b"}]}"#, "$.anomalies[0].metric: expected a value"),
        ("[]", "expected an object"),
    ]) func `of another shape is a warning with its place`(_ body: String, _ words: String) throws {
        let played = Play(anomalies: answer(body)).play(try watching(), poll(.hours(1)))
        #expect(!played.observations.isEmpty)
        #expect(played.report?.warnings.first?.contains(words) == true, "\(played.report?.warnings ?? [])")
    }

    @Test func `of a kind that is not known is told by its name`() throws {
        let server = Play(
            anomalies: answer(
                #"""
                {"anomalies": [{"name": "a/b/c", "metric": {"metric": "slowStartRate", "decimalValue": {"value": "3.5"}},
                  "dimensions": [{"dimension": "apiLevel", "stringValue": "34"}, {"dimension": "x"}]}]}
                """#))
        let issues = server.play(try watching(), poll(.hours(1))).observations.flatMap(\.issues)
        #expect(issues.first?.title == "Play reports an unusual slowStartRate: 3.5 (apiLevel 34)")
        #expect(issues.first?.users == nil)
    }
}

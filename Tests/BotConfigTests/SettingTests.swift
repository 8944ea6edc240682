import AlertCore
import PluginKit
import Testing
import YAMLKit

@testable import BotConfig

/// What one writes for a setting, read as the config is.
private func read<Value>(_ text: String, _ setting: Setting<Value>) throws -> Value? {
    let root = try #require(YAML.parse(Array("\(setting.name): \(text)".utf8)).root)
    let surroundings = FakeWorld.surroundings()
    var reader = ConfigReader(
        secrets: SecretReading(surroundings: surroundings, folder: "."), surroundings: surroundings,
        catalog: FakeWorld.catalog)
    let options = reader.options([setting], in: root.mapping, at: Position(line: 1, column: 1), "the test")
    #expect(reader.problems == [], "\(text)")
    return options.written(setting)
}

/// A setting with a default that is shown in one way, and read back.
private func expect<Value: Equatable>(
    _ kind: SettingKind<Value>, _ value: Value, shown text: String, sourceLocation: SourceLocation = #_sourceLocation
) throws {
    let setting = Setting("some", kind, default: value, "Something.")
    #expect(setting.spec.defaultText == text, sourceLocation: sourceLocation)
    #expect(try read(text, setting) == value, sourceLocation: sourceLocation)
}

@Suite struct `A setting` {
    @Test func `shows its default as one would write it, whatever its kind`() throws {
        try expect(.text, "$", shown: "$")
        try expect(.url, "https://sentry.io", shown: "https://sentry.io")
        try expect(.path, "./state", shown: "./state")
        try expect(.plain, "two words", shown: "two words")
        try expect(.name(of: .channel), "team", shown: "team")
        try expect(.metric, "crash_free_users", shown: "crash_free_users")
        try expect(.metric(["users", "sessions"]), "sessions", shown: "sessions")
        try expect(.severity, .warning, shown: "warning")
        try expect(.choice([PollReason.lowPower, .calm]), .lowPower, shown: "low_power")
        try expect(.flag, true, shown: "true")
        try expect(.integer(-5...20_000), 20_000, shown: "20000")
        try expect(.integer(-5...20_000), -5, shown: "-5")
        try expect(.number(0...10), 2, shown: "2")
        try expect(.number(0...10), 0.25, shown: "0.25")
        try expect(.duration(.zero ... .days(30)), .zero, shown: "0s")
        try expect(.duration(.zero ... .days(30)), .minutes(90), shown: "1h30m")
        try expect(.rate, Rate(1, per: .days(90)), shown: "1 per 90d")
        try expect(.percentage, 0.999, shown: "99.9%")
        try expect(.percentage(0...0.5), 0.1, shown: "10%")
        try expect(.points, 0, shown: "0pp")
        try expect(.points(0.0001...0.5), 0.0001, shown: "0.01pp")
        try expect(.margin, Margin(0.002, isPoints: true), shown: "0.2pp")
        try expect(.margin, Margin(50, isPoints: false), shown: "50")
        try expect(.comparison, Comparison(.less, 0.995, isPercentage: true), shown: "\"< 99.5%\"")
        try expect(.comparison, Comparison(.greaterOrEqual, 100, isPercentage: false), shown: "\">= 100\"")
        try expect(.days, .everyDay, shown: "mon-sun")
        try expect(.days, DaySet([.monday, .tuesday, .friday, .sunday]), shown: "mon-tue,fri,sun")
        try expect(.hours, DailyHours(grammar: "22:00-07:00"), shown: "22:00-07:00")
        try expect(.hours, DailyHours(grammar: "0:00:30-24:00"), shown: "00:00:30-24:00")
        try expect(.instant, WrittenInstant(grammar: "2026-12-24 09:00"), shown: "2026-12-24T09:00:00")
        try expect(.instant, WrittenInstant(grammar: "2026-12-24T09:00:00+01:00"), shown: "2026-12-24T08:00:00Z")
        try expect(.orOff(.percentage), 0.95, shown: "95%")
        try expect(.orOff(.percentage), nil, shown: "off")
        try expect(.list(.plain), ["app"], shown: "app")
        try expect(.list(.plain), ["shop-ios", "shop-android"], shown: "[shop-ios, shop-android]")
        try expect(.list(.plain, mayBeEmpty: true), [], shown: "[]")
        try expect(
            .match, Match([Match.Condition(property: "app", patterns: [Glob("shop-*"), Glob("pay")])]),
            shown: "{app: [shop-*, pay]}")
    }

    @Test(arguments: ["off", "a: b", "- a", "#1", "a\"b", "[x]", "a, b", "null", "~", "{x}", "*", "a #b", " a", "a:"])
    func `shows a text that yaml would read as something else in quotes`(text: String) throws {
        let setting = Setting("some", .list(.plain), default: [text, "b"], "Something.")
        let written = try #require(setting.spec.writtenDefault)
        #expect(try read(written, setting) == [text, "b"])
    }

    @Test func `shows names with values as one would write them`() throws {
        let place = Position(line: 1, column: 1)
        let setting = Setting(
            "some", .map(.plain), default: [NamedValue("a", "1", at: place), NamedValue("b: c", "x, y", at: place)],
            "Something.")
        #expect(setting.spec.defaultText == #"{a: 1, "b: c": "x, y"}"#)
        let text = try #require(setting.spec.writtenDefault)
        let values = try #require(try read(text, setting))
        #expect(values.map(\.name) == ["a", "b: c"])
        #expect(values.map(\.value) == ["1", "x, y"])
    }

    @Test func `has nothing to show where nothing could be written`() {
        #expect(Setting("some", .list(.plain), default: [], "Something.").spec.defaultText == nil)
        #expect(Setting("some", .match, default: .all, "Something.").spec.defaultText == nil)
        #expect(Setting("some", .integer(1...2), "Something.").spec.defaultText == nil)
        #expect(RequiredSetting("some", .integer(1...2), "Something.").spec.defaultText == nil)
    }

    @Test func `says in words what a value does not say`() {
        let empty = Setting("some", .list(.plain), default: [], unset: "all of them", "Something.")
        let absent = Setting("some", .duration(.zero ... .days(1)), unset: "every", "Something.")
        #expect(empty.spec.defaultText == "all of them")
        #expect(absent.spec.defaultText == "every")
    }

    private let place = Position(line: 3, column: 7)
    private func options(_ values: [String: Option.Value]) -> Options {
        Options(
            name: "thing", position: Position(line: 1, column: 1), values: values.mapValues { Option($0, at: place) })
    }

    @Test func `gives what is written, or else its default`() throws {
        let count = Setting("count", .integer(0...9), default: 3, "Something.")
        let limit = Setting("limit", .orOff(.percentage), default: 0.95, "Something.")
        let pause = Setting("pause", .orOff(.percentage), "Something.")
        let need = RequiredSetting("need", .plain, "Something.")
        let written = options([
            "count": .integer(4), "limit": .off, "pause": .off, "need": .text("x"),
        ])
        #expect((written[count], written[limit], written[pause]) == (4, nil, .some(nil)))
        #expect(try written[need] == "x")
        #expect(written.position(of: count) == place)
        let silent = options([:])
        #expect((silent[count], silent[limit], silent[pause]) == (3, 0.95, .none))
        #expect(silent.written(count) == nil)
        #expect(silent.position(of: count) == Position(line: 1, column: 1))
        #expect(throws: ProblemList(Position(line: 1, column: 1), "'need' is missing")) { try silent[need] }
    }

    @Test func `can be set, taken from others and left out again`() throws {
        let count = Setting("count", .integer(0...9), default: 3, "Something.")
        let limit = Setting("limit", .orOff(.percentage), default: 0.95, "Something.")
        let other = options(["count": .integer(7)])
        let set = options([:]).setting(limit, to: nil, at: place).taking([count, limit], from: other)
        #expect((set[count], set[limit]) == (7, nil))
        #expect(set.removing(count)[count] == 3)
    }
}

@Suite struct `The settings of the bot and of polling` {
    @Test func `mean what a config means that leaves them out`() throws {
        let silent = try #require(load(least).config)
        let bot = BotSettings.declared.compactMap { setting in
            setting.spec.writtenDefault.map { "\(setting.name): \($0)" }
        }
        let polling = PollingSettings.ofAll.compactMap { setting in
            setting.spec.writtenDefault.map { "\(setting.name): \($0)" }
        }
        let text =
            "bot: {\(bot.joined(separator: ", "))}\npolling: {\(polling.joined(separator: ", ")), "
            + "backoff: {factor: \(PollingSettings.factor.spec.writtenDefault ?? ""), "
            + "when: \(PollingSettings.when.spec.writtenDefault ?? "")}}"
        let result = load(text + least)
        #expect(result.problems.map(\.line) == [])
        let written = try #require(result.config)
        #expect("\(written.bot)" == "\(silent.bot)")
        #expect(written.plan.concurrency == silent.plan.concurrency)
        let one = try #require(written.plan.sources.first)
        let other = try #require(silent.plan.sources.first)
        #expect((one.every, one.throttle, one.slowest) == (other.every, other.throttle, other.slowest))
        #expect((one.timeout, one.jitter) == (other.timeout, other.jitter))
        #expect((one.backoffFactor, one.slowsWhen) == (other.backoffFactor, other.slowsWhen))
        #expect(silent.bot.listen == .on(host: "127.0.0.1", port: 8480))
        #expect(silent.bot.zone == .utc)
    }
}

internal import AlertCore
internal import PluginKit
internal import YAMLKit

// `oncall:` names rotations: people who are on call in turns. Channels call whoever is on call by `mention`, and routes
// lead to that person's channel; both write `oncall:NAME`.

extension ConfigLoader {
    struct RotationEntry {
        let name: String
        let position: Position
        /// Nil for one that cannot be read.
        let rotation: Rotation?
        /// The channels of its people, and where each stands.
        let channels: [(name: String, position: Position)]
    }

    mutating func readRotations(_ things: [Named], _ zone: Zone) -> [RotationEntry] {
        reader.rotations = [:]
        return things.map { thing in
            let entry = readRotation(thing, zone)
            // One that cannot be read has been reported, and is there for whoever names it.
            if entry.rotation == nil { reader.brokenRotations.insert(thing.name) }
            reader.rotations?[thing.name] = entry.rotation
            return entry
        }
    }

    private mutating func readRotation(_ thing: Named, _ botZone: Zone) -> RotationEntry {
        typealias Settings = RotationSettings
        let what = "rotation '\(thing.name)'"
        let entries = reader.entries(of: thing.value, what)
        reader.reportUnknown(entries, known: Vocabulary.rotation.names, in: what)
        let own = reader.options(Settings.all, in: entries, at: thing.position, what)
        let zone = own[Settings.timezone].map { self.zone($0, at: own.position(of: Settings.timezone)) } ?? botZone
        // What must be there has been missed already; the rest may have mistakes of its own.
        let written = (try? own[Settings.people]) ?? []
        let people = readPeople(written, own)
        let listed = entries.first { $0.key == Settings.people.name }?.value.elements.count ?? 0
        let overrides = readOverrides(own, people, areAllKnown: !people.isEmpty && people.count == listed, zone)
        let channels = written.compactMap { person in
            person[Settings.channel].map { (name: $0, position: person.position(of: Settings.channel)) }
        }
        guard let starts = try? own[Settings.starts], !people.isEmpty else {
            return RotationEntry(name: thing.name, position: thing.position, rotation: nil, channels: channels)
        }
        var civil: CivilTime
        switch starts {
        case .local(let time): civil = time
        case .instant(let moment): civil = zone.civil(moment)
        }
        if civil.second != 0 { civil = CivilTime(day: civil.day, secondOfDay: civil.secondOfDay - civil.second) }
        let rotation = Rotation(
            thing.name, zone: zone, starts: civil, every: own[Settings.every], people: people,
            overrides: overrides)
        return RotationEntry(name: thing.name, position: thing.position, rotation: rotation, channels: channels)
    }

    private mutating func readPeople(_ written: [Options], _ own: Options) -> [Rotation.Person] {
        typealias Settings = RotationSettings
        if written.count > Settings.peopleMax {
            reader.report(
                own.position(of: Settings.people),
                "'people' has \(written.count), expected at most \(Settings.peopleMax)")
        }
        var people: [Rotation.Person] = []
        for person in written {
            guard let name = try? person[Settings.name] else { continue }
            if people.contains(where: { $0.name == name }) {
                reader.report(
                    person.position(of: Settings.name), "'\(name.quotable)' is in 'people' twice",
                    advice: "each person has one turn in a round; overrides give more")
            } else {
                people.append(
                    Rotation.Person(name, mentions: person[Settings.mention], channel: person[Settings.channel]))
            }
        }
        return people
    }

    /// - Parameter areAllKnown: whether everybody in it could be read, so that another name is a mistake.
    private mutating func readOverrides(
        _ own: Options, _ people: [Rotation.Person], areAllKnown: Bool, _ zone: Zone
    ) -> [Rotation.Override] {
        typealias Settings = RotationSettings
        let written = own[Settings.overrides]
        if written.count > Settings.overridesMax {
            reader.report(
                own.position(of: Settings.overrides),
                "'overrides' has \(written.count), expected at most \(Settings.overridesMax)",
                advice: "remove those that are over")
        }
        let names = people.map(\.name)
        return written.prefix(Settings.overridesMax).compactMap { override in
            guard let from = try? override[Settings.from], let until = try? override[Settings.until],
                let name = try? override[Settings.person]
            else { return nil }
            guard let span = TimeSpan(from: from.moment(beginningIn: zone), to: until.moment(endingIn: zone)) else {
                reader.report(override.position(of: Settings.until), "'until' is not after 'from', so it never begins")
                return nil
            }
            guard let person = names.firstIndex(of: name) else {
                guard areAllKnown else { return nil }
                reader.report(
                    override.position(of: Settings.person),
                    "nobody in this rotation is called '\(name.quotable)'; known: \(names.joined(separator: ", "))",
                    name.nearest(in: names))
                return nil
            }
            return Rotation.Override(person, in: span)
        }
    }

    /// The rotation that a route names. Each of its people needs a channel, or there are times in which nobody hears.
    mutating func readRotation(forRoute node: Node) -> Rotation? {
        guard let rotation = reader.rotation(node) else { return nil }
        let missing = rotation.people.filter { $0.channel == nil }.map(\.name.tamed)
        guard missing.isEmpty else {
            reader.report(
                node.position, "the rotation '\(rotation.name)' leads nowhere while \(missing.listed) is on call",
                advice: "give each of its people a 'channel' under 'oncall'")
            return nil
        }
        return rotation
    }

    mutating func checkReferences(of rotations: [RotationEntry], _ channels: [ChannelEntry]) {
        let names = NameList(channels.map(\.plan.name))
        for (name, position) in rotations.flatMap(\.channels) where !names.contains(name) {
            reportMissing("channel", name, at: position, among: names)
        }
        // Where something else is wrong, what names them may not have been read.
        guard reader.isWhole, !reader.problems.contains(where: { $0.level == .error }) else { return }
        for rotation in rotations where !reader.namedRotations.contains(rotation.name) {
            reader.report(
                Problem(
                    rotation.position,
                    "rotation '\(rotation.name)' calls nobody: no channel's 'mention' and no route names it",
                    advice: "write \(Rotation.prefix)\(rotation.name) there, or remove it", level: .warning))
        }
    }
}

extension ConfigReader {
    /// The rotation that a value names; nil where there is none, which is reported unless they stand elsewhere.
    mutating func rotation(_ node: Node) -> Rotation? {
        guard let rotations, case .scalar(let written, _) = node.kind else { return nil }
        let name = String(written.dropFirst(Rotation.prefix.count))
        namedRotations.insert(name)
        if let rotation = rotations[name] { return rotation }
        if brokenRotations.contains(name) || !isWhole { return nil }
        let names = rotations.keys.sorted()
        report(
            node.position,
            names.isEmpty
                ? "there is no rotation '\(name.quotable)': the config has no 'oncall'"
                : "there is no rotation '\(name.quotable)'; known: \(names.joined(separator: ", "))",
            name.nearest(in: names).map { Rotation.prefix + $0 })
        return nil
    }
}

extension Node {
    /// Whether it names a rotation where a channel or somebody to call could stand, too.
    var namesRotation: Bool {
        if case .scalar(let text, _) = kind { text.hasPrefix(Rotation.prefix) } else { false }
    }
}

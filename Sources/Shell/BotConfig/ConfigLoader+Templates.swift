internal import AlertCore
internal import PluginKit

// Templates are read with the config, and tried on a message of every kind: at night is no time to learn of a mistake.

extension ConfigLoader {
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// A template takes a page or two; more is another file.
    private static let templateBytesMax = 64 << 10

    /// The template that an option names; nil where there is none, or where it has been reported as wrong.
    mutating func readTemplate(_ setting: Setting<GuardedText?>, _ own: Options, _ zone: Zone) -> MessageTemplate? {
        guard let written = own[setting] else { return nil }
        let position = own.position(of: setting)
        let path = absolute(written.reveal())
        if let known = templates[path] {
            for flaw in known.flaws { reader.report(position, flaw) }
            return known.template
        }
        let name = reader.shownName(of: written, at: path)
        guard
            let bytes = reader.bytes(
                ofFile: path, called: name, setting.name, at: position, most: ConfigLoader.templateBytesMax,
                advice: "'alertbot template show' has one to start from")
        else { return nil }
        // Some editors begin a file with a mark of its byte order, which is no part of what it says.
        let said = bytes.starts(with: ConfigLoader.byteOrderMark) ? Array(bytes.dropFirst(3)) : bytes
        guard let text = String(validating: said, as: UTF8.self) else {
            reader.report(position, "'\(setting.name)': \(name.tamed) is not UTF-8 text")
            return nil
        }
        reader.texts[name] = bytes
        do throws(ProblemList) {
            let template = try MessageTemplate(text, name: name)
            let flaws = template.trial(in: zone, words: words)
            templates[path] = (template, flaws)
            for flaw in flaws { reader.report(position, flaw) }
            return template
        } catch {
            for problem in error.problems { reader.report(problem) }
            return nil
        }
    }

    /// Warns of templates with which people would not hear what it is about. Pagers get no digests, and the bot's own
    /// troubles are in no rule's words.
    mutating func checkTemplates(_ plan: Plan) {
        let channels = plan.channels.filter { $0.template != nil }
        let ofRules = plan.channels.contains { !$0.isPager } ? plan.detectors.compactMap(\.template) : []
        let ofSeveral = ofRules + channels.filter { !$0.isPager }.compactMap(\.template)
        for template in Set(ofSeveral) {
            if let loss = template.lossOfLines(in: plan.zone, words: plan.words) { reader.report(loss) }
        }
        for template in Set(channels.compactMap(\.template)) {
            if let loss = template.lossOfCause(in: plan.zone, words: plan.words) { reader.report(loss) }
        }
    }
}

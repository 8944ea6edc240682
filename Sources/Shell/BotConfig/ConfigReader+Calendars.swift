internal import PluginKit
internal import YAMLKit

// Calendars are read with the config, like templates: what is wrong with one is found here, with its place in its own file.

extension ConfigReader {
    /// The calendar that an option names; nil where it has been reported as wrong.
    mutating func calendar(_ node: Node, _ option: String) -> EventCalendar? {
        guard let written = text(node, option) else { return nil }
        guard !written.reveal().contains("://") else {
            report(
                node.position, "'\(option)' is an address, expected a file",
                advice: "fetch it from time to time with a timer of the system, as in curl -o holidays.ics URL")
            return nil
        }
        let path = secrets.path(written.reveal())
        if let known = calendars[path] {
            if known == nil { leaveUnread(node) }
            return known
        }
        let name = shownName(of: written, at: path)
        // How large it may be, it says itself.
        let bytes = self.bytes(
            ofFile: path, called: name, option, at: node.position, most: .max,
            advice: "relative paths start at the config's folder")
        // Where secrets are not, the files beside them need not be either, and a page of a plugin only mentions its files.
        if surroundings.withholdsSecrets, bytes?.isEmpty ?? true {
            withhold(node)
            return EventCalendar(emptyNamed: name)
        }
        guard let bytes else {
            leaveUnread(node)
            return nil
        }
        texts[name] = bytes
        do throws(CalendarFaults) {
            let calendar = try EventCalendar(bytes, name: name, zones: surroundings.zones)
            calendars[path] = .some(calendar)
            return calendar
        } catch {
            for problem in error.problems(in: name) { report(problem) }
            calendars[path] = .some(nil)
            leaveUnread(node)
            return nil
        }
    }
}

// PluginKit is all that a plugin imports, but for what detectors of single issues share (IssueKit): the protocols of
// sources, detectors, gates and channels, the way they declare their options, and the values of AlertModel that they
// pass along.
//
// Plugins describe, the shell performs: a source says which request to send next and what an answer means, a channel
// says how a message looks and what came of it, a rule looks at figures. None of them reads a clock, a file or a
// socket, so a preview is printing, a test is a table, and a plugin outside this process can do whatever a built-in one
// can.

// One import is the promise to plugin authors; the values they handle live in AlertModel, Calendars, Text and TimeZones.
@_exported public import AlertModel
@_exported public import Calendars
@_exported public import Text
@_exported public import TimeZones

/// What every plugin says of itself: its name in the config, what it does, which options it has.
public struct PluginManifest: Sendable {
    /// The word after `plugin:`.
    public let name: String
    /// One sentence for `plugins list`.
    public let summary: String
    /// The plugin at work, for `plugins describe`: its options as one would write them, one a line, without `plugin`.
    /// Empty for a plugin that is used as it is.
    public let example: String
    /// Where its credential comes from: what to click, or to do, in the sentences of the plugin's page. Empty for a plugin
    /// that needs none.
    public let access: String
    public let options: [OptionSpec]
    /// Whether a source or a channel speaks to a service over the network, and so takes `ConnectionSettings`, too.
    public let isConnected: Bool

    /// - Parameter options: the plugin's settings, in the order in which people should read of them.
    public init(
        name: String, summary: String, example: String = "", access: String = "", options: [any SettingDeclaration],
        isConnected: Bool = true
    ) {
        self.isConnected = isConnected
        self.name = name
        self.summary = summary
        self.example = example
        self.access = access
        self.options = options.map(\.spec)
    }
}

/// What all kinds of plugins have in common, beside an `init(options:context:)` that throws all the problems that it finds
/// at once, so that nobody mends a config one line at a time.
public protocol Plugin: Sendable {
    static var manifest: PluginManifest { get }
}

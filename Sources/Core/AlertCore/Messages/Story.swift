internal import PluginKit

/// What a message about an incident is made of: plain values, and nothing of the bot.
struct Story {
    var incident: Incident
    /// What is kept of whom it is about.
    let series: Series?
    /// The issues named last of it.
    var issues: [Issue] = []
    /// What is kept of the app with all its releases, where it is about one.
    let whole: Series?
    /// The sessions of its releases, by name, where it is about the app as a whole.
    var releases: [(name: String, metrics: Metrics)] = []
    /// Where to look and what to do, as the config says it.
    var links: [Message.Link] = []
    /// Since when nothing is known of it, where that is so.
    var silence: Silence?
    /// Since when the same goes on again, where this is over.
    var again: Moment?
    /// The apps that nobody watches meanwhile, where it is about a source that gives no answers.
    var unwatched: [String] = []
}

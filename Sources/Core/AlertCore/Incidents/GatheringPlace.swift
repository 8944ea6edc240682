internal import PluginKit

/// Where something is gathered.
struct GatheringPlace: Hashable, Sendable {
    let channel: String
    let gathering: Gathering
}

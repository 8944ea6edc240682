internal import AlertCore
internal import PluginKit

/// Routes in their order, by the rules and the sources that they name: with a thousand teams each has its own, and of each rule
/// only few need to be asked.
struct RouteIndex {
    private let routes: [Route]
    private var byRule: [String: [Int]] = [:]
    /// Of those that name no rules.
    private var bySource: [String: [Int]] = [:]
    /// All of those.
    private var ofSources: [Int] = []
    /// Those that name neither.
    private var others: [Int] = []

    init(_ routes: [Route]) {
        self.routes = routes
        for (rank, route) in routes.enumerated() {
            if let condition = route.match["rule"], condition.isExact {
                for pattern in condition.patterns { byRule[pattern.pattern, default: []].append(rank) }
            } else if let condition = route.match["source"], condition.isExact {
                for pattern in condition.patterns { bySource[pattern.pattern, default: []].append(rank) }
                ofSources.append(rank)
            } else {
                others.append(rank)
            }
        }
    }

    /// All routes that may take what is of one of these rules and sources, and others.
    ///
    /// - Parameter sources: nil for any.
    func about(rules: Set<String>, sources: Set<String>?) -> [Route] {
        var named = ofSources
        if let sources, sources.count <= RouteIndex.fewMax { named = sources.flatMap { bySource[$0] ?? [] } }
        let ofRules = rules.flatMap { byRule[$0] ?? [] }
        // Of so many the first nearly always takes it, and there is nothing to be won by putting them in order.
        guard ofRules.count + named.count + others.count < routes.count / 4 else { return routes }
        return Set(ofRules + named + others).sorted().map { routes[$0] }
    }

    /// Of more sources than this all routes are asked that name any.
    private static let fewMax = 8
}

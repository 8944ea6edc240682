internal import AlertCore
internal import PluginKit

extension ConfigLoader {
    /// The rules of a config by their names, and what can be told of all of them together: routes and gates may name a thousand
    /// of them, each one.
    struct RulesByName {
        private var plans: [String: DetectorPlan] = [:]
        /// What all of them are called.
        private let list: NameList
        /// Those of which not even the plugin is known.
        let unread: Set<String>
        /// Whether each rule that judges could be made.
        private(set) var areAllMade = true
        /// Whether any may be about issues, and whether any may be as mild as that.
        private(set) var haveIssues = false
        private(set) var haveInfo = false

        init(_ detectors: [DetectorPlan] = [], _ places: [Rules.Place] = [], unread: [String] = []) {
            self.unread = Set(unread)
            list = NameList(places.map(\.name))
            for plan in detectors {
                if plans[plan.name] == nil { plans[plan.name] = plan }
                if plan.mayBeOfIssues { haveIssues = true }
                if plan.detector.severities?.contains(.info) != false { haveInfo = true }
            }
            for place in places where place.isDetector && plans[place.name] == nil { areAllMade = false }
        }

        /// The first rule of that name that judges, if it could be made.
        func detector(_ name: String) -> DetectorPlan? { plans[name] }

        /// Where the first of that name stands.
        func place(_ name: String) -> Int? { list.place(name) }

        /// Where those stand whose names a condition fits, in the order of the config.
        func places(of condition: Match.Condition) -> [Int] { list.places(of: condition) }
    }
}

extension ConfigLoader.Rules {
    func detector(_ name: String) -> DetectorPlan? { index.detector(name) }

    func place(_ name: String) -> Place? { index.place(name).map { places[$0] } }
}

extension DetectorPlan {
    /// Whether it judges issues. A rule that finds what it likes may call it by a name of its own, which goes for one.
    var mayBeOfIssues: Bool { detector.readsIssues || !(detector is any SubjectDetector) }
}

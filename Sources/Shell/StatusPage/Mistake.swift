/// What is wrong with a request.
struct Mistake: Error {
    let sentence: String
    /// Whether the request is well-formed, and cannot be done as things are now.
    var isOfNow = false
}

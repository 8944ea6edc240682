internal import PluginKit

/// A picture on its way into the thread of a message: Slack says where it goes, takes it there, and is told then whose
/// it is.
struct SlackUpload {
    let api: SlackAPI
    let image: ChartImage
    let message: SlackReceipt
    /// The message that opened the incident, whose thread it is.
    let opening: SlackReceipt?

    func step(after answers: [HTTPResponse]) -> ImageStep {
        switch answers.count {
        case 0: return .request(api.form("files.getUploadURLExternal", fields))
        case 1:
            switch read(answers[0]) {
            case .failure(let trouble): return .failed(trouble.words)
            case .success(let answer):
                guard let place = place(in: answer) else { return .failed("Slack did not say where the picture goes") }
                return .request(
                    HTTPRequest(
                        .post, GuardedText(Secret(place)).showingOnlyOrigin,
                        body: .bytes(image.bytes, contentType: ChartImage.contentType),
                        allowsPlainHTTP: api.allowsPlainHTTP))
            }
        case 2:
            // What the place answers is no JSON; its status has told.
            guard case .success(let first) = read(answers[0]), let file = first["file_id"]?.string else {
                return .failed("Slack gave the picture no id")
            }
            return .request(
                api.call(
                    "files.completeUploadExternal",
                    JSONObject([
                        ("files", [["id": .string(file), "title": .string(title)]]),
                        ("channel_id", .string(message.channel)), ("thread_ts", .string(opening?.ts ?? message.ts)),
                    ])))
        default:
            if case .failure(let trouble) = read(answers[2]) { return .failed(trouble.words) }
            return .done
        }
    }

    private var fields: [HTTPRequest.FormField] {
        [
            HTTPRequest.FormField("filename", GuardedText(ChartImage.fileName)),
            HTTPRequest.FormField("length", GuardedText(String(image.bytes.count))),
            HTTPRequest.FormField("alt_txt", GuardedText(title)),
        ]
    }

    private var title: String { image.words.tamed.clipped(to: Self.titleMax) }
    /// Slack takes a thousand.
    private static let titleMax = 500
    private static let addressMax = 2000

    private struct Trouble: Error { let words: String }

    /// Slack says under status 200 what went wrong.
    private func read(_ response: HTTPResponse) -> Result<JSON, Trouble> {
        guard let answer = try? JSON(parsing: response.body), answer["ok"] == true else {
            let word = (try? JSON(parsing: response.body))?["error"]?.string ?? response.excerpt(60)
            let advice = word == "missing_scope" ? "; give the bot the scope files:write" : ""
            return .failure(Trouble(words: "Slack answered \(word.quotable)\(advice)"))
        }
        return .success(answer)
    }

    /// An address of the same service: a picture goes nowhere else.
    private func place(in answer: JSON) -> String? {
        guard let url = answer["upload_url"]?.string, url.utf8.count <= Self.addressMax,
            url.utf8.allSatisfy({ 0x21...0x7E ~= $0 }), let place = WebAddress(url)
        else { return nil }
        let own = WebAddress(api.url.reveal())
        let isSlack = place.host == "slack.com" || place.host.hasSuffix(".slack.com")
        return place.host == own?.host || isSlack && url.hasPrefix("https://") ? url : nil
    }
}

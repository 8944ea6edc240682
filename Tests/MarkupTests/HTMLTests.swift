import Markup
import Testing

@Suite struct HTMLTests {
    @Test(arguments: [
        ("plain words, naïve 🔴", "plain words, naïve 🔴"),
        ("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"),
        (#"" onmouseover="x"#, "&quot; onmouseover=&quot;x"),
        ("' & '", "&#39; &amp; &#39;"),
        ("&lt;", "&amp;lt;"),
        ("two\r\nlines", "two  lines"),
        ("right\u{202E}tfel", "righttfel"),
        ("nul\u{0}bell\u{7}", "nulbell"),
    ])
    func `words are escaped`(words: String, expected: String) {
        #expect(HTML.escape(words) == expected)
        let piece: HTML = "\(words)"
        #expect(piece.text == expected)
    }

    @Test func `endless words are cut in the middle`() {
        let escaped = HTML.escape(String(repeating: "a", count: 5000))
        #expect(escaped.count == HTML.wordsMax)
        #expect(escaped.contains("…"))
    }

    @Test(arguments: [
        "https://sentry.io/issues/1", "http://127.0.0.1:8480/", "HTTPS://SENTRY.IO", "https://[::1]/x",
        "https://münchen.example/",
    ])
    func `web addresses become links`(url: String) {
        let link = HTML.link("title", to: url).text
        #expect(link == #"<a href="\#(url)" target="_blank" rel="noopener noreferrer">title</a>"#)
    }

    @Test(arguments: [
        "javascript:alert(1)", "JaVaScRiPt:alert(1)", " https://x.example", "java\nscript:alert(1)",
        "data:text/html,<script>", "vbscript:x", "file:///etc/passwd", "//evil.example", "https://", "https:///x",
        "http:x", "", "https://a b", "https://x.example\\@evil.example", "https://x.example/\u{202E}gpj.exe",
        "https://x.example/" + String(repeating: "a", count: 2000),
    ])
    func `anything else stays words`(url: String) {
        #expect(HTML.link("title", to: url).text == "title")
    }

    @Test func `a link's address cannot leave its attribute`() {
        let link = HTML.link("x", to: #"https://x.example/"onclick="alert(1)"#).text
        #expect(link.contains(#"href="https://x.example/&quot;onclick=&quot;alert(1)""#))
    }

    @Test func `of a program's words every line and character stays`() {
        let words = String(repeating: "a", count: 3000) + "\n  <b>\u{1B}[31m\n"
        let piece: HTML = "<pre>\(whole: words)</pre>"
        #expect(piece.text == "<pre>" + String(repeating: "a", count: 3000) + "\n  &lt;b&gt;[31m\n</pre>")
    }

    @Test(arguments: [
        (0, "0"), (12, "12"), (12.25, "12.3"), (-0.04, "0"), (-3.05, "-3.1"), (99.96, "100"), (.nan, "0"),
        (.infinity, "0"), (-1e300, "0"),
    ])
    func `places in a drawing have one decimal at most`(number: Double, text: String) {
        let piece: HTML = "\(number)"
        #expect(piece.text == text)
    }
}

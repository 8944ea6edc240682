import AlertModel
import Testing

@Suite struct WebAddressTests {
    @Test(arguments: [
        ("https://stats.example.com/a", "stats.example.com"),
        ("https://Stats.Example.com:8443?x=1", "stats.example.com"),
        ("http://user:pa@ss@127.0.0.1:80/", "127.0.0.1"), ("http://[::1]:9000/x", "[::1]"), ("https://", nil),
        ("stats.example.com", nil), ("", nil), ("https:///path", nil), ("https://host:port/", nil),
        ("https://host:65536/", nil), ("https://[::1/", nil), ("ftp://host/", nil), ("https://ho st/", nil),
        ("https://hooks.example’/x", nil), ("https://“hooks.example", nil), ("https://hooks\u{202E}.example", nil),
        ("https://'hooks.example'/x", nil), ("https://bücher.example/x", "bücher.example"),
        ("https://उदाहरण.परीक्षा/x", "उदाहरण.परीक्षा"),
    ])
    func `the host is that of the address`(_ url: String, _ host: String?) {
        #expect(WebAddress(url)?.host == host)
    }

    @Test(arguments: [
        ("http://localhost:9090", true), ("http://127.0.0.1", true), ("http://127.8.8.8:1/x", true),
        ("http://[::1]/", true),
        ("http://127.0.0.1.example.com/", false), ("http://localhost.example.com/", false), ("http://10.0.0.1/", false),
        ("http://user@localhost@evil.example/", false),
    ])
    func `loopback is this machine and no name that looks like it`(_ url: String, _ isLoopback: Bool) {
        #expect(WebAddress(url)?.isLoopback == isLoopback)
    }
}

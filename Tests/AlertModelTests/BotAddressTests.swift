import AlertModel
import Testing

@Suite struct `Addresses of the bot` {
    @Test(arguments: ["https://alerts.example.com/shop", "https://alerts.example.com/shop/"])
    func `what messages lead to stands below the address of the first page`(url: String) {
        let bot = BotAddress(url)
        #expect(bot.page(ofIncident: "3f9a") == "https://alerts.example.com/shop/incidents/3f9a")
        #expect(bot.acknowledging("3f9a") == "https://alerts.example.com/shop/ack?incident=3f9a")
        #expect(bot.muting("3f9a", for: "2h") == "https://alerts.example.com/shop/mute?incident=3f9a&for=2h")
    }

    @Test func `what an address is for is read back from it`() throws {
        let bot = BotAddress("https://alerts.example.com")
        let acknowledging = try #require(bot.errand(of: bot.acknowledging("3f9a")))
        #expect(acknowledging == (.acknowledge, "3f9a"))
        let muting = try #require(bot.errand(of: bot.muting("3f9a", for: "2h")))
        #expect(muting == (.mute, "3f9a"))
    }

    @Test(arguments: [
        "https://alerts.example.com/incidents/3f9a", "https://alerts.example.com/", "https://dash.example.com/x",
        "https://evil.example/ack?incident=3f9a", "https://alerts.example.com/unmute?mute=a1b2",
    ])
    func `no other address is for anything`(address: String) {
        #expect(BotAddress("https://alerts.example.com").errand(of: address) == nil)
    }
}

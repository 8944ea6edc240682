@main struct Signal { static func main() {} }

internal import CSQLite
internal import Measuring

/// The same job done by SQLite: numbered records with a time, in a database whose every commit is durable.
final class SQLiteLog {
    private var database: OpaquePointer?
    private var insert: OpaquePointer?

    static var version: String { String(cString: sqlite3_libversion()) }

    init(_ path: String) throws {
        guard sqlite3_open(path, &database) == SQLITE_OK else { throw failure("open") }
        try run("PRAGMA journal_mode=WAL")
        try run("PRAGMA synchronous=FULL")
        try run("CREATE TABLE records (seq INTEGER PRIMARY KEY, at TEXT NOT NULL, record BLOB NOT NULL)")
        guard
            sqlite3_prepare_v2(database, "INSERT INTO records (at, record) VALUES (?, ?)", -1, &insert, nil)
                == SQLITE_OK
        else { throw failure("prepare") }
    }

    deinit {
        sqlite3_finalize(insert)
        sqlite3_close(database)
    }

    /// Adds records and makes them durable.
    func commit(_ records: Int, of payload: [UInt8], at: String) throws {
        try run("BEGIN")
        for _ in 0..<records {
            // The bytes stay where they are until the step is done, so SQLite need not copy them.
            let code = at.utf8CString.withUnsafeBufferPointer { time in
                payload.withUnsafeBytes { bytes in
                    sqlite3_bind_text(insert, 1, time.baseAddress, Int32(time.count - 1), nil)
                    sqlite3_bind_blob(insert, 2, bytes.baseAddress, Int32(bytes.count), nil)
                    let code = sqlite3_step(insert)
                    sqlite3_reset(insert)
                    return code
                }
            }
            guard code == SQLITE_DONE else { throw failure("insert") }
        }
        try run("COMMIT")
    }

    private func run(_ statement: String) throws {
        guard sqlite3_exec(database, statement, nil, nil, nil) == SQLITE_OK else { throw failure(statement) }
    }

    private func failure(_ what: String) -> BenchmarkFailure {
        BenchmarkFailure("SQLite could not \(what): \(String(cString: sqlite3_errmsg(database)))")
    }
}

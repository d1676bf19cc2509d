#include "tools/report/profiles/sqlite_file.hpp"

#include "traces/errors/try.hpp"

#include <sqlite3.h>

#include <string_view>
#include <system_error>

namespace keyswap::tools {

namespace {

InputError unreadable(std::string const& file, sqlite3* connection) {
    int const code = sqlite3_errcode(connection);
    if (code == SQLITE_NOTADB) {
        return {file, "is not an SQLite database", "decompress it if it is compressed"};
    }
    return {file,
            std::string("cannot be read as an SQLite database: ") + sqlite3_errmsg(connection),
            "is the copy complete? Export it again"};
}

/// URI that opens the file as immutable: SQLite takes no locks and creates no files next to it,
/// even for a database in WAL mode. Source: sqlite.org/uri.html, "immutable".
std::string immutable_uri(std::filesystem::path const& path) {
    constexpr std::string_view hex = "0123456789ABCDEF";
    std::string uri = "file:";
    for (char const letter : path.string()) {
        auto const byte = static_cast<unsigned char>(letter);
        bool const plain = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
                           (letter >= '0' && letter <= '9') || letter == '/' || letter == '.' ||
                           letter == '-' || letter == '_';
        if (plain) {
            uri += letter;
        } else {
            uri += '%';
            uri += hex[byte >> 4];
            uri += hex[byte & 15];
        }
    }
    return uri + "?immutable=1";
}

} // namespace

SqliteRows::SqliteRows(std::string file, sqlite3_stmt* statement)
    : file_(std::move(file)), statement_(statement, sqlite3_finalize) {}

Expected<bool> SqliteRows::next() {
    int const code = sqlite3_step(statement_.get());
    if (code == SQLITE_ROW || code == SQLITE_DONE) {
        return code == SQLITE_ROW;
    }
    return tl::unexpected(unreadable(file_, sqlite3_db_handle(statement_.get())));
}

std::optional<std::int64_t> SqliteRows::number(int column) const {
    if (sqlite3_column_type(statement_.get(), column) != SQLITE_INTEGER) {
        return std::nullopt;
    }
    return sqlite3_column_int64(statement_.get(), column);
}

std::string SqliteRows::text(int column) const {
    // sqlite3_column_text() returns unsigned bytes; query the length only after the call.
    auto const* const letters =
        reinterpret_cast<char const*>(sqlite3_column_text(statement_.get(), column));
    if (letters == nullptr) {
        return {};
    }
    return {letters, static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column))};
}

SqliteFile::SqliteFile(std::string file, sqlite3* connection)
    : file_(std::move(file)), connection_(connection, sqlite3_close_v2) {}

Expected<SqliteFile> SqliteFile::open(std::filesystem::path const& path) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error)) {
        return tl::unexpected(InputError{path.string(),
                                         "is an SQLite database that is not a regular file",
                                         "save it as a file first"});
    }
    std::filesystem::path const log = path.string() + "-wal";
    if (std::filesystem::exists(log, error) && std::filesystem::file_size(log, error) > 0) {
        return tl::unexpected(
            InputError{path.string(),
                       "is not complete: its newest changes lie in " + log.string(),
                       "close what writes to it, or join the two with: sqlite3 FILE 'PRAGMA "
                       "journal_mode=DELETE'"});
    }
    sqlite3* connection = nullptr;
    int const code = sqlite3_open_v2(
        immutable_uri(path).c_str(), &connection, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nullptr);
    SqliteFile file(path.string(), connection);
    if (code != SQLITE_OK) {
        return tl::unexpected(unreadable(path.string(), connection));
    }
    sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(connection, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
    // SQLite opens lazily: only the first query validates the file.
    KEYSWAP_TRY(auto rows, file.query("SELECT count(*) FROM sqlite_master"));
    KEYSWAP_RETURN_IF_ERROR(rows.next());
    return file;
}

Expected<std::set<std::string>> SqliteFile::columns_of(std::string const& table) const {
    KEYSWAP_TRY(auto rows, query("SELECT name FROM pragma_table_info('" + table + "')"));
    std::set<std::string> names;
    while (true) {
        KEYSWAP_TRY(auto const more, rows.next());
        if (!more) {
            return names;
        }
        names.insert(rows.text(0));
    }
}

Expected<SqliteRows> SqliteFile::query(std::string const& sql) const {
    sqlite3_stmt* statement = nullptr;
    int const code = sqlite3_prepare_v2(
        connection_.get(), sql.c_str(), static_cast<int>(sql.size()), &statement, nullptr);
    if (code != SQLITE_OK) {
        return tl::unexpected(unreadable(file_, connection_.get()));
    }
    return SqliteRows(file_, statement);
}

Expected<std::string> SqliteFile::text_of(std::string const& sql) const {
    KEYSWAP_TRY(auto rows, query(sql));
    KEYSWAP_TRY(auto const found, rows.next());
    return found ? rows.text(0) : std::string();
}

} // namespace keyswap::tools

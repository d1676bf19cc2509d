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

std::optional<std::int64_t> SqliteRow::number(int column) const {
    if (sqlite3_column_type(statement_, column) != SQLITE_INTEGER) {
        return std::nullopt;
    }
    return sqlite3_column_int64(statement_, column);
}

std::string SqliteRow::text(int column) const {
    // sqlite3_column_text() returns unsigned bytes; query the length only after the call.
    auto const* const letters =
        reinterpret_cast<char const*>(sqlite3_column_text(statement_, column));
    if (letters == nullptr) {
        return {};
    }
    return {letters, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

SqliteFile::SqliteFile(std::string file, sqlite3* connection)
    : file_(std::move(file)), connection_(connection, sqlite3_close_v2) {}

Expected<SqliteFile> SqliteFile::open(std::filesystem::path const& path) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error)) {
        return input_error(path.string(),
                           "is an SQLite database that is not a regular file",
                           "save it as a file first");
    }
    std::filesystem::path const log = path.string() + "-wal";
    if (std::filesystem::exists(log, error) && std::filesystem::file_size(log, error) > 0) {
        return input_error(path.string(),
                           "is not complete: its newest changes lie in " + log.string(),
                           "close what writes to it, or join the two with: sqlite3 FILE 'PRAGMA "
                           "journal_mode=DELETE'");
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
    KEYSWAP_RETURN_IF_ERROR(file.each_row("SELECT count(*) FROM sqlite_master",
                                          [](SqliteRow const& /*row*/) { return true; }));
    return file;
}

Expected<std::set<std::string>> SqliteFile::columns_of(std::string const& table) const {
    std::set<std::string> names;
    return each_row("SELECT name FROM pragma_table_info('" + table + "')",
                    [&](SqliteRow const& row) {
                        names.insert(row.text(0));
                        return true;
                    })
        .map([&] { return std::move(names); });
}

Expected<void> SqliteFile::each_row(std::string const& sql,
                                    std::function<bool(SqliteRow const&)> const& take) const {
    sqlite3_stmt* prepared = nullptr;
    int code = sqlite3_prepare_v2(
        connection_.get(), sql.c_str(), static_cast<int>(sql.size()), &prepared, nullptr);
    std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> const statement(prepared,
                                                                          sqlite3_finalize);
    while (code == SQLITE_OK || code == SQLITE_ROW) {
        code = sqlite3_step(prepared);
        if (code == SQLITE_DONE || (code == SQLITE_ROW && !take(SqliteRow(prepared)))) {
            return {};
        }
    }
    return tl::unexpected(unreadable(file_, connection_.get()));
}

} // namespace keyswap::tools
